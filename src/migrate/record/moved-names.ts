import type { Conversion, NamesRecord, Renaming } from '../../compile/stored-names.ts'
import type { TableChange } from '../plan/table-change.ts'

/** The new names of tables, columns and values. */
export function renamingOf(changes: readonly TableChange[]): Renaming {
  const tables: { [table: string]: string } = {}
  const columns: { [table: string]: { [column: string]: string } } = {}
  const values: { [column: string]: { [value: string]: string } } = {}
  for (const { from, table, columns: plans } of changes.filter((one) => one.kind === 'reshape')) {
    if (from !== table.name) tables[from] = table.name
    const moved = plans.flatMap(({ column, from: then }): [string, string][] =>
      then !== null && then !== column.name ? [[then, column.name]] : [],
    )
    if (moved.length > 0) columns[from] = Object.fromEntries(moved)
    for (const { column, from: then, mapped } of plans)
      if (mapped.size > 0) values[`${from}.${then ?? column.name}`] = Object.fromEntries(mapped)
  }
  return { tables, columns, values }
}

/** The record after its names were changed so, for what was converted. */
export function movedNames(
  { versions, moves, converted, restricting, refusing, absent, counting }: NamesRecord,
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
  const renamed = (key: string): string => {
    const [table = '', column = ''] = key.split('.')
    return `${tables[table] ?? table}.${columns[table]?.[column] ?? column}`
  }
  const known = new Set(converted.map(({ version, what }) => `${version} ${what}`))
  return {
    versions: Object.fromEntries(moved),
    moves: isMoved ? [...moves, renaming] : moves,
    restricting: restricting.map(renamed),
    refusing: refusing.map(renamed),
    counting: counting.map(renamed),
    absent: Object.fromEntries(
      Object.entries(absent).map(([key, { value, state }]) => {
        const changed = values[key]?.[String(value)]
        return [renamed(key), { value: changed ?? value, state }]
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
  // Where values are joined, versions show what they showed for the value that stays.
  const entries = Object.entries(shown).map(([kept, word]) => [changed[kept] ?? kept, word] as const)
  return {
    up: Object.fromEntries(Object.entries(written).map(([word, kept]) => [word, changed[kept] ?? kept])),
    down: Object.fromEntries(entries.reverse()),
  }
}
