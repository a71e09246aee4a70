import { type Row, type Session, textOrNull } from '../../store/store.ts'
import { emptyTable, type PresentTable } from '../present.ts'

type Found = ReturnType<typeof emptyTable>

const here = `JOIN pg_catalog.pg_class AS t ON t.oid =`
const inSchema = `t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p')`

const columnsSql = `
  SELECT t.relname::text, a.attname::text,
    pg_catalog.format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attcollation IN (0, '"C"'::regcollation) THEN '' ELSE ' collate ' || a.attcollation::regcollation::text END,
    (NOT a.attnotnull)::int, pg_catalog.pg_get_expr(d.adbin, d.adrelid)
  FROM pg_catalog.pg_attribute AS a ${here} a.attrelid
  LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE ${inSchema} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, a.attnum`

const indexesSql = `
  SELECT t.relname::text, c.relname::text, i.indisunique::int, (i.indisvalid AND i.indisready)::int
  FROM pg_catalog.pg_index AS i ${here} i.indrelid JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
  WHERE ${inSchema}`

const constraintsSql = `
  SELECT t.relname::text, k.contype::text, k.conname::text, k.convalidated::int, f.relname::text, k.confdeltype::text,
    (SELECT string_agg(a.attname, ',' ORDER BY o.n) FROM unnest(k.conkey) WITH ORDINALITY AS o (attnum, n)
      JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = o.attnum),
    (SELECT string_agg(a.attname, ',' ORDER BY o.n) FROM unnest(k.confkey) WITH ORDINALITY AS o (attnum, n)
      JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.confrelid AND a.attnum = o.attnum),
    pg_catalog.pg_get_constraintdef(k.oid)
  FROM pg_catalog.pg_constraint AS k ${here} k.conrelid LEFT JOIN pg_catalog.pg_class AS f ON f.oid = k.confrelid
  WHERE ${inSchema} AND k.contype IN ('f', 'c')`

/** Every table of the schema that comes first in the search path. */
export async function readPostgres(session: Session): Promise<ReadonlyMap<string, PresentTable>> {
  const tables = new Map<string, Found>()
  const spread = await spreadTables(session)
  for (const row of await session.all(columnsSql)) readColumn(tables, spread, row)
  for (const [table, name, unique, valid] of await session.all(indexesSql))
    tables.get(String(table))?.indexes.set(String(name), { unique: unique === 1, valid: valid === 1 })
  for (const row of await session.all(constraintsSql)) readConstraint(tables, row)
  return tables
}

/** The tables that are distributed by Citus; none without Citus. */
async function spreadTables(session: Session): Promise<ReadonlySet<string>> {
  const [there] = await session.all(`SELECT to_regclass('pg_dist_partition') IS NOT NULL`)
  if (there?.[0] !== 1) return new Set()
  const rows = await session.all(
    `SELECT t.relname::text FROM pg_dist_partition AS p ${here} p.logicalrelid WHERE ${inSchema}`,
  )
  return new Set(rows.map(([name]) => String(name)))
}

function readColumn(tables: Map<string, Found>, spread: ReadonlySet<string>, row: Row): void {
  const [table, name, type, nullable, value] = row
  const found = tables.get(String(table)) ?? emptyTable(String(table), spread.has(String(table)))
  tables.set(found.name, found)
  found.columns.set(String(name), {
    name: String(name),
    type: String(type),
    nullable: nullable === 1,
    default: textOrNull(value),
  })
}

function readConstraint(tables: Map<string, Found>, row: Row): void {
  const [table, kind, name, valid, target, onDelete, columns, references, definition] = row
  const found = tables.get(String(table))
  if (kind === 'c')
    found?.checks.set(String(name), { values: literalsOf(String(definition)), valid: valid === 1 })
  else
    found?.foreignKeys.set(String(columns), {
      name: String(name),
      table: String(target),
      references: String(references).split(','),
      onDelete: onDelete === 'c' ? 'cascade' : 'refuse',
      valid: valid === 1,
    })
}

/** `CHECK ((status = ANY (ARRAY['draft'::text, E'a\\b'::text])))` */
function literalsOf(definition: string): ReadonlySet<string> {
  const literals = definition.matchAll(/(E?)'((?:[^']|'')*)'/g)
  return new Set(
    [...literals].map(([, escaped, text = '']) => {
      const plain = text.replaceAll("''", "'")
      return escaped ? plain.replaceAll('\\\\', '\\') : plain
    }),
  )
}
