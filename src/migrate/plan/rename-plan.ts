import type { Conversion, NamesRecord, Renaming } from '../../compile/stored-names.ts'
import type { Session } from '../../store/store.ts'
import type { Step } from '../migration-step.ts'
import type { PresentTable } from '../present.ts'
import { refuseUnconvertible, unconvertible } from '../rows/unconvertible.ts'
import { renameRecords } from '../sums/sums.ts'
import type { Lineage } from '../wanted/lineage.ts'
import type { Table } from '../wanted/table.ts'
import type { RenameSql } from './rename-sql.ts'
import { type Found, planRenames } from './rename-steps.ts'
import { type ValueChanges, valueSteps } from './value-steps.ts'

export interface BeforeAdditions<T> {
  readonly steps: readonly Step[]
  /** The tables and columns that the steps rename. */
  readonly renamed: readonly Found[]
  readonly renaming: Renaming
  /** The tables after the steps have run. */
  readonly present: ReadonlyMap<string, T>
}

/** The renames and the joined values of a store. They run before anything is added. */
export async function renameFirst<T extends PresentTable>(
  session: Session,
  wanted: readonly Table[],
  lineages: readonly Lineage[],
  before: ReadonlyMap<string, T>,
  renameSql: RenameSql<T>,
): Promise<BeforeAdditions<T>> {
  const renamed = planRenames(wanted, lineages, before, renameSql.renamedTable)
  const present = new Map(renamed.present)
  const values: Step[] = []
  const names: Step[] = []
  const changes = new Map<Found, ValueChanges>()
  const inTheWay: string[] = []
  for (const found of renamed.found) {
    const there = present.get(found.table.name)
    if (!there) continue
    const revalued = valueSteps(found, there, renameSql)
    const named = renameSql.oldNames(found, revalued.after)
    values.push(...revalued.steps)
    names.push(...named.steps)
    changes.set(found, revalued.changed)
    inTheWay.push(...(await unconvertible(session, found, there, renameSql.conversions)))
    present.set(found.table.name, named.after)
  }
  refuseUnconvertible(inTheWay)
  const records = await renameRecords(session, renamed.found)
  return {
    steps: [...renamed.steps, ...values, ...names, ...records],
    renamed: renamed.found,
    renaming: renamingOf(renamed.found, changes),
    present,
  }
}

function renamingOf(all: readonly Found[], changes: ReadonlyMap<Found, ValueChanges>): Renaming {
  const tables: { [table: string]: string } = {}
  const columns: { [table: string]: { [column: string]: string } } = {}
  const values: { [column: string]: { [value: string]: string } } = {}
  for (const found of all) {
    const { name, table } = found
    if (name !== table.name) tables[name] = table.name
    if (found.columns.length > 0)
      columns[name] = Object.fromEntries(found.columns.map(({ from, to }) => [from, to]))
    for (const [column, changed] of changes.get(found) ?? []) {
      const then = found.columns.find(({ to }) => to === column)?.from ?? column
      values[`${name}.${then}`] = Object.fromEntries(changed)
    }
  }
  return { tables, columns, values }
}

/** The record after its names were changed so, for what was converted. */
export function movedNames(
  { versions, moves, converted, restricting, absent }: NamesRecord,
  renaming: Renaming,
  conversions: readonly Conversion[],
): NamesRecord {
  const { tables, columns, values } = renaming
  const isMoved = [tables, columns, values].some((some) => Object.keys(some).length > 0)
  const moved = Object.entries(versions).map(([version, resources]) => [
    version,
    Object.fromEntries(
      Object.entries(resources).map(([name, { table, fields }]) => [
        name,
        {
          table: tables[table] ?? table,
          fields: Object.fromEntries(
            Object.entries(fields).map(([field, named]) => {
              const { column, up, down } = named
              const changed = values[`${table}.${column}`] ?? {}
              return [
                field,
                {
                  ...named,
                  column: columns[table]?.[column] ?? column,
                  ...(Object.keys(changed).length > 0 && valuesAfter(changed, up, down)),
                },
              ]
            }),
          ),
        },
      ]),
    ),
  ])
  const known = new Set(converted.map(({ version, what }) => `${version} ${what}`))
  return {
    versions: Object.fromEntries(moved),
    moves: isMoved ? [...moves, renaming] : moves,
    restricting: restricting.map((reference) => {
      const [table = '', column = ''] = reference.split('.')
      return `${tables[table] ?? table}.${columns[table]?.[column] ?? column}`
    }),
    absent: Object.fromEntries(
      Object.entries(absent).map(([key, { value, state }]) => {
        const [table = '', column = ''] = key.split('.')
        const changed = values[key]?.[String(value)]
        return [
          `${tables[table] ?? table}.${columns[table]?.[column] ?? column}`,
          { value: changed ?? value, state },
        ]
      }),
    ),
    converted: [...converted, ...conversions.filter(({ version, what }) => !known.has(`${version} ${what}`))],
  }
}

type Words = { readonly [word: string]: string }

function valuesAfter(
  changed: Words,
  up: Words = {},
  down: Words = {},
): { readonly up: Words; readonly down: Words } {
  const written = { ...Object.fromEntries(Object.keys(changed).map((value) => [value, value])), ...up }
  const shown = { ...Object.fromEntries(Object.keys(changed).map((value) => [value, value])), ...down }
  // Of values that are joined, what the one that stays was shown as is what is shown.
  const entries = Object.entries(shown).map(([kept, word]) => [changed[kept] ?? kept, word] as const)
  return {
    up: Object.fromEntries(Object.entries(written).map(([word, kept]) => [word, changed[kept] ?? kept])),
    down: Object.fromEntries(entries.reverse()),
  }
}
