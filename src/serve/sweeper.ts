import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'

const batch = 200
const pauseMs = 60_000

export interface Sweeper {
  stop(): Promise<void>
}

/** Deletes expired idempotency keys a few at a time. Housekeeping only: expiry is judged when a key is read. */
export function startSweeper(store: Store, clock: Clock, pause = pauseMs): Sweeper {
  let running: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    running = sweep(store, clock).catch(() => {
      // The store is away: the next round comes soon enough.
    })
  }, pause)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}

/** Small batches, so that no request waits long behind one. */
export async function sweep(store: Store, clock: Clock): Promise<void> {
  const { dialect } = store
  const find = `SELECT "account_id", "key" FROM "nounkit_idempotency" WHERE "expires_at" <= ${dialect.param(1, 'integer')} LIMIT ${batch}`
  const forget = `DELETE FROM "nounkit_idempotency" WHERE "account_id" = ${dialect.param(1, 'id')} AND "key" = ${dialect.param(2, 'string')} AND "expires_at" <= ${dialect.param(3, 'integer')} RETURNING 1`
  for (;;) {
    const now = clock.now()
    const expired = await store.all(find, [now])
    if (expired.length === 0) return
    await store.transaction(async (tx) => {
      for (const [account = '', key = ''] of expired) await tx.first(forget, [account, key, now])
    })
  }
}
