import { ident } from '../../plan/dialect.ts'
import type { Move } from '../plan/name-moves.ts'
import type { RenameSql } from '../plan/rename-sql.ts'
import { indexMoves, withNames } from '../plan/rename-steps.ts'
import { sqliteConversions } from './conversions.ts'
import type { SqliteTable } from './read-tables.ts'

export const sqliteRenames: RenameSql<SqliteTable> = {
  conversions: sqliteConversions,

  renamedTable: (table, name, columns) => ({
    ...withNames(table, name, columns),
    indexSql: new Map(
      [...table.indexSql].map(([index, sql]) => [
        index,
        rewritten(sql, [...columns, { from: table.name, to: name }]),
      ]),
    ),
  }),

  /** SQLite cannot rename an index: the old one is dropped, and a later step creates the missing one under its new name. */
  oldNames(found, there) {
    const moves = indexMoves(found, there)
    const stays = ([name]: readonly [string, unknown]): boolean => !moves.some(({ from }) => from === name)
    return {
      steps: moves.map(({ from, to }) => ({
        table: found.table.name,
        sql: `DROP INDEX ${ident(from)}`,
        additive: true,
        why: `index ${from} is ${to} now`,
      })),
      after: {
        ...there,
        indexes: new Map([...there.indexes].filter(stays)),
        indexSql: new Map([...there.indexSql].filter(stays)),
      },
    }
  },

  aroundValues: (_found, there, _check, _gone, updates) => ({ sql: updates, after: there }),
}

/** SQLite rewrites the text of an index when its table or a column is renamed; so does this. The index's own name is before ON. */
function rewritten(sql: string, moves: readonly Move[]): string {
  const names = new Map(moves.map(({ from, to }) => [from, to]))
  return sql.replace(/\bON\b.*$/is, (rest) =>
    rest.replaceAll(/'(?:[^']|'')*'|"([^"]+)"|\b[a-z_][a-z0-9_]*\b/gi, (word: string, quoted?: string) => {
      const after = names.get(quoted ?? word)
      return after === undefined ? word : ident(after)
    }),
  )
}
