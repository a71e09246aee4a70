import type { Outcome } from '../call/call.ts'
import type { Value } from '../store/store.ts'
import { actorOf } from './actor.ts'
import { changeRows } from './change-rows.ts'
import { answerValues, type KeyedRequest } from './idempotency.ts'
import { inTransaction, type OpenWrite, type WriteRequest } from './write-request.ts'

/** Another request has the key: its answer is the one to replay. */
export const keyTaken = new Error('the key was taken by another request')

/** The key of a create, and the values of its row before the answer is known. */
interface ClaimedKey {
  readonly keyed: KeyedRequest
  readonly values: readonly Value[]
}

interface Created {
  readonly answer: Outcome
  /** What later requests with the same key are answered. */
  readonly stored: { readonly body: string | null; readonly etag: string }
}

/** Creates rows in one transaction, which claims the key first and stores the answer last. */
export function createUnderKey(
  request: WriteRequest,
  key: ClaimedKey | null,
  insert: (write: OpenWrite) => Promise<Created>,
): Promise<Outcome> {
  const { writer, call } = request
  const { account } = call.caller
  const { keys } = writer
  return changeRows(writer, { account, actor: actorOf(call) }, async (changes) => {
    const write = inTransaction(request, changes)
    if (!key) return (await insert(write)).answer
    const { keyed, values } = key
    if (!(await keys.claim(changes.tx, account, values))) throw keyTaken
    keyed.claimed?.()
    try {
      const { answer, stored } = await insert(write)
      await keys.complete(changes.tx, account, keyed.key, answerValues(writer, stored.body, stored.etag))
      return answer
    } catch (error) {
      // The store may run this again, and another process may take the key before.
      keyed.released?.()
      throw error
    }
  })
}
