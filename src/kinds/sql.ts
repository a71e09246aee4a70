import type { JsonText, KindInSql } from './kind.ts'

export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** JSON text that stands between quotes as it is. */
export const quoted = (sql: string): JsonText => ({ sql, isQuoted: true, writesNull: false })
/** SQL that gives JSON, and NULL for NULL. */
export const jsonSql = (sql: string): JsonText => ({ sql, isQuoted: false, writesNull: false })
/** SQL that gives JSON, and the text `null` for NULL. */
export const jsonOrNull = (sql: string): JsonText => ({ sql, isQuoted: false, writesNull: true })

/** A SQLite column of texts. */
export const sqliteText: Pick<KindInSql, 'type' | 'param' | 'literal'> = {
  type: 'TEXT',
  param: (placeholder) => placeholder,
  literal: (value) => sqlText(String(value)),
}

/** A PostgreSQL column of texts. */
export const postgresText: Pick<KindInSql, 'type' | 'param' | 'literal'> = {
  type: 'text',
  param: (placeholder) => `${placeholder}::text`,
  literal: (value) => sqlText(String(value)),
}
