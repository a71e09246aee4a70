import { ident } from '../../plan/dialect.ts'
import type { Step } from '../migration-step.ts'
import type { Present, PresentForeignKey, PresentTable } from '../present.ts'
import { type Move, movesOf } from './renames.ts'
import type { Reshape, TableChange } from './table-change.ts'
import type { TableSql, TableStatement } from './table-sql.ts'

export interface ChangedTables {
  readonly steps: readonly Step[]
  /** The tables after the steps have run. */
  readonly present: Present
}

/**
 * The statements of all changes, in an order in which each name is free when it is taken: tables are dropped, then tables and columns get
 * their new names, then rows their new values. Additions come after them.
 */
export function changeTables(
  changes: readonly TableChange[],
  present: Present,
  sql: TableSql,
): ChangedTables {
  const drops = changes.filter((change) => change.kind === 'drop')
  const dropped = new Set(drops.map(({ table }) => table))
  const reshapes = changes.filter((change) => change.kind === 'reshape')
  const steps: Step[] = []
  const take = (table: string, why: string, statements: readonly TableStatement[]): void => {
    for (const statement of statements) {
      const step = { table, why, additive: false, stops: true, ...statement }
      const last = steps.at(-1)
      // Statements of one sentence are one step.
      const isSame = last?.table === table && last.why === step.why && !last.params && !step.params
      if (isSame) steps.splice(-1, 1, { ...last, sql: `${last.sql};\n${step.sql}` })
      else steps.push(step)
    }
  }
  for (const statement of sql.releaseReferences(present, dropped))
    take('', 'references to tables that are dropped', [{ sql: statement }])
  for (const { table, why } of drops) take(table, why, [{ sql: `DROP TABLE ${ident(table)}` }])
  const left = withoutTables(present, dropped)
  const moves = movesOf(
    reshapes.map(({ table, from }) => ({
      name: table.name,
      former: [from].filter((old) => old !== table.name),
    })),
    left.keys(),
  )
  for (const { from, to } of moves)
    take(to, `${from} is ${to} now`, [{ sql: `ALTER TABLE ${ident(from)} RENAME TO ${ident(to)}` }])
  const after = renamedTables(left, moves, sql)
  // In the order of the moves: on PostgreSQL, names of indexes are free once their table has another name.
  const placeOf = ({ table }: Reshape): number => moves.findIndex(({ to }) => to === table.name)
  for (const reshape of reshapes.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const { table } = reshape
    const found = after.get(table.name)
    if (!found) throw new Error(`The plan changes ${table.name}, which is not there`)
    const columns = columnMoves(reshape, found)
    for (const { from, to } of columns)
      take(table.name, `${table.name}.${from} is ${to} now`, [
        { sql: `ALTER TABLE ${ident(table.name)} RENAME COLUMN ${ident(from)} TO ${ident(to)}` },
      ])
    const renamed = sql.renamedObjects(reshape, sql.renamedTable(found, table.name, columns))
    take(table.name, `indexes of ${table.name} are named after its columns now`, renamed.statements)
    const reshaped = sql.reshaped(reshape, renamed.after)
    take(table.name, reshape.why ?? `rows of ${table.name} fit its declaration`, reshaped.statements)
    after.set(table.name, reshaped.after)
  }
  return { steps, present: after }
}

const withoutTables = (present: Present, dropped: ReadonlySet<string>): Present =>
  new Map(
    [...present.values()]
      .filter(({ name }) => !dropped.has(name))
      .map((table) => {
        const foreignKeys = [...table.foreignKeys].filter(([, key]) => !dropped.has(key.table))
        return [table.name, { ...table, foreignKeys: new Map(foreignKeys) }]
      }),
  )

/** A column that is dropped leaves its name to another one at once. */
function columnMoves({ columns, undeclared }: Reshape, found: PresentTable): readonly Move[] {
  const sources = new Set(columns.flatMap(({ from }) => from ?? []))
  const moved = columns.filter(({ column, from }) => from !== null && from !== column.name)
  const aside = moved.flatMap(({ column: { name } }): Move[] =>
    undeclared === 'dropped' && found.columns.has(name) && !sources.has(name)
      ? [{ from: name, to: `nounkit_dropped_${name}` }]
      : [],
  )
  const there = [...found.columns.keys()].map((name) => aside.find(({ from }) => from === name)?.to ?? name)
  const named = moved.map(({ column, from }) => ({ name: column.name, former: [from ?? ''] }))
  return [...aside, ...movesOf(named, there)]
}

/** Tables under their new names, which references to them follow. */
function renamedTables(present: Present, moves: readonly Move[], sql: TableSql): Map<string, PresentTable> {
  // A chain of renames (a → b, b → c) moves each table once.
  const now = new Map(moves.map(({ from, to }) => [from, to]))
  const nameAfter = (name: string): string => now.get(name) ?? name
  return new Map(
    [...present.values()].map((table) => {
      const name = nameAfter(table.name)
      const renamed = name === table.name ? table : sql.renamedTable(table, name, [])
      const foreignKeys = [...renamed.foreignKeys].map(([key, value]): [string, PresentForeignKey] => [
        key,
        { ...value, table: nameAfter(value.table) },
      ])
      return [name, { ...renamed, foreignKeys: new Map(foreignKeys) }]
    }),
  )
}
