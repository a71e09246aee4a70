import type { Clock } from '../clock.ts'
import { Mistakes } from '../compile/mistakes.ts'
import type { Model } from '../compile/model.ts'
import { insertRow } from '../plan/write-statements.ts'
import { addMeta, metaFacts, selectMeta } from '../store/meta.ts'
import { wroteOne } from '../store/run-statement.ts'
import { type Store, StoreError, type Transaction } from '../store/store.ts'
import { minuteMs } from '../times.ts'
import { type BoundSeedRow, seedRows } from './seed-rows.ts'

const mark = metaFacts.seeded.key

/** Puts the declared rows into a store that has never been seeded: once, by one process, all or nothing. */
export async function seedEmpty(store: Store, model: Model, clock: Clock): Promise<void> {
  if (!model.declaration.seed) return
  if (await store.first(selectMeta(mark), [])) return
  // Before the transaction: on Citus, a transaction that has read all accounts may not write shared rows.
  const filled = await hasRows(store, model)
  const now = clock.now()
  const rows = filled ? [] : seedRows(model, now)
  let at: BoundSeedRow | null = null
  try {
    await unlessSeeding(store, async (tx) => {
      at = null
      if (!(await wroteOne(tx, addMeta(tx.dialect, mark, new Date(now).toISOString())))) return
      for (at of rows) await insertSeed(tx, at)
      at = null
    })
  } catch (error) {
    throw at ? refusedRow(at, error) : error
  }
}

const longestSeedMs = 10 * minuteMs

/** Waits while another process seeds: it holds the lock on the mark, perhaps for longer than a lock is usually waited for. */
async function unlessSeeding(store: Store, work: (tx: Transaction) => Promise<void>): Promise<void> {
  const giveUpAt = performance.now() + longestSeedMs
  for (;;) {
    try {
      return await store.transaction(work)
    } catch (error) {
      const locked = error instanceof StoreError && error.kind === 'lock-timeout'
      if (!locked || performance.now() > giveUpAt) throw error
    }
  }
}

/** A store that was filled by hand is not empty, even if we never seeded it. */
async function hasRows(store: Store, model: Model): Promise<boolean> {
  for (const resource of model.stored.values()) {
    if (await store.first(`SELECT 1 FROM "${resource.table}" LIMIT 1`, [])) return true
  }
  return false
}

async function insertSeed(tx: Transaction, { resource, account, values }: BoundSeedRow): Promise<void> {
  const insert = insertRow(resource, tx.dialect)
  await tx.first(insert.text, insert.bind({ account, values }))
}

/** The store's own error names neither the row nor the declaration, so both are added. */
function refusedRow({ where, resource }: BoundSeedRow, error: unknown): unknown {
  const isOurs = !(error instanceof Error) || !(error instanceof StoreError || 'code' in error)
  if (isOurs || (error instanceof StoreError && /unavailable|lock-timeout/.test(error.kind))) return error
  const what = `The store refuses this row of ${resource.name}: ${error.message}.`
  return new Mistakes([{ where, what, hint: 'Correct its values. Nothing was seeded.' }])
}
