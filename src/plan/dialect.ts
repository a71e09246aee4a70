import type { CodecName } from '../declare/change.ts'
import type { JsonSchema } from '../declare/json-schema.ts'
import type { KindInSql } from '../kinds/kind.ts'
import type { FieldKind } from '../kinds/kinds.ts'

/** All that differs between databases in the text of a statement. Nothing else may ask which database it is. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** The n-th bound value, from 1, with the type of a column of that kind. */
  param(n: number, kind: FieldKind): string
  /** The JSON text of a column's value. Never NULL: the text `null` stands for NULL where `nullable`. */
  json(expression: string, kind: FieldKind, nullable: boolean, schema?: JsonSchema): string
  /** The same as a member of an object, where the quotes around a string can join the text beside it. */
  jsonMember(expression: string, kind: FieldKind, nullable: boolean, schema: JsonSchema): JsonMember
  /** The JSON text that an older version shows for a value that is not NULL. */
  encode(expression: string, codec: CodecName): string
  /** What sorts as the older version's values do: their text where they are texts, else the stored value, which has the same order. */
  ordered(expression: string, codec: CodecName): string
  /** A stored value only as fine as the codec shows it, for comparing with what a consumer was shown. */
  coarse(expression: string, codec: CodecName): string
  /** How many bytes a column of texts has, in UTF-8. */
  bytes(expression: string): string
  /** The pieces, none of them NULL, as one text. */
  concat(pieces: readonly string[]): string
  /** Joins the texts of a subquery's rows, in the order of its ORDER BY. */
  join(expression: string, separator: string): string
  /** The first rows of a SELECT, as many as the bound value says, which is at most `most`. */
  firstRows(select: string, bound: string, most: number): string
  /** The `most` for a page: pages of one shape and one such size share a statement. */
  pageSize(rows: number): number
  /** Locks the rows read until the transaction ends; nothing where a transaction has the whole store to itself. */
  readonly forUpdate: string
  /** The same, but rows that name the locked ones can still be inserted. */
  readonly forOwnUpdate: string
  /** Follows `ASC` or `DESC` for a column that may be NULL: NULLs first ascending, last descending. */
  nulls(descending: boolean): string
  /** How expired Idempotency-Keys are found. */
  readonly oldest: Order | Places
  /** An integer as text, so that one past 2^53 can be read and refused. */
  asText(expression: string): string
  /** A SELECT of the texts in a JSON array, in a column `id`. */
  listed(array: string): string
  /** The same, as values of a kind that were bound as elements of the array. */
  listedAs(array: string, kind: FieldKind): string
  /** A SELECT of the arrays in a JSON array (bound as a text) as rows, with these columns; elements were bound as values of their kinds. */
  rowsIn(array: string, columns: readonly TypedColumn[]): string
  /** A value of a kind that stands in the text of the statement. */
  constant(value: unknown, kind: FieldKind): string
  /**
   * A condition that few rows of an account meet, so that an index with its column is worth using. SQLite without statistics takes every
   * account for so small that it reads all rows of the account instead.
   */
  selective(condition: string): string
  /**
   * The same for a condition with a list, where whole rows are read: the rows of a table that meet `rows` (which ends in AND) and the condition.
   * For a list SQLite does not take our word that they are few.
   */
  byIndex(table: string, rows: string, condition: string): string
  /** A condition on rows whose reference is one of the ids that a SELECT gives, which are few. */
  byReference(rows: ReferringRows, ids: string): string
  /** `a` and `b` differ, NULL counting as a value. */
  distinct(a: string, b: string): string
  /** The sum of integers, or of decimals, where it is within 64 bits; what was added up on the way to it may be larger. */
  exactSum(expression: string): string
  /**
   * A condition of HAVING: the sum of the products of these factors, of which one or none is a decimal, is beyond `largest` (a constant) or its
   * negative, or an overflow keeps it from being computed. The condition itself never fails.
   */
  sumIsBeyond(factors: readonly TypedColumn[], largest: string): string
  /** Whether statements go to a server: one for many rows is faster then than one for each of them. */
  readonly isRemote: boolean
  /** Whether transactions commit in the order in which they write: a number taken in one is not seen before a smaller one. */
  readonly commitsInOrder: boolean
  /** Whether rows of two accounts may be on different machines: a statement for both would wait for both machines. */
  readonly accountsApart: boolean
  /**
   * How a row is inserted along with its key and its event: in one WITH query; by statements of which each is answered before the next is
   * sent, so that an INSERT of a key that exists writes no row; or by statements that are sent together, so that such an INSERT must fail.
   */
  readonly insertsAlong: 'in one query' | 'one by one' | 'together'
  /**
   * Whether a statement that writes a row can answer with its JSON. Citus refuses RETURNING with functions that are not immutable, and
   * those that make JSON are not.
   */
  readonly returnsRows: boolean
  /** What finds the rows of an index in which each of these is the beginning of a word, as SQL. They are bound with a space before each. */
  asked(index: SearchNames, words: readonly string[]): string
  /**
   * A SELECT of the rows whose words in an index match what `asked` gives. It begins with the index, whatever rows are wanted of it
   * and in which order.
   */
  matches(index: SearchNames, rows: SearchedRows, asked: string, selected: string): string
  /** The same as a SELECT of the first ids after one, in their order; null where the index does not have this order. */
  firstMatches(
    index: SearchNames,
    rows: SearchedRows,
    asked: string,
    first: { readonly limit: string; readonly after: string | null },
  ): string | null
  /** Whether a text has another one in it. */
  contains(text: string, part: string): string
  /** A condition that no index is used for. */
  unindexed(condition: string): string
  /**
   * The rows that a SELECT of few ids names, as parts of a SELECT that begins with the ids. `account` is the condition on the account, which ends
   * in AND. Rows are locked in the order of the ids.
   */
  byIds(
    table: string,
    alias: string,
    ids: string,
    account: string,
    locking?: string,
  ): { readonly from: string; readonly where: string }
  /**
   * So many rows of a list in the order of its ids are looked at before an index of words is asked, as SQL: the more, the more each match of
   * the index costs. `asked` is SQL of what `asked` gives; null where `firstMatches` cannot be used.
   */
  sampledById(asked: string | null): string
  /** Whether two columns differ, for a partial index, and for a query of its rows, which are nearly always none. */
  differing(a: string, b: string): { readonly inIndex: string; readonly inQuery: string }
  /** Follows the alias of a table whose rows a partial index gives: SQLite takes the primary key otherwise. */
  byPartialIndex(name: string): string
  /** Follows `forOwnUpdate`: rows that others have locked are left out. */
  readonly skipLocked: string
  /** The greater one of two numbers. */
  greater(a: string, b: string): string
  /** An integer from 0 in hexadecimal, with zeros before it. */
  hex(expression: string, digits: number): string
  /** Before a statement: asks for its plan instead of its rows. */
  readonly explain: string
  /**
   * What asks for the plan of a statement whose values are not known, and does not run it: statements before, the one that answers with the plan,
   * and what takes all of it back.
   */
  explaining(text: string): {
    readonly before: readonly string[]
    readonly ask: string
    readonly after: string
  }
  /** The lines of a plan, indented by depth, from the rows of its answer. */
  planLines(rows: readonly (readonly (string | number | null)[])[]): readonly string[]
}

/**
 * What a table has for a search in a set of its fields. A column has the words of these fields, separated by spaces, and another one the
 * version of the row that these words are of. So a row whose version is another one waits for its words: a process of an older
 * declaration, which knows neither column, has written it. The names follow from the fields: another set has columns of its own, which
 * older processes do not write.
 */
export interface SearchNames {
  /** The column of the words. */
  readonly words: string
  /** The column of the version that the words are of. */
  readonly version: string
  /** The index of the words: on PostgreSQL an index of the table, on SQLite a table of its own. */
  readonly index: string
  /** On SQLite: the table with the numbers that the index knows rows by. */
  readonly numbers: string
  /** On SQLite: the table that lists the words of the index. */
  readonly terms: string
  /** The index of the rows that wait. */
  readonly waiting: string
}

/** The rows that are searched, as parts of a SELECT. */
export interface SearchedRows {
  readonly from: string
  readonly where: string
  /** Of the table with the rows, with its dot. */
  readonly alias: string
  /** The bound account; null where rows are shared. */
  readonly account: string | null
}

/** Rows of a table, and the column with their reference. */
export interface ReferringRows {
  readonly table: string
  readonly alias: string
  /** Another alias, which is free, and the condition on the account for it, ending in AND. */
  readonly other: string
  readonly account: string
  readonly field: string
}

/** The first number that is too large for an integer of 64 bits. */
export const beyondBigint = 2n ** 63n

export interface TypedColumn {
  readonly name: string
  readonly kind: FieldKind
}

/** SQL of a member's JSON text, never NULL. */
export interface JsonMember {
  readonly sql: string
  /** The quotes of a JSON string are still missing around it. */
  readonly isQuoted: boolean
}

const textOf = ({ sql, isQuoted }: JsonMember): string => (isQuoted ? `'"' || ${sql} || '"'` : sql)

/** Writes JSON as each kind says in the SQL of one database. */
export const jsonOf = (inSql: (kind: FieldKind) => KindInSql): Pick<Dialect, 'json' | 'jsonMember'> => {
  const jsonMember: Dialect['jsonMember'] = (expression, kind, nullable, schema) => {
    const { sql, isQuoted, writesNull } = inSql(kind).json(expression, schema)
    if (!nullable || writesNull) return { sql, isQuoted }
    return { sql: `coalesce(${textOf({ sql, isQuoted })}, 'null')`, isQuoted: false }
  }
  return {
    jsonMember,
    json: (expression, kind, nullable, schema = {}) => textOf(jsonMember(expression, kind, nullable, schema)),
  }
}

/** By an index on a column. */
export interface Order {
  readonly by: 'order'
  sort(column: string): string
  /** How many keys one statement deletes at most, but for those that expire in the same millisecond. */
  readonly most: number
}

/** By going through the whole table, page by page. */
export interface Places {
  readonly by: 'place'
  /** A query for the number of pages. */
  pages(table: string): string
  /** A condition that holds for the rows of these pages, the last one excluded. */
  within(from: string, to: string): string
}

/** Sizes that callers choose are rounded up to one, so that they do not make a statement each. */
export const powerOfTwo = (size: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, size)))

/** Identifiers come from the compiled model (checked names), never from a request; quoting is for reserved words. */
export const ident = (name: string): string => `"${name}"`

export const idents = (names: readonly string[]): string => names.map(ident).join(', ')

export const indexOrder = (most: number): Order => ({
  by: 'order',
  sort: (column) => `ORDER BY ${ident(column)}`,
  most,
})
