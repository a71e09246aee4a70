import { type ClaimedWrite, StoreError, type Write } from '../store.ts'
import type { Connection } from './connection.ts'
import { reasonOf } from './errors.ts'

/**
 * All writes, within a transaction that others share: whether they wrote anything. When the second one fails, a DELETE undoes the
 * first. A savepoint around them would copy every page that they change: with one, and with RETURNING to learn whether the claim
 * wrote a row, a keyed create takes 20 % more CPU time. A test in `test/store/group-commit.test.ts` shows that nothing remains.
 */
export function writeClaimed(
  writer: Connection,
  { claim, write, release, also = [] }: ClaimedWrite,
): boolean {
  if (claim && writer.write(claim.sql, claim.values) === 0) return false
  try {
    writer.write(write.sql, write.values)
  } catch (error) {
    if (release) undo(writer, release)
    throw error
  }
  for (const one of also) writeLast(writer, one)
  return true
}

/** The writes before it must not be committed without it. An error of kind `unavailable` rolls back all that share the commit. */
function writeLast(writer: Connection, { sql, values }: Write): void {
  try {
    writer.write(sql, values)
  } catch (cause) {
    throw new StoreError('unavailable', 'SQLite: the last of several writes failed', {
      reason: reasonOf(cause),
      cause,
    })
  }
}

/** A claim that cannot be deleted must not be committed. An error of kind `unavailable` rolls back all that share the commit. */
function undo(writer: Connection, { sql, values }: Write): void {
  // A full disk or a failed read may have ended the transaction, and the DELETE would be a transaction of its own.
  if (!writer.inTransaction) return
  try {
    writer.write(sql, values)
  } catch (cause) {
    throw new StoreError('unavailable', 'SQLite: a claim could not be undone', { cause })
  }
}
