import { bindSlots } from '../../src/plan/bind-slots.ts'
import type { Serving } from './serving.ts'

/** What the store does for a statement: one line per step. */
export async function explained(
  served: Serving,
  text: string,
  values: Parameters<typeof bindSlots>[1],
  slots: Parameters<typeof bindSlots>[0],
) {
  const { store } = served
  const bound = bindSlots(slots, values)
  if (served.kind === 'sqlite') {
    const rows = await store.all(`EXPLAIN QUERY PLAN ${text}`, bound)
    return rows.map((row) => String(row[3]))
  }
  // So few rows would be read whole; what matters is whether an index can be used at all.
  const rows = await store.transaction(async (tx) => {
    await tx.first('SET LOCAL enable_seqscan = off', [])
    await tx.first('SET LOCAL enable_bitmapscan = off', [])
    return tx.all(`EXPLAIN ${text}`, bound)
  })
  return rows.map((row) => String(row[0]))
}

/** A page, an embedded list, or what is measured of them: no table. */
export const derived = /^SCAN (p|t\d+[lr]|page|bytes|a|c|n|s|x|\(subquery-\d+\))$/

/** A table that is read from end to end; a walk through a primary key in order is not what an include may do either. */
export const wholeScans = (served: Serving, steps: readonly string[]): readonly string[] =>
  served.kind === 'sqlite'
    ? steps.filter((step) => /^SCAN /.test(step) && !derived.test(step))
    : steps.filter((step) => /Seq Scan/.test(step))

/** Steps that read every row of an account, or every row of a table. What is in a JSON array is read whole, and so are rows that are being measured. */
export const accountScans = (served: Serving, steps: readonly string[]): readonly string[] =>
  served.kind === 'sqlite'
    ? steps.filter((step) => /^SCAN (?!measured$|.*VIRTUAL TABLE)|\(account_id=\?\)/.test(step))
    : wholeScans(served, steps)

/** What the statistics of SQLite say of every index: the number of rows, then how many have the same first column, the same first two … */
const statistics = {
  none: null,
  'one row': { key: '1 1 1', other: '1 1 1 1' },
  'many rows': { key: '100000 100000 1', other: '100000 100000 10 1' },
}

/** Replaces the statistics. Connections read them again when the schema changes. */
export async function setStatistics({ store }: Serving, of: keyof typeof statistics): Promise<void> {
  const said = statistics[of]
  const insert =
    said &&
    `INSERT INTO sqlite_stat1 SELECT m.name, iif(i.origin = 'pk', m.name, i.name), iif(i.origin = 'pk', '${said.key}', '${said.other}')
      FROM sqlite_master m, pragma_index_list(m.name) i WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'`
  await store.session(async (session) => {
    await session.script(`ANALYZE; DELETE FROM sqlite_stat1; ${insert ?? ''}`)
    await session.script('CREATE TABLE "statistics_changed" ("x"); DROP TABLE "statistics_changed"')
  })
}
