import type { CodecName } from '../declare/change.ts'
import { type FieldKind, kinds } from '../kinds/kinds.ts'
import { sqlText } from '../kinds/sql.ts'
import {
  beyondBigint,
  type Dialect,
  ident,
  indexOrder,
  jsonOf,
  type Places,
  powerOfTwo,
  type ReferringRows,
  type SearchedRows,
  type SearchNames,
  type TypedColumn,
} from './dialect.ts'

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

/** The words of a column. The index is of this expression. */
export const wordsVector = (column: string): string =>
  `array_to_tsvector(string_to_array(${column}, ' '::text))`

export const postgres: Dialect = Object.freeze({
  name: 'postgres',
  param: (n: number, kind: FieldKind) => kinds[kind].postgres.param(`$${n}`),
  ...jsonOf((kind) => kinds[kind].postgres),
  encode: (expression: string, codec: CodecName) => encoders[codec](expression),
  ordered: (expression: string, codec: CodecName) => orders[codec](expression),
  coarse: (expression: string, codec: CodecName) =>
    codec === 'datetime-as-unix-seconds' ? `date_trunc('second', ${expression})` : expression,
  // The cast is for JSON; a text stays as it is.
  bytes: (expression: string) => `octet_length(${expression}::text)`,
  concat: (pieces: readonly string[]) => `(${pieces.join(' || ')})`,
  join: (expression: string, separator: string) => `string_agg(${expression}, ${sqlText(separator)})`,
  // For a bound LIMIT the planner assumes a tenth of the table, and plans every execution again.
  firstRows: (select: string, bound: string, most: number) =>
    `SELECT * FROM (${select} LIMIT ${most}) f LIMIT ${bound}`,
  pageSize: powerOfTwo,
  forUpdate: ' FOR UPDATE',
  forOwnUpdate: ' FOR NO KEY UPDATE',
  nulls: (descending: boolean) => (descending ? ' NULLS LAST' : ' NULLS FIRST'),
  oldest: places,
  asText: (expression: string) => `(${expression})::text`,
  listed: (array: string) => `SELECT json_array_elements_text(${array}) AS "id"`,
  listedAs: (array: string, kind: FieldKind) =>
    `SELECT ${kinds[kind].postgres.param('e.v')} FROM json_array_elements_text(${array}) AS e(v)`,
  rowsIn: (array: string, columns: readonly TypedColumn[]) => {
    const selected = columns.map(({ name, kind }, at) => {
      const { type, param } = kinds[kind].postgres
      // Columns of texts have this collation too.
      const collation = type === 'text' ? ' COLLATE "C"' : ''
      return `${param(`(e.v->>${at})`)}${collation} AS ${ident(name)}`
    })
    // An element of `json` is a text that is read again for each of its values.
    return `SELECT ${selected.join(', ')} FROM jsonb_array_elements(${array}::jsonb) AS e(v)`
  },
  constant: (value: unknown, kind: FieldKind) => kinds[kind].postgres.literal(value),
  selective: (condition: string) => condition,
  byIndex: (_table: string, rows: string, condition: string) => `${rows}${condition}`,
  byReference: ({ alias, field }: ReferringRows, ids: string) => `${alias}${field} IN (${ids})`,
  distinct: (a: string, b: string) => `${a} IS DISTINCT FROM ${b}`,
  exactSum: (expression: string) => `sum(${expression})`,
  // A product of bigints fails when it overflows, also as the first part of a longer product. One of numerics does not.
  sumIsBeyond: (factors: readonly TypedColumn[], largest: string) => {
    const product = (some: readonly TypedColumn[]) =>
      some.map(({ name }) => `${ident(name)}::numeric`).join(' * ')
    const decimal = factors.findIndex(({ kind }) => !kinds[kind].sum?.isCount)
    const bigints = decimal < 0 ? factors : factors.slice(0, decimal)
    const overflows = bigints
      .slice(1)
      .map((_, at) => `max(abs(${product(bigints.slice(0, at + 2))})) >= ${beyondBigint}`)
    return [`abs(sum(${product(factors)})) > ${largest}`, ...overflows].join(' OR ')
  },
  isRemote: true,
  commitsInOrder: false,
  accountsApart: false,
  insertsAlong: 'in one query',
  returnsRows: true,
  // OFFSET keeps the planner from thinking of the page, for which it would walk through the account in the order of the list: it takes every
  // beginning of a word for one that a row in fifty has.
  matches: ({ words }: SearchNames, { from, where, alias }: SearchedRows, asked: string, selected: string) =>
    `SELECT ${selected} FROM ${from} WHERE ${where} AND ${wordsVector(`${alias}${ident(words)}`)} @@ ${asked} OFFSET 0`,
  firstMatches: () => null,
  // A SELECT, because the planner would make a new plan for each rare word that it sees.
  asked: (_index: SearchNames, words: readonly string[]) =>
    `(SELECT ${words.map((word) => `('''' || substr(${word}, 2) || ''':*')::tsquery`).join(' && ')})`,
  contains: (text: string, part: string) => `strpos(${text}, ${part}) > 0`,
  // A plan is kept for all accounts, and made for one of average size. Where that is small, the planner would read all ids or all rows of the
  // account, which may be a large one.
  unindexed: (condition: string) => `(${condition}) IS TRUE`,
  // For the same reason each id is looked up alone: with a list of ids the planner would read all of an index that has them after other columns.
  byIds: (table: string, alias: string, ids: string, account: string, locking = '') => ({
    from: `(${ids}) d CROSS JOIN LATERAL (SELECT * FROM ${table} WHERE ${account}${alias}"id" = d."id" OFFSET 0${locking}) ${alias.slice(0, -1)}`,
    where: '1 = 1',
  }),
  // The index reads a page of the table for each row that it finds. In the order of ids, a page has many rows.
  sampledById: () => '512',
  differing: (a: string, b: string) => {
    // Of IS DISTINCT FROM the planner thinks that nearly all rows meet it, and looks for one without the index: through the whole table
    // where there is none. An expression that is equal to a constant is met by one row in 200, it thinks, and all three by hardly any.
    const differs = (n: number) => `CASE WHEN ${a} = ${b} THEN 0 ELSE ${n} END = ${n}`
    return { inIndex: differs(1), inQuery: [1, 2, 3].map(differs).join(' AND ') }
  },
  byPartialIndex: () => '',
  skipLocked: ' SKIP LOCKED',
  greater: (a: string, b: string) => `greatest(${a}, ${b})`,
  hex: (expression: string, digits: number) => `lpad(to_hex(${expression}), ${digits}, '0')`,
  explain: 'EXPLAIN',
  // A prepared statement has a plan for any values. EXPLAIN without ANALYZE does not run it.
  explaining(text: string) {
    const parameters = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
    const values = parameters === 0 ? '' : `(${Array(parameters).fill('NULL').join(', ')})`
    return {
      before: [
        'BEGIN READ ONLY',
        'SET LOCAL statement_timeout = 5000',
        'SET LOCAL plan_cache_mode = force_generic_plan',
        `PREPARE nounkit_shown AS ${text}`,
      ],
      ask: `EXPLAIN EXECUTE nounkit_shown${values}`,
      after: 'ROLLBACK; DEALLOCATE nounkit_shown',
    }
  },
  planLines: (rows: readonly (readonly (string | number | null)[])[]) => rows.map(([line]) => String(line)),
})

export const postgresOnCitus: Dialect = Object.freeze({
  ...postgres,
  accountsApart: true,
  // Citus takes the account of a statement from such conditions.
  unindexed: (condition: string) => condition,
  // Each node has pages of its own, which a statement for all of them cannot name.
  oldest: indexOrder(2_000),
  // Citus runs a WITH query with several inserts by copying rows between nodes, and commits it in two phases.
  insertsAlong: 'together',
  returnsRows: false,
})
