import type { Model } from '../../compile/model.ts'
import { grownNames, namesOf } from '../../compile/names-of.ts'
import { codecs } from '../../compile/versions/codecs.ts'
import { metaFacts, metaTable, upsertMeta } from '../../store/meta.ts'
import { type Session, StoreRefused } from '../../store/store.ts'
import type { ChangePlan } from '../plan/change-plan.ts'
import { type Move, movesOf } from '../plan/renames.ts'
import { type ColumnPlan, keptColumn, type Reshape } from '../plan/table-change.ts'
import type { TableSql } from '../plan/table-sql.ts'
import type { Present, PresentTable } from '../present.ts'
import { movedNames, renamingOf } from '../record/moved-names.ts'
import { nextGeneration } from '../record/store-generation.ts'
import { type MadeColumns, madeColumns } from '../rows/made-columns.ts'
import type { Reading } from '../rows/scan.ts'
import { refuseUnconvertible, unconvertible } from '../rows/unconvertible.ts'
import { type Lineage, lineagesOf } from '../wanted/lineage.ts'
import type { Column, Table } from '../wanted/table.ts'
import { wantedTables } from '../wanted/wanted-tables.ts'

/** A declaration, with and without the names that the store has for it. */
interface ByChangeLists {
  readonly declared: Model
  readonly bound: Model
  /** Whether the store gets the declared names. */
  readonly tidy: boolean
  /** Whether the tables are distributed over a Citus cluster, or will be. */
  readonly spread: boolean
}

/** What change lists say of a store that published versions serve: types by their codec, joined values, and names where it is tidied up. */
export async function byChangeLists(
  session: Session,
  { declared, bound, tidy, spread }: ByChangeLists,
  found: Present,
  sql: TableSql,
): Promise<ChangePlan> {
  const wanted = wantedTables(tidy ? declared : bound)
  const lineages = lineagesOf(declared, bound, tidy)
  const made = await madeByCustom({ session, dialect: sql.dialect }, bound, found)
  if (tidy && made.size > 0)
    throw new StoreRefused('Run nounkit migrate before nounkit migrate --tidy. Nothing was changed.')
  const changes = changesOf(wanted, lineages, found, sql, made)
  if (spread && changes.length > 0 && ![...found.values()].some((table) => table.spread))
    throw new StoreRefused(
      'A store is distributed before it is released, or a migration that is killed could not be run again. Nothing was changed. First run nounkit migrate --citus with the declaration that serves it now, then nounkit migrate with this one.',
    )
  const inTheWay = [...made.values()].flatMap((one) => one.inTheWay)
  for (const change of changes)
    inTheWay.push(...(await unconvertible(session, change, found.get(change.from), sql.conversions)))
  refuseUnconvertible(inTheWay)
  const converted = changes.flatMap(({ table, columns }) =>
    columns.flatMap(({ column, codec }) =>
      codec ? [{ version: column.was?.newer ?? '', what: `${table.name}.${column.name}` }] : [],
    ),
  )
  const filled = [...made].flatMap(([table, { columns, version }]) =>
    [...columns.keys()].map(({ name }) => ({ version, what: `${table}.${name}` })),
  )
  // On Citus additions come later, in transactions of their own: the record would name what a killed migration has not added.
  const names =
    spread && !tidy
      ? bound.names
      : { ...bound.names, versions: grownNames(bound.names.versions, namesOf(bound)) }
  const recording = (renamed: readonly Reshape[]) => {
    const after = movedNames(names, renamingOf(renamed), [...joined(bound), ...converted, ...filled])
    return upsertMeta(metaFacts.names.key, JSON.stringify(after))
  }
  return {
    changes,
    notes: [],
    losses: [],
    refusals: [],
    outdates: false,
    // What a sum adds up is recorded in names of the store.
    recounts: tidy && changes.length > 0,
    // What additions add to the record of names is written apart, by whoever is first.
    ...(spread && { shutsOut: [recording([]), nextGeneration] }),
    record: (_hasSteps, stops) => (stops ? [recording(changes), ...(spread ? [] : [nextGeneration])] : []),
  }
}

/** By table. Without nounkit_meta the tables are another program's. */
async function madeByCustom(
  reading: Reading,
  bound: Model,
  found: Present,
): Promise<ReadonlyMap<string, MadeColumns>> {
  const all = new Map<string, MadeColumns>()
  for (const resource of found.has(metaTable) ? bound.stored.values() : []) {
    const table = found.get(resource.table)
    const made = table && (await madeColumns(reading, bound, resource, table))
    if (made) all.set(resource.table, made)
  }
  return all
}

/** Values that several became one, each with the version that joins them. They are joined along with anything else that stops older processes. */
const joined = ({ stored }: Model) =>
  [...stored.values()].flatMap(({ name, fields }) =>
    fields.flatMap(({ name: field, stored }) =>
      stored?.joinedFor ? [{ version: stored.joinedFor, what: `${name}.${field}` }] : [],
    ),
  )

function changesOf(
  wanted: readonly Table[],
  lineages: readonly Lineage[],
  present: Present,
  sql: TableSql,
  made: ReadonlyMap<string, MadeColumns>,
): readonly Reshape[] {
  // Without nounkit_meta the tables are another program's.
  if (!present.has(metaTable)) return []
  const moves = movesOf(
    lineages.map(({ table, was }) => ({ name: table, former: was === table ? [] : [was] })),
    present.keys(),
  )
  const moved = new Set(moves.map(({ from }) => from))
  return lineages.flatMap((lineage) => {
    const table = wanted.find(({ name }) => name === lineage.table)
    const from = moves.find(({ to }) => to === lineage.table)?.from ?? lineage.table
    const found = from === lineage.table && moved.has(from) ? undefined : present.get(from)
    return table && found ? changeOf(table, found, lineage, sql, made.get(from)) : []
  })
}

/** Columns that the store lacks are added later, but for those that are made from others. */
function changeOf(
  table: Table,
  found: PresentTable,
  lineage: Lineage,
  sql: TableSql,
  made: MadeColumns | undefined,
): readonly Reshape[] {
  const moves = columnMoves(lineage, found)
  const moved = new Set(moves.map(({ from }) => from))
  const columns = table.columns.flatMap((column): ColumnPlan[] => {
    const { name } = column
    const from = moves.find(({ to }) => to === name)?.from ?? (moved.has(name) ? undefined : name)
    const present = from === undefined ? undefined : found.columns.get(from)
    if (from === undefined || !present) return []
    const mapped = new Map([...(lineage.values.get(name) ?? [])].filter(([old, now]) => old !== now))
    return [{ ...keptColumn(column, from), mapped, codec: codecOf(table, column, present.type, sql) }]
  })
  const added = [...(made?.columns ?? [])].flatMap(([field, fitting]): ColumnPlan[] => {
    const column = table.columns.find(({ name }) => name === field.column)
    return column ? [{ ...keptColumn(column, null), values: 'recast', scanned: { fitting, unfit: [] } }] : []
  })
  const isSame =
    found.name === table.name &&
    added.length === 0 &&
    moves.length === 0 &&
    columns.every(({ codec, mapped }) => codec === null && mapped.size === 0)
  if (isSame) return []
  const why = made ? { why: made.why } : {}
  const all = [...columns, ...added]
  return [
    { kind: 'reshape', table, from: found.name, columns: all, undeclared: 'kept', revises: false, ...why },
  ]
}

function columnMoves({ columns }: Lineage, found: PresentTable): readonly Move[] {
  const named = [...columns].map(([name, old]) => ({ name, former: old === name ? [] : [old] }))
  return movesOf(named, found.columns.keys())
}

/** The codec of a column that the store has in the type of an older version. */
function codecOf(
  table: Table,
  { name, kind, was }: Column,
  found: string,
  { columnType }: TableSql,
): ColumnPlan['codec'] {
  if (!was || found === columnType(kind).toLowerCase()) return null
  if (found !== columnType(codecs[was.codec].older).toLowerCase()) return null
  const why = `${table.name}.${name} was ${found} in ${was.version} and is ${columnType(kind)} now, by ${was.codec}`
  return { name: was.codec, why }
}
