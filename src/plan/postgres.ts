import type { FieldKind } from '../compile/model.ts'
import type { CodecName } from '../declare/change.ts'
import { type Dialect, indexOrder, type Places, powerOfTwo, sqlText } from './dialect.ts'

const utc = (expression: string): string =>
  `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const casts: { readonly [K in FieldKind]: string } = {
  id: '::text',
  reference: '::text',
  string: '::text',
  enum: '::text',
  state: '::text',
  integer: '::bigint',
  number: '::float8',
  // Booleans travel as 0 and 1 on every store.
  boolean: '::int::boolean',
  date: '::text::date',
  datetime: '::text::timestamptz',
  // Without the step over text the driver would take the text for a value and quote it.
  json: '::text::json',
}

/** As JSON.stringify writes it: PostgreSQL has the same digits, but begins with exponents sooner and writes 1e-07. */
const numberText = (x: string): string =>
  `(CASE WHEN ${x} <> 0 AND abs(${x}) < 1e-6 THEN replace(${x}::text, 'e-0', 'e-') ELSE trim_scale(${x}::text::numeric)::text END)`

const plain = (expression: string, kind: FieldKind): string => {
  if (kind === 'string' || kind === 'enum' || kind === 'state') return `to_json(${expression})::text`
  if (kind === 'id' || kind === 'reference') return `'"' || ${expression} || '"'`
  if (kind === 'date') return `'"' || to_char(${expression}, 'YYYY-MM-DD') || '"'`
  if (kind === 'datetime') return `'"' || ${utc(expression)} || '"'`
  if (kind === 'number') return numberText(expression)
  // Kept as it was written, which another program may have done on several lines; those would be taken for rows.
  if (kind === 'json') return `translate(${expression}::text, E'\\n\\r\\t', '   ')`
  return `${expression}::text`
}

const decimal = (x: string): string =>
  `CASE WHEN ${x} < 0 THEN '-' ELSE '' END || (abs(${x}) / 100) || '.' || lpad((abs(${x}) % 100)::text, 2, '0')`

const encoders: { readonly [C in CodecName]: (expression: string) => string } = {
  'integer-as-string': (x) => `'"' || ${x} || '"'`,
  'boolean-as-integer': (x) => `${x}::int::text`,
  'cents-as-decimal-string': (x) => `'"' || ${decimal(x)} || '"'`,
  'datetime-as-unix-seconds': (x) => `floor(extract(epoch FROM ${x}))::bigint::text`,
}

/** A text made from a number has the collation of the database; columns of texts have "C". */
const orders: { readonly [C in CodecName]: (expression: string) => string } = {
  'integer-as-string': (x) => `(${x}::text COLLATE "C")`,
  'boolean-as-integer': (x) => x,
  'cents-as-decimal-string': (x) => `((${decimal(x)}) COLLATE "C")`,
  'datetime-as-unix-seconds': (x) => x,
}

const firstOf = (page: string): string => `('(' || ${page} || ',0)')::tid`

const places: Places = {
  by: 'place',
  pages: (table) =>
    `SELECT pg_relation_size(${sqlText(table)}::regclass) / current_setting('block_size')::bigint`,
  within: (from, to) => `ctid >= ${firstOf(from)} AND ctid < ${firstOf(to)}`,
}

export const postgres: Dialect = Object.freeze({
  name: 'postgres',
  param: (n: number, kind: FieldKind) => `$${n}${casts[kind]}`,
  json: (expression: string, kind: FieldKind, nullable: boolean) =>
    nullable ? `coalesce(${plain(expression, kind)}, 'null')` : plain(expression, kind),
  encode: (expression: string, codec: CodecName) => encoders[codec](expression),
  ordered: (expression: string, codec: CodecName) => orders[codec](expression),
  coarse: (expression: string, codec: CodecName) =>
    codec === 'datetime-as-unix-seconds' ? `date_trunc('second', ${expression})` : expression,
  concat: (pieces: readonly string[]) => `(${pieces.join(' || ')})`,
  join: (expression: string, separator: string) =>
    `string_agg(${expression}, ${postgres.literal(separator)})`,
  literal: (text: string) =>
    /[\0-\x1f]/.test(text)
      ? `E'${text
          .replaceAll('\\', '\\\\')
          .replaceAll("'", "''")
          .replace(/[\0-\x1f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)}'`
      : sqlText(text),
  // Of a bound LIMIT the planner knows nothing, takes a tenth of the table for it and plans every execution anew.
  firstRows: (select: string, bound: string, most: number) =>
    `SELECT * FROM (${select} LIMIT ${most}) f LIMIT ${bound}`,
  pageSize: powerOfTwo,
  forUpdate: ' FOR UPDATE',
  forOwnUpdate: ' FOR NO KEY UPDATE',
  nulls: (descending: boolean) => (descending ? ' NULLS LAST' : ' NULLS FIRST'),
  oldest: places,
  asText: (expression: string) => `(${expression})::text`,
  listed: (array: string) => `SELECT json_array_elements_text(${array})`,
  distinct: (a: string, b: string) => `${a} IS DISTINCT FROM ${b}`,
  insertsInQuery: true,
  afterInsertSelect: '',
})

export const postgresOnCitus: Dialect = Object.freeze({
  ...postgres,
  // Each node has pages of its own, which a statement for all of them cannot name.
  oldest: indexOrder,
  // Citus copies a row that need not be returned, and then tells of a refused one in a way that hides why.
  afterInsertSelect: ' RETURNING 1',
})
