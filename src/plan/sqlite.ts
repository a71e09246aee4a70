import type { CodecName } from '../declare/change.ts'
import { type FieldKind, kinds } from '../kinds/kinds.ts'
import { sqlText } from '../kinds/sql.ts'
import {
  beyondBigint,
  type Dialect,
  ident,
  indexOrder,
  jsonOf,
  type ReferringRows,
  type SearchedRows,
  type SearchNames,
  type TypedColumn,
} from './dialect.ts'
import { placeOfId, rowsOfPlace } from './search-numbers.ts'

const decimal = (x: string): string =>
  `CASE WHEN ${x} < 0 THEN '-' ELSE '' END || (abs(${x}) / 100) || '.' || printf('%02d', abs(${x}) % 100)`

const encoders: { readonly [C in CodecName]: (expression: string) => string } = {
  'integer-as-string': (x) => `'"' || ${x} || '"'`,
  'boolean-as-integer': (x) => `CAST(${x} AS TEXT)`,
  'cents-as-decimal-string': (x) => `'"' || ${decimal(x)} || '"'`,
  'datetime-as-unix-seconds': (x) => `strftime('%s', ${x})`,
}

const orders: { readonly [C in CodecName]: (expression: string) => string } = {
  'integer-as-string': (x) => `CAST(${x} AS TEXT)`,
  'boolean-as-integer': (x) => x,
  'cents-as-decimal-string': (x) => `(${decimal(x)})`,
  'datetime-as-unix-seconds': (x) => x,
}

// SQLite before 3.48 takes at most 127 arguments.
const mostArguments = 100

/** One call writes one text where a chain of `||` copies it again with each piece: about half the time of a row. */
const concat = (pieces: readonly string[]): string => {
  if (pieces.length <= mostArguments) return `concat(${pieces.join(', ')})`
  const head = `concat(${pieces.slice(0, mostArguments).join(', ')})`
  return concat([head, ...pieces.slice(mostArguments)])
}

/** Half of the 64 bits of an integer. */
const half = 2 ** 32

/** sum() fails where the rows before the last one give too much, so the upper and the lower halves of the numbers are added up apart. */
const exactSum = (expression: string): string =>
  `(sum((${expression}) / ${half}) * ${half} + sum((${expression}) % ${half}))`

/** Begins with the index: SQLite would otherwise read all rows of the account in the order of the list. */
function matchingRows(
  { index, numbers }: SearchNames,
  { from, where, alias, account }: SearchedRows,
  asked: string,
): string {
  const own = account === null ? '' : ` AND n."account_id" = ${account}`
  const tables = `${ident(index)} CROSS JOIN ${ident(numbers)} n ON n."number" = ${ident(index)}.rowid CROSS JOIN ${from}`
  return `FROM ${tables} WHERE ${ident(index)} MATCH ${asked}${own} AND ${where} AND ${alias}"id" = n."id"`
}

/** Where more words of the index begin with what is searched for, FTS5 is asked for the beginning: each word costs about 50 µs, to find it and to ask for it. */
const mostWholeWords = 16

/**
 * The words of an index that begin with a bound one, for MATCH. For the beginning of a word FTS5 reads all rows before it gives the first, at up to
 * 1 µs each; of whole words it gives rows as they are asked for. `>=` finds the first word after another one, where `>` reads all rows of that one.
 */
function wholeWords({ terms }: SearchNames, word: string): string {
  const next = (after: string) =>
    `(SELECT v."term" FROM ${ident(terms)} v WHERE v."term" >= ${after} LIMIT 1)`
  const begins = `instr(' ' || "term", ${word}) = 1`
  const each = `SELECT ${next(`substr(${word}, 2)`)} UNION ALL SELECT ${next(`t."term" || char(1)`)} FROM t WHERE ${begins} LIMIT ${mostWholeWords + 1}`
  const whole = `coalesce(group_concat('"' || "term" || '"', ' OR '), '"' || substr(${word}, 2) || '"')`
  const beginning = `'"' || substr(${word}, 2) || '"*'`
  return `(WITH RECURSIVE t("term") AS (${each}) SELECT CASE WHEN count(*) > ${mostWholeWords} THEN ${beginning} ELSE ${whole} END FROM t WHERE ${begins})`
}

/** In the order of the numbers that FTS5 knows rows by, which is that of ids but within a place. Rows without a place are few, and all read. */
function firstMatches(
  index: SearchNames,
  rows: SearchedRows,
  asked: string,
  { limit, after }: { readonly limit: string; readonly after: string | null },
): string {
  const [number, ids] = [`${ident(index.index)}.rowid`, `SELECT ${rows.alias}"id" AS "id"`]
  const from = after === null ? '0' : `coalesce(${placeOfId(after)}, 0)`
  const found = matchingRows(index, rows, asked)
  const most = `(SELECT CASE WHEN ${limit} > 0 THEN ${limit} + ${rowsOfPlace} ELSE 0 END)`
  const placed = `${ids} ${found} AND ${number} >= ${from} ORDER BY ${number} LIMIT ${most}`
  const hasOthers = `EXISTS (SELECT 1 FROM ${ident(index.numbers)} WHERE "number" < 0)`
  const others = `${ids} ${found} AND ${number} < 0 LIMIT (SELECT CASE WHEN ${limit} > 0 AND ${hasOthers} THEN -1 ELSE 0 END)`
  return `SELECT "id" FROM (SELECT * FROM (${placed}) a UNION ALL SELECT * FROM (${others}) b) c ORDER BY "id" LIMIT ${limit}`
}

export const sqlite: Dialect = Object.freeze({
  name: 'sqlite',
  param: (n: number, kind: FieldKind) => kinds[kind].sqlite.param(`?${n}`),
  ...jsonOf((kind) => kinds[kind].sqlite),
  encode: (expression: string, codec: CodecName) => encoders[codec](expression),
  ordered: (expression: string, codec: CodecName) => orders[codec](expression),
  coarse: (expression: string, codec: CodecName) =>
    codec === 'datetime-as-unix-seconds' ? `(substr(${expression}, 1, 20) || '000Z')` : expression,
  bytes: (expression: string) => `octet_length(${expression})`,
  concat: (pieces: readonly string[]) => concat(pieces),
  join: (expression: string, separator: string) => `group_concat(${expression}, ${sqlText(separator)})`,
  // SQLite uses the value of a bare parameter for planning, and then plans again whenever it is bound: half the time of a list.
  firstRows: (select: string, bound: string) => `${select} LIMIT (${bound} + 0)`,
  pageSize: () => 0,
  forUpdate: '',
  forOwnUpdate: '',
  nulls: () => '',
  // A delete has the lock on the file, and every other write waits for it.
  oldest: indexOrder(200),
  asText: (expression: string) => `CAST(${expression} AS TEXT)`,
  listed: (array: string) => `SELECT value AS "id" FROM json_each(${array})`,
  listedAs: (array: string, kind: FieldKind) =>
    `SELECT ${kinds[kind].sqlite.param('value')} FROM json_each(${array})`,
  rowsIn: (array: string, columns: readonly TypedColumn[]) => {
    const selected = columns.map(
      ({ name, kind }, at) => `${kinds[kind].sqlite.param(`(e.value ->> ${at})`)} AS ${ident(name)}`,
    )
    return `SELECT ${selected.join(', ')} FROM json_each(${array}) e`
  },
  constant: (value: unknown, kind: FieldKind) => kinds[kind].sqlite.literal(value),
  selective: (condition: string) => `likelihood(${condition}, 0.001)`,
  // An index with the ids at its end has all that the inner SELECT reads, and is preferred for that.
  byIndex: (table: string, rows: string, condition: string) =>
    `${rows}"id" IN (SELECT "id" FROM ${table} WHERE ${rows}${condition})`,
  // By the reference itself SQLite would read all rows of the account in the order of their ids. An index has all that the inner SELECT reads.
  byReference: ({ table, alias, other, account, field }: ReferringRows, ids: string) =>
    `${alias}"id" IN (SELECT ${other}"id" FROM ${table} ${other.slice(0, -1)} WHERE ${account}${other}${field} IN (${ids}))`,
  distinct: (a: string, b: string) => `${a} IS NOT ${b}`,
  exactSum,
  // A product that overflows is a REAL. What is near to 64 bits is far beyond the largest sum, and total() tells it without failing.
  sumIsBeyond: (factors: readonly TypedColumn[], largest: string) => {
    const product = factors.map(({ name }) => ident(name)).join(' * ')
    const overflows = `max(typeof(${product}) = 'real') OR abs(total(${product})) >= ${beyondBigint / 2n}.0`
    return `CASE WHEN ${overflows} THEN 1 ELSE abs(${exactSum(product)}) > ${largest} END`
  },
  isRemote: false,
  commitsInOrder: true,
  accountsApart: false,
  insertsAlong: 'one by one',
  returnsRows: true,
  matches: (index: SearchNames, rows: SearchedRows, asked: string, selected: string) =>
    `SELECT ${selected} ${matchingRows(index, rows, asked)}`,
  firstMatches,
  asked: (index: SearchNames, words: readonly string[]) =>
    `(${words.map((word) => `'(' || ${wholeWords(index, word)} || ')'`).join(` || ' AND ' || `)})`,
  contains: (text: string, part: string) => `instr(${text}, ${part}) > 0`,
  // It begins with FTS5 by the order of its tables.
  unindexed: (condition: string) => condition,
  byIds: (table: string, alias: string, ids: string, account: string) => ({
    from: `(${ids}) d CROSS JOIN ${table}`,
    where: `${account}${alias}"id" = d."id"`,
  }),
  // A page of whole words costs hardly more than these rows, however many rows have the words.
  sampledById: (asked: string | null) =>
    asked === null ? '160' : `CASE WHEN instr(${asked}, '*') > 0 THEN 160 ELSE 32 END`,
  differing: (a: string, b: string) => ({ inIndex: `${a} IS NOT ${b}`, inQuery: `${a} IS NOT ${b}` }),
  byPartialIndex: (name: string) => ` INDEXED BY ${ident(name)}`,
  skipLocked: '',
  greater: (a: string, b: string) => `max(${a}, ${b})`,
  hex: (expression: string, digits: number) => `printf('%0${digits}x', ${expression})`,
  explain: 'EXPLAIN QUERY PLAN',
  // Rows are `[id, parent's id, unused, text]`, parents first.
  // Values that are not bound are NULL, and do not change the plan.
  explaining: (text: string) => ({ before: [], ask: `EXPLAIN QUERY PLAN ${text}`, after: '' }),
  planLines: (rows: readonly (readonly (string | number | null)[])[]) => {
    const depths = new Map<unknown, number>()
    return rows.map(([id, parent, , text]) => {
      const depth = (depths.get(parent) ?? -1) + 1
      depths.set(id, depth)
      return `${'  '.repeat(depth)}${text}`
    })
  },
})
