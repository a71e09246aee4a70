import { AsyncLocalStorage } from 'node:async_hooks'

/** What a request has asked of the store so far. */
export interface StoreWork {
  statements: number
  /** From sending each to its answer, with the wait for a connection, and that for a commit where the statement is a transaction of its own. */
  statementMs: number
}

/** The request that is being handled, also after what it waits for. */
const present = new AsyncLocalStorage<StoreWork | null>()

/** Counts the statements that `run` sends, however late, for a request. */
export const countedFor = <T>(work: StoreWork, run: () => T): T => present.run(work, run)

/** Work that a request only sets off, and that others profit from: its statements count for no request. */
export const countedForNobody = <T>(run: () => T): T => present.run(null, run)

/** What counts for the request that is being handled; null or undefined for none. */
export const presentWork = (): StoreWork | null | undefined => present.getStore()
