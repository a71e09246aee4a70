import { Mistakes } from '../compile/mistakes.ts'
import { BrokenPromises } from '../contract/broken-promises.ts'
import { KeyMistake } from '../guard/key-ring.ts'
import { SettingMistake } from '../setting-mistake.ts'
import { StoreError, StoreRefused } from '../store/store.ts'
import { CommandMistake } from './command-mistake.ts'

const kinds = [CommandMistake, SettingMistake, Mistakes, BrokenPromises, StoreRefused, StoreError, KeyMistake]

/** What a file system refuses: the message of Node says what and where, and what to do is not for us to know. */
const refusals: ReadonlySet<unknown> = new Set([
  'EACCES',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOSPC',
  'ENOTDIR',
  'EPERM',
  'EROFS',
])

const isOfFileSystem = (error: Error): boolean =>
  'syscall' in error && 'path' in error && 'code' in error && refusals.has(error.code)

/** Whether an error's message tells the user what to do. */
export const isUserMistake = (error: Error): boolean =>
  kinds.some((kind) => error instanceof kind) || isOfFileSystem(error)
