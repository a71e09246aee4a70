import { setTimeout as sleep } from 'node:timers/promises'
import { type Session, type Store, StoreError, StoreRefused } from '../../store/store.ts'
import { minuteMs } from '../../times.ts'
import type { MigrateOptions } from '../migration.ts'
import { holderOf } from './lock-holders.ts'

/**
 * A statement that waits for a table lock blocks every later statement on that table. So it waits no longer than this, gives up its
 * place in the queue, and tries again.
 */
const lockMs = 300
const firstPauseMs = 500
const longestPauseMs = 5_000
const giveUpMs = 10 * minuteMs
/** How often the operator is told that a step still waits. */
const tellEveryMs = 10_000

interface Patience {
  readonly tables: readonly string[]
  readonly why: string
  readonly spread: boolean
  readonly waiting: MigrateOptions['waiting']
}

/** Runs one transaction, again and again until it gets its locks. */
export async function inPatience<T>(
  store: Store,
  session: Session,
  patience: Patience,
  work: () => Promise<T>,
): Promise<T> {
  const began = performance.now()
  let told = Number.NEGATIVE_INFINITY
  const settings = [...(patience.spread ? citusSettings : []), `SET LOCAL lock_timeout = ${lockMs}`]
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    try {
      for (const statement of ['BEGIN', ...settings]) await session.script(statement)
      const done = await work()
      await session.script('COMMIT')
      return done
    } catch (error) {
      await session.script('ROLLBACK')
      if (!isLocked(error)) throw error
      const waited = performance.now() - began
      if (waited > giveUpMs) throw gaveUp(await sentence(store, patience), error)
      if (performance.now() - told > tellEveryMs) {
        told = performance.now()
        patience.waiting?.(`${await sentence(store, patience)} Trying again for up to 10 minutes.`)
      }
      await sleep(pauseMs * (0.75 + Math.random() / 2))
    }
  }
}

/**
 * The first setting passes the lock timeout on to the nodes. The second runs a step on the shards of a node one after the other: Citus
 * refuses a foreign key to a reference table after a parallel statement of the same transaction.
 */
const citusSettings = [
  `SET LOCAL citus.propagate_set_commands = 'local'`,
  `SET LOCAL citus.multi_shard_modify_mode = 'sequential'`,
]

/** Also deadlocks: the step was rolled back, and holds nothing any more. */
const isLocked = (error: unknown): boolean => {
  if (!(error instanceof StoreError)) return false
  const { code } = (error.cause ?? {}) as { code?: unknown }
  return error.kind === 'lock-timeout' || code === '40P01' || code === '40001'
}

async function sentence(store: Store, { tables, why, spread }: Patience): Promise<string> {
  const holder = await holderOf(store, tables, spread).catch(() => 'The session that has it is not known.')
  return `Waiting for a lock on ${tables.join(', ')} (${why}). ${holder}`
}

const gaveUp = (what: string, cause: unknown): StoreRefused =>
  new StoreRefused(
    `${what} It was tried for 10 minutes. End that transaction, and run the migration again.`,
    cause,
  )
