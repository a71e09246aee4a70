import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { sqlite } from '../../src/plan/sqlite.ts'

const index = { words: 'words', version: 'version', index: 'i', numbers: 'n', terms: 'i_terms', waiting: 'w' }

test('FTS5 is asked for whole words, of which it gives the first rows without reading the others', () => {
  const database = new DatabaseSync(':memory:')
  database.exec(`CREATE VIRTUAL TABLE "i" USING fts5("words", content='', contentless_delete=1, detail=none, tokenize='ascii');
    CREATE VIRTUAL TABLE "i_terms" USING fts5vocab('i', 'instance')`)
  const insert = database.prepare('INSERT INTO "i" (rowid, "words") VALUES (?, ?)')
  for (const [row, words] of ['ada lov', 'adam eve', 'adç', 'ad', 'zoo', 'ae'].entries())
    insert.run(row, words)
  for (let at = 1; at <= 18; at++) insert.run(100 + at, `many${at}`)
  database.exec('DELETE FROM "i" WHERE rowid = 4')
  const asked = (...words: readonly string[]): string =>
    Object.values(
      database
        .prepare(
          `SELECT ${sqlite.asked(
            index,
            words.map((_, at) => `?${at + 1}`),
          )}`,
        )
        .get(...words.map((word) => ` ${word}`)) ?? {},
    ).join()
  expect(asked('ada')).toBe('("ada" OR "adam")')
  expect(asked('ad', 'lo')).toBe('("ad" OR "ada" OR "adam" OR "adç") AND ("lov")')
  expect(asked('nobody')).toBe('("nobody")')
  expect(asked('zo')).toBe('("zo")')
  // Each word costs more to ask for, so that the beginning of many is left to FTS5.
  expect(asked('many1')).toBe(`(${['', ...Array(9).keys()].map((n) => `"many1${n}"`).join(' OR ')})`)
  expect(asked('many')).toBe('("many"*)')
  database.close()
})
