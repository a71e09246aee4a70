import { ident, idents, type SearchNames } from '../../plan/dialect.ts'
import { freeNumber } from '../../plan/search-numbers.ts'
import type { Table } from '../wanted/table.ts'

/**
 * The index of words on SQLite: an FTS5 table, and a table with the number that it knows each row by, because tables of resources have no
 * row numbers. Numbers have the order of ids (`search-numbers.ts`), so that a page in this order is read from the index alone. Triggers keep both within the statement that writes a row, also where a process of an older declaration deletes it, or the
 * database deletes it along with another one.
 */
export interface SqliteSearch {
  readonly tables: readonly string[]
  /** The table that lists the words of the index, and stores nothing. */
  readonly terms: string
  readonly triggers: readonly SqliteTrigger[]
}

export interface SqliteTrigger {
  readonly name: string
  readonly sql: string
}

/** The tokenizer splits at spaces, and changes neither letters beyond ASCII nor our words, which have no capitals. */
const options = `content='', contentless_delete=1, detail=none, tokenize='ascii'`

export function sqliteSearch(table: Table, { words, index, numbers, terms }: SearchNames): SqliteSearch {
  const key = table.primaryKey
  const isRow = (row: 'NEW' | 'OLD') =>
    key.map((name) => `${ident(name)} = ${row}.${ident(name)}`).join(' AND ')
  const number = (row: 'NEW' | 'OLD') => `SELECT "number" FROM ${ident(numbers)} WHERE ${isRow(row)}`
  const put = [
    `INSERT INTO ${ident(numbers)} ("number", ${idents(key)}) SELECT ${freeNumber(numbers, 'NEW."id"')}, ${key.map((name) => `NEW.${ident(name)}`).join(', ')} WHERE NOT EXISTS (${number('NEW')})`,
    `INSERT OR REPLACE INTO ${ident(index)} (rowid, "words") VALUES ((${number('NEW')}), NEW.${ident(words)})`,
  ]
  const drop = [
    `DELETE FROM ${ident(index)} WHERE rowid = (${number('OLD')})`,
    `DELETE FROM ${ident(numbers)} WHERE ${isRow('OLD')}`,
  ]
  const trigger = (name: string, when: string, statements: readonly string[]): SqliteTrigger => ({
    name: `${index}_${name}`,
    sql: `CREATE TRIGGER ${ident(`${index}_${name}`)} AFTER ${when} BEGIN ${statements.join('; ')}; END`,
  })
  const [on, column] = [ident(table.name), ident(words)]
  return {
    tables: [
      `CREATE TABLE ${ident(numbers)} ("number" INTEGER PRIMARY KEY, ${key.map((name) => `${ident(name)} TEXT NOT NULL`).join(', ')}, UNIQUE (${idents(key)})) STRICT`,
      `CREATE VIRTUAL TABLE ${ident(index)} USING fts5("words", ${options})`,
    ],
    terms: `CREATE VIRTUAL TABLE ${ident(terms)} USING fts5vocab(${ident(index)}, 'instance')`,
    triggers: [
      trigger('insert', `INSERT ON ${on} WHEN NEW.${column} IS NOT NULL`, put),
      trigger('update', `UPDATE OF ${column} ON ${on} WHEN OLD.${column} IS NOT NEW.${column}`, put),
      trigger('delete', `DELETE ON ${on}`, drop),
    ],
  }
}

/** What makes all rows of a table wait for their words. */
export const forgetWords = (table: Table, { words, version }: SearchNames): string =>
  `UPDATE ${ident(table.name)} SET ${ident(words)} = NULL, ${ident(version)} = NULL WHERE ${ident(version)} IS NOT NULL`
