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

/**
 * Small batches, so that no request waits long behind one. The oldest expire first, unless the time that keys are kept was
 * shortened meanwhile: then some of the new ones wait behind the old.
 */
export async function sweep(store: Store, clock: Clock): Promise<void> {
  const { dialect } = store
  const find = `SELECT "account_id", "key", "expires_at" FROM "nounkit_idempotency" ${dialect.oldestFirst('expires_at')} LIMIT ${batch}`
  const forget = `DELETE FROM "nounkit_idempotency" WHERE "account_id" = ${dialect.param(1, 'id')} AND "key" = ${dialect.param(2, 'string')} AND "expires_at" <= ${dialect.param(3, 'integer')} RETURNING 1`
  for (;;) {
    const now = clock.now()
    const oldest = await store.all(find, [])
    const expired = oldest.filter(([, , expiresAt]) => Number(expiresAt) <= now)
    await store.transaction(async (tx) => {
      for (const [account = '', key = ''] of expired) await tx.first(forget, [account, key, now])
    })
    if (expired.length < batch) return
  }
}
