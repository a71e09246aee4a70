import type { Call } from '../call/call.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { Transaction } from '../store/store.ts'
import type { ChangeSet } from './change-set.ts'
import type { Writer } from './writer.ts'

/** A write that a request asks for. Every check of it needs these three. */
export interface WriteRequest {
  readonly writer: Writer
  readonly call: Call
  /** Where checks read: in the transaction of the write while it is open, else in the store. */
  readonly from: Pick<Transaction, 'first' | 'all'>
}

/** A write whose transaction is open. */
export interface OpenWrite extends WriteRequest {
  readonly changes: ChangeSet
}

/** The row of a write: as it is stored, as the request asks for it, and as it is to be written after hooks. */
export interface Attempt {
  /** Where the row stands in the body: `/data/3` in a list, else nothing. */
  readonly place: string
  /** Null for a create. */
  before: StoredRow | null
  asked: StoredRow
  /** Null where it did not come to that. */
  written: StoredRow | null
  /** Whether it is this row of a list that has a value, or leads to one, that the store cannot keep. */
  isOutOfRange?: boolean
}

export const outsideTransaction = (writer: Writer, call: Call): WriteRequest => ({
  writer,
  call,
  from: {
    first: (sql, values) => writer.store.first(sql, values, call.caller.account),
    all: (sql, values) => writer.store.all(sql, values, call.caller.account),
  },
})

export const inTransaction = ({ writer, call }: WriteRequest, changes: ChangeSet): OpenWrite => ({
  writer,
  call,
  from: changes.tx,
  changes,
})
