import type { ClaimedWrite } from '../store.ts'
import { type PostgresClient, rowsWritten } from './client.ts'
import { isRetryable, isUnique } from './errors.ts'
import type { PostgresSettings } from './postgres-settings.ts'
import { begin, type TransactionEnd } from './transaction.ts'

/**
 * All writes as one transaction of two round trips: BEGIN, then the writes and COMMIT together. After a statement that failed the server
 * refuses those behind it, and answers COMMIT by rolling back. BEGIN is awaited, because each statement behind a BEGIN that failed would be
 * a transaction of its own.
 */
export async function attemptClaimed(
  client: PostgresClient,
  settings: PostgresSettings,
  { claim, write, also = [] }: ClaimedWrite,
): Promise<TransactionEnd<boolean>> {
  try {
    await begin(client, settings)
  } catch (error) {
    return { kind: 'again', error }
  }
  const writes = [claim, write, ...also].filter((one) => one !== undefined)
  const written = writes.map(({ sql, values }) => client.query(sql, values, rowsWritten))
  const answers = await Promise.allSettled([...written, client.command('COMMIT')])
  const at = answers.findIndex(({ status }) => status === 'rejected')
  const failed = answers[at]
  if (failed?.status !== 'rejected') return { kind: 'done', value: true }
  const error: unknown = failed.reason
  if (claim && at === 0 && isUnique(error)) return { kind: 'done', value: false }
  return { kind: isRetryable(error) ? 'again' : 'failed', error }
}
