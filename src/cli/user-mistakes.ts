import { Mistakes } from '../compile/mistakes.ts'
import { BrokenPromises } from '../contract/broken-promises.ts'
import { KeyMistake } from '../guard/key-ring.ts'
import { SettingMistake } from '../setting-mistake.ts'
import { StoreError, StoreRefused } from '../store/store.ts'
import { CommandMistake } from './command-mistake.ts'

const kinds = [CommandMistake, SettingMistake, Mistakes, BrokenPromises, StoreRefused, StoreError, KeyMistake]

/** Whether an error's message tells the user what to do. */
export const isUserMistake = (error: Error): boolean => kinds.some((kind) => error instanceof kind)
