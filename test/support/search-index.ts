import { DatabaseSync } from 'node:sqlite'
import type { Model } from '../../src/compile/model.ts'
import { ident } from '../../src/plan/dialect.ts'
import { type SearchIndex, searchIndexes, wordsOfRow } from '../../src/plan/search-index.ts'
import type { Store } from '../../src/store/store.ts'

/**
 * Rows whose words in the store are not those of their texts, and, on SQLite, words in the index that no row has: there must never be one,
 * but for rows that are marked as waiting for their words, of which their number is given.
 */
export async function staleWords(
  model: Model,
  store: Store,
  url: string,
): Promise<{ stale: string[]; waiting: number }> {
  const stale: string[] = []
  let waiting = 0
  for (const resource of model.stored.values())
    for (const index of searchIndexes(resource)) {
      const account = resource.shared ? `''` : '"account_id"'
      const texts = index.fields.map(({ column }) => ident(column)).join(', ')
      const rows = await store.all(
        `SELECT ${account}, "id", ${ident(index.words)}, CASE WHEN ${ident(index.version)} = "version" THEN 1 ELSE 0 END, ${texts} FROM ${ident(resource.table)}`,
        [],
      )
      const indexed = new Map<string, string>()
      for (const [owner, id, words, isCurrent, ...values] of rows) {
        const row = Object.fromEntries(index.fields.map(({ name }, at) => [name, values[at]]))
        if (words !== null) indexed.set(`${owner} ${id}`, String(words))
        if (!isCurrent) waiting++
        else if (words !== wordsOfRow(resource, index, String(owner), row))
          stale.push(`${resource.name} ${id}: ${words}`)
      }
      if (url.startsWith('sqlite:'))
        stale.push(...wrongEntries(url.replace('sqlite:', ''), index, resource.shared, indexed))
    }
  return { stale, waiting }
}

/** What FTS5 has of each row, against the words in the table. */
function wrongEntries(
  file: string,
  index: SearchIndex,
  shared: boolean,
  expected: ReadonlyMap<string, string>,
): string[] {
  const database = new DatabaseSync(file)
  try {
    database.exec(`CREATE VIRTUAL TABLE temp.entries USING fts5vocab('main', '${index.index}', 'instance')`)
    const account = shared ? `''` : 'n."account_id"'
    const found = database
      .prepare(
        `SELECT ${account} || ' ' || n."id" AS "row", e.term FROM temp.entries e LEFT JOIN ${ident(index.numbers)} n ON n."number" = e.doc ORDER BY e.term`,
      )
      .all() as { row: string | null; term: string }[]
    const words = new Map<string, string[]>()
    for (const { row, term } of found) words.set(String(row), [...(words.get(String(row)) ?? []), term])
    const sorted = (text: string) => text.split(' ').filter(Boolean).sort().join(' ')
    const wrong = [...expected].filter(
      ([row, text]) => sorted(text) !== sorted((words.get(row) ?? []).join(' ')),
    )
    const numbered = database
      .prepare(`SELECT ${account} || ' ' || n."id" AS "row" FROM ${ident(index.numbers)} n`)
      .all() as { row: string }[]
    const gone = [...words.keys(), ...numbered.map(({ row }) => row)].filter((row) => !expected.has(row))
    return [
      ...wrong.map(([row]) => `index of ${row}`),
      ...gone.map((row) => `index has ${row}, which is gone`),
    ]
  } finally {
    database.close()
  }
}
