import type { CodecName } from '../../src/declare/change.ts'
import type { Store } from '../../src/store/store.ts'

interface Conversion {
  readonly type: string
  readonly from: (column: string) => string
}

const onPostgres: { readonly [C in CodecName]: Conversion } = {
  'integer-as-string': { type: 'bigint', from: (x) => `${x}::bigint` },
  'cents-as-decimal-string': { type: 'bigint', from: (x) => `round(${x}::numeric * 100)::bigint` },
  'boolean-as-integer': { type: 'boolean', from: (x) => `${x} <> 0` },
  'datetime-as-unix-seconds': { type: 'timestamp(3) with time zone', from: (x) => `to_timestamp(${x})` },
}

const onSqlite: { readonly [C in CodecName]: Conversion } = {
  'integer-as-string': { type: 'INTEGER', from: (x) => `CAST(${x} AS INTEGER)` },
  'cents-as-decimal-string': {
    type: 'INTEGER',
    from: (x) => `CAST(round(CAST(${x} AS REAL) * 100) AS INTEGER)`,
  },
  'boolean-as-integer': { type: 'INTEGER', from: (x) => x },
  'datetime-as-unix-seconds': {
    type: 'TEXT',
    from: (x) => `strftime('%Y-%m-%dT%H:%M:%S.000Z', ${x}, 'unixepoch')`,
  },
}

/** Gives a column the type and values of the newer version, as somebody would by hand before `migrate`. */
export async function convertColumn(
  store: Store,
  table: string,
  column: string,
  codec: CodecName,
): Promise<void> {
  const statements = store.dialect.name === 'sqlite' ? sqlite : postgres
  await store.session(async (session) => {
    const indexes = await session.all(indexesOf[store.dialect.name](table, column))
    for (const statement of statements(table, column, codec, indexes.map(String)))
      await session.script(statement)
  })
}

const indexesOf = {
  sqlite: (table: string, column: string) =>
    `SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = '${table}' AND instr(sql, '"${column}"') > 0`,
  postgres: () => 'SELECT 1 WHERE false',
}

/** SQLite cannot change a type, nor drop a column that an index has; `migrate` makes the indexes anew. */
const sqlite = (table: string, column: string, codec: CodecName, indexes: readonly string[]): string[] => {
  const { type, from } = onSqlite[codec]
  return [
    ...indexes.map((index) => `DROP INDEX "${index}"`),
    `ALTER TABLE "${table}" ADD COLUMN "converted" ${type}`,
    `UPDATE "${table}" SET "converted" = ${from(`"${column}"`)}`,
    `ALTER TABLE "${table}" DROP COLUMN "${column}"`,
    `ALTER TABLE "${table}" RENAME COLUMN "converted" TO "${column}"`,
  ]
}

const postgres = (table: string, column: string, codec: CodecName): string[] => {
  const { type, from } = onPostgres[codec]
  return [`ALTER TABLE "${table}" ALTER COLUMN "${column}" TYPE ${type} USING ${from(`"${column}"`)}`]
}
