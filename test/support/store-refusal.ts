import { expect } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import { StoreRefused } from '../../src/store/store.ts'

/** Why a store cannot be opened, in words. */
export const refusal = async (url: string): Promise<string> => {
  const error = await openStore(url).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StoreRefused)
  return (error as Error).message
}
