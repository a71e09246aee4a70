import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import type { SeedRow } from '../declare/api.ts'
import { bound } from '../plan/bind.ts'
import { insertRow } from '../plan/mutate.ts'
import { serverValue } from '../run/rules.ts'
import { bindSlots } from '../run/run.ts'
import { type Store, StoreError, type Transaction } from '../store/store.ts'

const mark = 'seeded'

/** Puts the declared rows into a store that has never been seeded: once, by one process, all or nothing. */
export async function seedEmpty(store: Store, model: Model, clock: Clock): Promise<void> {
  const { seed } = model.declaration
  if (!seed) return
  const { dialect } = store
  const known = await store.first(
    `SELECT 1 FROM "nounkit_meta" WHERE "key" = ${dialect.param(1, 'string')}`,
    [mark],
  )
  if (known) return
  // Asked before the transaction: on a cluster, one that has looked through all accounts may not write shared rows.
  const filled = await hasRows(store, model)
  await unlessSeeding(store, async (tx) => {
    const now = new Date(clock.now()).toISOString()
    const claim = `INSERT INTO "nounkit_meta" ("key", "value") VALUES (${dialect.param(1, 'string')}, ${dialect.param(2, 'string')}) ON CONFLICT DO NOTHING RETURNING 1`
    if (!(await tx.first(claim, [mark, now]))) return
    if (filled) return
    for (const row of seed.shared?.() ?? []) await insertSeed(tx, model, '', row, now)
    for (const account of seed.accounts) {
      for (const row of seed.account?.(account) ?? []) await insertSeed(tx, model, account, row, now)
    }
  })
}

const longestSeedMs = 10 * 60_000

/** Another process that seeds holds the mark, perhaps longer than a request would wait for a lock. */
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
  for (const resource of model.resources.values()) {
    if (await store.first(`SELECT 1 FROM "${resource.table}" LIMIT 1`, [])) return true
  }
  return false
}

async function insertSeed(
  tx: Transaction,
  model: Model,
  account: string,
  seed: SeedRow,
  now: string,
): Promise<void> {
  const resource = model.resources.get(seed.resource)
  if (!resource) throw new Error(`The seed names the resource "${seed.resource}", which does not exist.`)
  const values = resource.fields.map((field) =>
    bound(field.kind, seed.values[field.name] ?? serverValue(field, seed.values.id, now)),
  )
  const insert = insertRow(resource, tx.dialect)
  await tx.first(insert.text, bindSlots(insert.slots, { account, values }))
}
