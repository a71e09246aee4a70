import { sqlText } from '../../kinds/sql.ts'
import { ident } from '../../plan/dialect.ts'
import type { Session } from '../store.ts'
import type { Lineage } from './lineage.ts'
import type { Step } from './migration-step.ts'
import { cyclesOf } from './name-moves.ts'
import type { PresentTable } from './present.ts'
import type { RenameSql } from './rename-sql.ts'
import type { Found } from './rename-steps.ts'
import type { Table } from './table.ts'
import { formerValues } from './value-steps.ts'

/** Names that were swapped. The store looks the same before and after, so a row of nounkit_meta records that it was done. */
interface Swap {
  readonly table: string
  readonly version: string
  /** `orders.status: open=placed placed=open` */
  readonly what: string
  /** Whether the store may have rows from before the swap. */
  readonly there: boolean
  readonly sql: readonly string[]
}

const prefix = 'swapped '

/** Steps for swaps that are not recorded. A swap that old rows may still need is refused; any other is only recorded. */
export async function swapSteps<T extends PresentTable>(
  session: Session,
  wanted: readonly Table[],
  lineages: readonly Lineage[],
  before: ReadonlyMap<string, PresentTable>,
  renamed: { readonly found: readonly Found[]; readonly present: ReadonlyMap<string, T> },
  renameSql: RenameSql<T>,
): Promise<readonly Step[]> {
  const { found, present } = renamed
  const swaps = [
    ...tableSwaps(lineages, before),
    ...lineages.flatMap((lineage) => {
      const table = wanted.find(({ name }) => name === lineage.table)
      const one = found.find((there) => there.table.name === lineage.table)
      const there = one && before.get(one.name)
      const after = one && present.get(one.table.name)
      return table
        ? [...columnSwaps(lineage, there), ...valueSwaps(lineage, table, one, after, renameSql)]
        : []
    }),
  ]
  if (swaps.length === 0) return []
  const done = before.has('nounkit_meta') ? await recordedSwaps(session) : new Set()
  const first = new Map(swaps.toReversed().map((swap) => [swap.what, swap]))
  return [...first.values()].filter(({ what }) => !done.has(what)).map(swapStep)
}

const recordedSwaps = async (session: Session): Promise<ReadonlySet<unknown>> => {
  const rows = await session.all(`SELECT "key" FROM "nounkit_meta" WHERE "key" LIKE ${sqlText(`${prefix}%`)}`)
  return new Set(rows.map(([key]) => String(key).slice(prefix.length)))
}

function swapStep({ table, version, what, there, sql }: Swap): Step {
  const note = `INSERT INTO "nounkit_meta" ("key", "value") VALUES (${sqlText(prefix + what)}, ${sqlText('done')})`
  if (!there) return { table, sql: note, additive: true, why: `the names of ${what} have changed places` }
  const how =
    sql.length > 0
      ? `Run all of this if its rows were last written as ${version} or older, else only the INSERT`
      : `If its rows were last written as ${version} or older, rename the tables, their indexes and constraints through a third name first; then run this`
  return {
    table,
    sql: [...sql, note].join(';\n'),
    additive: false,
    why: `${what} changed places since ${version}, and the store does not show whether its rows were changed. ${how}`,
  }
}

const pairs = (map: Iterable<readonly [string, string]>): string =>
  [...map].map(([old, now]) => `${old}=${now}`).join(' ')

function tableSwaps(lineages: readonly Lineage[], before: ReadonlyMap<string, PresentTable>): Swap[] {
  const versions = new Set(lineages.flatMap(({ former }) => former.map(({ version }) => version)))
  return [...versions].flatMap((version) => {
    const nameThen = new Map(
      lineages.flatMap(({ table, former }) =>
        former.filter((one) => one.version === version).map((one) => [table, one.table] as const),
      ),
    )
    return cyclesOf(nameThen).map((cycle) => ({
      table: cycle[0] ?? '',
      version,
      what: pairs(cycle.map((name) => [nameThen.get(name) ?? name, name])),
      there: cycle.every((name) => before.has(name)),
      sql: [],
    }))
  })
}

const columnSwaps = ({ table, former }: Lineage, there: PresentTable | undefined): Swap[] =>
  former.flatMap(({ version, columns }) =>
    cyclesOf(columns).map((cycle) => {
      const set = cycle.map((name) => `${ident(name)} = ${ident(columns.get(name) ?? name)}`)
      return {
        table,
        version,
        what: `${table}: ${pairs(cycle.map((name) => [columns.get(name) ?? name, name]))}`,
        there: there !== undefined && cycle.every((name) => there.columns.has(name)),
        sql: [`UPDATE ${ident(table)} SET ${set.join(', ')}`],
      }
    }),
  )

const valueSwaps = <T extends PresentTable>(
  lineage: Lineage,
  table: Table,
  found: Found | undefined,
  there: T | undefined,
  renameSql: RenameSql<T>,
): Swap[] =>
  table.checks.flatMap((check) =>
    [...formerValues(lineage, check).reused].map(([version, mapped]) => {
      const column = ident(check.column)
      const cases = [...mapped].map(([old, now]) => `WHEN ${sqlText(old)} THEN ${sqlText(now)}`)
      const update = `UPDATE ${ident(table.name)} SET ${column} = CASE ${column} ${cases.join(' ')} ELSE ${column} END`
      const gone = new Set([...mapped.keys()].filter((old) => !check.values.includes(old)))
      return {
        table: table.name,
        version,
        what: `${table.name}.${check.column}: ${pairs(mapped)}`,
        there: there?.columns.has(check.column) ?? false,
        sql: found && there ? renameSql.aroundValues(found, there, check, gone, [update]).sql : [],
      }
    }),
  )
