import { ident } from '../../plan/dialect.ts'
import type { Step } from '../migration-step.ts'
import { type Move, movesOf } from '../plan/name-moves.ts'
import type { RenameSql } from '../plan/rename-sql.ts'
import { type Found, formerObjectNames, indexMoves, withNames } from '../plan/rename-steps.ts'
import type { PresentTable } from '../present.ts'
import { postgresConversions } from './conversions.ts'
import * as ddl from './ddl.ts'

export const postgresRenames: RenameSql<PresentTable> = {
  conversions: postgresConversions,

  renamedTable: withNames,

  /** PostgreSQL does not rename indexes and constraints with their table and columns, so separate steps do. */
  oldNames(found, there) {
    const { name } = found.table
    const indexes = indexMoves(found, there)
    const constraints = constraintMoves(found, there)
    const alter = `ALTER TABLE ${ident(name)} RENAME CONSTRAINT`
    return {
      steps: [
        ...indexes.map((move) => step(name, `ALTER INDEX ${ident(move.from)} RENAME`, move)),
        ...constraints.map((move) => step(name, `${alter} ${ident(move.from)}`, move)),
      ],
      after: {
        ...there,
        indexes: new Map([...there.indexes].map(([one, index]) => [nameAfter(indexes, one), index])),
        foreignKeys: new Map(
          [...there.foreignKeys].map(([columns, key]) => [
            columns,
            { ...key, name: key.name && nameAfter(constraints, key.name) },
          ]),
        ),
        checks: new Map([...there.checks].map(([one, check]) => [nameAfter(constraints, one), check])),
      },
    }
  },

  /** The check allows the old values and not yet the new ones, so it is dropped and added again. */
  aroundValues({ table, lineage }, there, check, gone, updates) {
    const names = [check.name, ...formerObjectNames(lineage, [check.column], 'check')]
    const old = names.find((name) => there.checks.has(name))
    const present = old === undefined ? undefined : there.checks.get(old)
    if (old === undefined || !present) return { sql: updates, after: there }
    const values = new Set([...present.values, ...check.values].filter((value) => !gone.has(value)))
    const checks = new Map(there.checks)
    checks.delete(old)
    checks.set(check.name, { values, valid: false })
    return {
      sql: [ddl.dropConstraint(table, old), ...updates, ddl.addCheck(table, check, [...values])],
      after: { ...there, checks },
    }
  },
}

const nameAfter = (moves: readonly Move[], name: string): string =>
  moves.find(({ from }) => from === name)?.to ?? name

const step = (table: string, what: string, { from, to }: Move): Step => ({
  table,
  sql: `${what} TO ${ident(to)}`,
  additive: true,
  why: `${from} is ${to} now`,
})

function constraintMoves({ table, lineage }: Found, there: PresentTable): readonly Move[] {
  const keys = table.foreignKeys.map(({ name, columns }) => ({
    name,
    former: formerObjectNames(lineage, columns, 'fkey'),
  }))
  const checks = table.checks.map(({ name, column }) => ({
    name,
    former: formerObjectNames(lineage, [column], 'check'),
  }))
  const present = [...there.foreignKeys.values()].flatMap(({ name }) => name ?? [])
  return [...movesOf(keys, present), ...movesOf(checks, there.checks.keys())]
}
