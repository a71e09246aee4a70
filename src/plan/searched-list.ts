import { type Dialect, ident, type SearchedRows, type SearchNames } from './dialect.ts'

/** The rows of a list without its search, as parts of a SELECT: those after the position that it continues from. */
export interface ListedRows {
  readonly alias: string
  readonly from: string
  readonly where: readonly string[]
  /** What they are sorted by, as SQL. */
  readonly keys: readonly string[]
  /** Where they are in the order of their ids: the bound id that they come after, if any. */
  readonly byId: { readonly after: string | null } | null
}

/** What is searched for, as it is bound. */
export interface Sought {
  readonly index: SearchNames
  /** Each with a space before it. */
  readonly words: readonly string[]
  /** Null where rows are shared. */
  readonly account: string | null
}

export interface SearchedList {
  /** Tables that go before the SELECT. */
  readonly tables: readonly string[]
  /** A SELECT of the ids of the page, and of some after them. */
  readonly ids: string
}

/** So many rows of a list in the order of its ids are looked at first: a word that every tenth row has is known by them. */
const firstSampled = 32
/** So many rows of a sorted list are looked at before an index is asked. */
const sampledSorted = 160
/** No sample has more rows. */
const mostSampled = 512
/** With so many hits in a sample a page is sooner found by going on in the order of the list. */
const hitsToWalk = 2
/** Where a page is not full by then, the index is asked: it would otherwise be all rows of an account. */
const walkedRows = 8_192
/** Rows with more bytes of words are left to the index. */
const mostBytes = 2_000

/**
 * The page of a list that is searched. An index of words gives rows in no order, so that all which it finds are sorted for a page: quick for
 * few rows alone. A word that many rows have is found within a few rows of the list itself. So the statement looks at the first rows of
 * the list, and either goes on with them or asks the index. Both find the same rows: the words of a row are compared as the index has them.
 *
 * @param rows gives the rows of the list under an alias of their own, each time it is called, and whether the index is to find them
 * @param order makes an ORDER BY of the keys, under other names
 * @param limit the bound number of rows, `most` the greatest
 */
export function searchedList(
  sought: Sought,
  rows: (byWords: boolean) => ListedRows,
  order: (keys: readonly string[]) => string,
  { limit, most, isById }: { readonly limit: string; readonly most: number; readonly isById: boolean },
  dialect: Dialect,
): SearchedList {
  const ofIndex = rows(true)
  const sampledById = `(SELECT CASE WHEN "hits" >= ${hitsToWalk} THEN ${firstSampled} ELSE ${dialect.sampledById(ofIndex.byId && asked)} END FROM "+first")`
  const sampledRows = isById ? sampledById : `${sampledSorted}`
  const looked = (): string => withHits(rows(false), sought, order, dialect)
  const count = (condition: string) => `count(CASE WHEN ${condition} THEN 1 END)`
  const first = `SELECT ${count('"hit"')} AS "hits" FROM (${looked()} LIMIT ${firstSampled}) s`
  const some = dialect.firstRows(looked(), sampledRows, isById ? mostSampled : sampledSorted)
  const sample = `SELECT count(*) < ${sampledRows} AS "whole", ${count('"hit"')} AS "hits", ${count('"hit" IS NULL')} AS "unknown" FROM (${some}) s`
  const toWalk = `(SELECT CASE WHEN "unknown" = 0 AND ("whole" OR "hits" >= ${hitsToWalk}) THEN ${walkedRows} ELSE 0 END FROM "+sample")`
  const walk = dialect.firstRows(looked(), toWalk, walkedRows)
  const walked = dialect.firstRows(`SELECT * FROM (${walk}) w WHERE "hit" IS NOT FALSE`, limit, most)
  const isAll = `SELECT 1 FROM "+sample" WHERE "unknown" = 0 AND "whole"`
  const isFull = `(SELECT ${count('"hit"')} FROM "+walked") = ${limit}`
  const left = `SELECT CASE WHEN EXISTS (${isAll}) OR ${isFull} THEN 0 ELSE ${limit} END AS "rows"`
  const rest = indexed(ofIndex, sought, order, { limit: '(SELECT "rows" FROM "+left")', most }, dialect)
  const found = `SELECT "id" FROM "+walked" WHERE "hit" UNION SELECT "id" FROM (${rest}) i`
  return {
    tables: [
      `"+asked" AS MATERIALIZED (SELECT ${dialect.asked(sought.index, sought.words)} AS "asked")`,
      ...(isById ? [`"+first" AS MATERIALIZED (${first})`] : []),
      `"+sample" AS MATERIALIZED (${sample})`,
      `"+walked" AS MATERIALIZED (${walked})`,
      `"+left" AS MATERIALIZED (${left})`,
      // A page is read twice, once for how many bytes it has.
      `"+found" AS MATERIALIZED (${found})`,
    ],
    ids: 'SELECT "id" FROM "+found"',
  }
}

/** What the index is asked with. */
const asked = '(SELECT "asked" FROM "+asked")'

/** The rows of a list, each with whether it has the words: unknown where they are long. */
function withHits(
  { alias, from, where, keys }: ListedRows,
  { index, words }: Sought,
  order: (keys: readonly string[]) => string,
  dialect: Dialect,
): string {
  const column = `${alias}${ident(index.words)}`
  const has = words.map((word) => dialect.contains(`' ' || ${column}`, word)).join(' AND ')
  const hit = `CASE WHEN ${dialect.bytes(column)} <= ${mostBytes} THEN ${has} END`
  return `SELECT ${alias}"id" AS "id", ${hit} AS "hit" FROM ${from} WHERE ${where.join(' AND ')} ORDER BY ${order(keys)}`
}

/** The first rows of a list that the index finds. */
function indexed(
  rows: ListedRows,
  sought: Sought,
  order: (keys: readonly string[]) => string,
  { limit, most }: { readonly limit: string; readonly most: number },
  dialect: Dialect,
): string {
  const inOrder =
    rows.byId &&
    dialect.firstMatches(sought.index, searchedRows(rows, sought), asked, { limit, ...rows.byId })
  if (inOrder) return inOrder
  const keys = rows.keys.map((key, at) => `${key} AS k${at}`)
  const found = matching(rows, sought, `${rows.alias}"id" AS "id", ${keys.join(', ')}`, dialect)
  const names = rows.keys.map((_, at) => `h.k${at}`)
  return dialect.firstRows(`SELECT "id" FROM (${found}) h ORDER BY ${order(names)}`, limit, most)
}

/** A SELECT of the rows of a list that the index finds, in no order, within a statement with the tables of `searchedList`. */
export const matching = (rows: ListedRows, sought: Sought, selected: string, dialect: Dialect): string =>
  dialect.matches(sought.index, searchedRows(rows, sought), asked, selected)

const searchedRows = ({ alias, from, where }: ListedRows, { account }: Sought): SearchedRows => ({
  alias,
  from,
  where: where.join(' AND '),
  account,
})
