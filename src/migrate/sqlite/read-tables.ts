import { type Session, textOrNull } from '../../store/store.ts'
import { emptyTable, type PresentTable } from '../present.ts'

export interface SqliteTable extends PresentTable {
  /** The CREATE INDEX statements, by name. */
  readonly indexSql: ReadonlyMap<string, string>
  /** The CREATE TRIGGER statements, by name. */
  readonly triggers: ReadonlyMap<string, string>
}

/** Every table of the file. */
export async function readSqlite(session: Session): Promise<ReadonlyMap<string, SqliteTable>> {
  const tables = new Map<string, ReturnType<typeof emptySqliteTable>>()
  const found = `FROM sqlite_schema AS m JOIN`
  for (const [name] of await session.all(`SELECT name FROM sqlite_schema WHERE type = 'table'`))
    tables.set(String(name), emptySqliteTable(String(name)))
  const columns = await session.all(
    `SELECT m.name, c.name, lower(c.type), c."notnull", c.dflt_value ${found} pragma_table_info(m.name) AS c WHERE m.type = 'table' ORDER BY m.name, c.cid`,
  )
  for (const [table, name, type, notNull, value] of columns)
    tables.get(String(table))?.columns.set(String(name), {
      name: String(name),
      type: String(type),
      nullable: notNull === 0,
      default: textOrNull(value),
    })
  const indexes = await session.all(
    `SELECT m.name, i.name, i."unique", x.sql ${found} pragma_index_list(m.name) AS i LEFT JOIN sqlite_schema AS x ON x.name = i.name WHERE m.type = 'table'`,
  )
  for (const [table, name, unique, sql] of indexes) {
    tables.get(String(table))?.indexes.set(String(name), { unique: unique === 1, valid: true })
    if (sql) tables.get(String(table))?.indexSql.set(String(name), String(sql))
  }
  for (const [table, name, sql] of await session.all(
    `SELECT tbl_name, name, sql FROM sqlite_schema WHERE type = 'trigger'`,
  ))
    tables.get(String(table))?.triggers.set(String(name), String(sql))
  const keys = await session.all(
    `SELECT m.name, f.id, f."table", f."from", f."to", f.on_delete ${found} pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table' ORDER BY m.name, f.id, f.seq`,
  )
  for (const group of Map.groupBy(keys, ([table, id]) => `${table} ${id}`).values()) {
    const [table, , target, , , onDelete] = group[0] ?? []
    tables.get(String(table))?.foreignKeys.set(group.map((row) => row[3]).join(','), {
      name: null,
      table: String(target),
      references: group.map((row) => String(row[4])),
      onDelete: onDelete === 'CASCADE' ? 'cascade' : 'refuse',
      valid: true,
    })
  }
  return tables
}

const emptySqliteTable = (name: string) => ({
  ...emptyTable(name, false),
  indexSql: new Map<string, string>(),
  triggers: new Map<string, string>(),
})
