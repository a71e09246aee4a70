import type { Model, Resource } from '../compile/model.ts'
import { statement } from '../plan/bound-statement.ts'
import { ident } from '../plan/dialect.ts'
import { SettingMistake } from '../setting-mistake.ts'
import { forgetMeta, metaFacts, readMeta, upsertMeta } from '../store/meta.ts'
import { firstRow } from '../store/run-statement.ts'
import type { Store } from '../store/store.ts'

const { key } = metaFacts.accounts

/**
 * Refuses a store whose rows the declaration would put out of reach: those of several accounts where the API has one now, or the other way round.
 * What the API has is recorded in the store, so that its rows are looked through only when that changes.
 */
export async function refuseOtherAccounts(store: Store, { soleAccount, stored, name }: Model): Promise<void> {
  const wasOne = (await readMeta(store, key)) !== null
  if (wasOne === (soleAccount !== null)) return
  const owned = [...stored.values()].filter(({ shared }) => !shared)
  if (soleAccount === null) {
    for (const resource of owned) if (await anyRow(store, resource)) throw noLongerOne(resource)
    await store.writeOne(forgetMeta(key), [])
    return
  }
  for (const resource of owned) {
    const other =
      (await rowBeside(store, resource, '<', soleAccount)) ??
      (await rowBeside(store, resource, '>', soleAccount))
    if (other !== undefined) throw notOneYet(resource, other, name)
  }
  await store.writeOne(upsertMeta(key, 'one'), [])
}

const anyRow = async (store: Store, { table }: Resource): Promise<boolean> =>
  (await store.first(`SELECT 1 FROM ${ident(table)} LIMIT 1`, [])) !== undefined

/** An account with rows, other than the given one. Two comparisons use the index of the primary key; one with `<>` would read all rows. */
async function rowBeside(
  store: Store,
  { table }: Resource,
  side: '<' | '>',
  account: string,
): Promise<string | undefined> {
  const beside = statement(
    store.dialect,
    (bind) =>
      `SELECT "account_id" FROM ${ident(table)} WHERE "account_id" ${side} ${bind('id', account)} LIMIT 1`,
  )
  const row = await firstRow(store, beside)
  return row && String(row[0])
}

const notOneYet = (resource: Resource, account: string, api: string): SettingMistake =>
  new SettingMistake(
    `The declaration says accounts: 'one', and the store has rows of accounts, such as ${resource.name} of "${account}". Nobody could reach them. To keep those of one account: take accounts: 'one' out, run nounkit export --account ${JSON.stringify(account)}, put it back, and run nounkit import into a new store. Where no row is needed: nounkit reset --force ${api}.`,
  )

const noLongerOne = (resource: Resource): SettingMistake =>
  new SettingMistake(
    `The store was filled while the declaration said accounts: 'one', which it no longer does, and has rows of ${resource.name}. To give them to an account: put accounts: 'one' back, run nounkit export, take it out, and run nounkit import --account NAME into a new store.`,
  )
