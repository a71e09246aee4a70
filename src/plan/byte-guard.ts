import { type Included, isAnswered } from '../call/included.ts'
import type { Field, View, ViewField } from '../compile/model.ts'
import { kinds } from '../kinds/kinds.ts'
import { column } from './absent-values.ts'
import { belowOwner } from './below-owner.ts'
import { ident } from './dialect.ts'
import type { Binds } from './statement.ts'
import { referenceColumn } from './stored-values.ts'

/**
 * Keeps a statement from building an answer that is too large. The statement first adds up the bytes of the texts that it would show,
 * from their lengths alone, which both databases know without reading the texts. The JSON of a text is never shorter than the text, so
 * no answer that fits is refused; and it has at most six times as many bytes, so what is built is bounded too.
 */
export interface ByteGuard {
  /** Tables that go before the SELECT. */
  readonly tables: readonly string[]
  /** A condition: the answer may be built. */
  readonly fits: string
  /** The bytes of each place, separated by spaces. */
  readonly bytes: string
  /** Where the texts are that were measured: an include path each, '' for the rows themselves. */
  readonly places: readonly string[]
  /** The number of rows found. */
  readonly found: string
}

/** Rows of one view in an answer: those asked for, or those that one include path embeds. */
interface Place {
  readonly path: string
  readonly steps: readonly Included[]
  readonly view: View
  /** How many there are at most. */
  readonly rows: number
}

function placesOf(view: View, tree: readonly Included[], rows: number): readonly Place[] {
  const places: Place[] = [{ path: '', steps: [], view, rows }]
  const add = (above: Place, included: Included): void => {
    if (isAnswered(included)) return
    const { relation, children } = included
    const perRow = relation.relation.kind === 'has-many' ? relation.cap : 1
    const place: Place = {
      path: above.path === '' ? relation.name : `${above.path}.${relation.name}`,
      steps: [...above.steps, included],
      view: relation.target(),
      rows: above.rows * perRow,
    }
    places.push(place)
    for (const child of children) add(place, child)
  }
  for (const included of tree) add(places[0] as Place, included)
  return places
}

/** Whether texts of an answer of this shape could pass the limit. A row alone is as large as it was stored, and needs no guard. */
export function needsGuard(view: View, tree: readonly Included[], rows: number): boolean {
  if (rows === 1 && tree.length === 0) return false
  const most = (field: Field): number => kinds[field.kind].mostBytes?.(field.schema) ?? 0
  const bytes = placesOf(view, tree, rows).map(
    (place) =>
      place.rows * textsOf(place.view, place.view.fields).reduce((sum, field) => sum + most(field), 0),
  )
  return bytes.reduce((sum, one) => sum + one, 0) > view.limits.responseBytes
}

/** The stored texts that a statement reads to show these fields. Code that makes fields of an older version reads others. */
const textsOf = (view: View, shown: readonly ViewField[]): readonly Field[] =>
  [...shown, ...view.customs.flatMap((step) => step.newer)].flatMap(({ field, values }) =>
    field && !values && kinds[field.kind].mostBytes ? [field] : [],
  )

/** `rows` is a SELECT of the columns of `guardedColumns`, `shown` those of its rows (named `page`) that are shown. Null where there are no texts. */
export function byteGuard(
  view: View,
  tree: readonly Included[],
  { rows, shown }: { readonly rows: string; readonly shown: string },
  binds: Binds,
): ByteGuard | null {
  const places = placesOf(view, tree, 1).filter(
    (place) => textsOf(place.view, binds.shownFields(place.view)).length > 0,
  )
  if (places.length === 0) return null
  const most = view.limits.responseBytes
  const sums = places.map((_, index) => `b${index}`)
  const perRow = places.map((place, index) => `${placeBytes(place, binds)} AS x${index}`)
  const running = places.map((_, index) => `sum(coalesce(x${index}, 0)) OVER w AS b${index}`)
  // Ends with the first row that makes the answer too large, else with the last one: SQLite may have to read the texts that it measures.
  const ends = `${sums.join(' + ')} > ${most} OR n = (SELECT count(*) FROM (${shown}) c)`
  const added = `SELECT ${running.join(', ')}, row_number() OVER w AS n FROM (SELECT ${perRow.join(', ')} FROM (${shown}) s) x WINDOW w AS (ROWS UNBOUNDED PRECEDING)`
  return {
    tables: [
      `page AS MATERIALIZED (${rows})`,
      `bytes AS MATERIALIZED (SELECT ${sums.join(', ')} FROM (${added}) a WHERE ${ends} LIMIT 1)`,
    ],
    // There are no sums where the page has no rows.
    fits: `coalesce((SELECT ${sums.join(' + ')} FROM bytes), 0) <= ${most}`,
    bytes: `coalesce((SELECT ${["''", ...sums].join(" || ' ' || ")} FROM bytes), '')`,
    places: places.map(({ path }) => path),
    found: '(SELECT count(*) FROM page)',
  }
}

/** The columns by which the bytes of a page are found: its ids, and the references that are included. */
export const guardedColumns = (tree: readonly Included[], alias: string): string => {
  const references = tree.flatMap(({ relation: { relation } }) =>
    relation.kind === 'belongs-to' ? [referenceColumn(relation)] : [],
  )
  return ['id', ...new Set(references)].map((name) => `${alias}${ident(name)}`).join(', ')
}

/**
 * The bytes that a place adds to one row `s` of the page. The texts of the row itself are looked up by its id: PostgreSQL would otherwise
 * measure every row that it sorts, not only those of the page.
 */
function placeBytes({ steps, view }: Place, binds: Binds): string {
  const [first, ...deeper] = steps
  if (first) return bytesBelow(first, deeper, 's.', binds)
  const alias = binds.alias()
  return `(SELECT ${ownBytes(view, alias, binds)} FROM ${from(view, alias)} WHERE ${binds.rows(view.resource, alias)}${alias}"id" = s."id")`
}

/** The bytes that an include path adds to one row, of the last of its steps alone. */
function bytesBelow(
  { relation: { relation, cap, target } }: Included,
  deeper: readonly Included[],
  outer: string,
  binds: Binds,
): string {
  const view = target()
  const alias = binds.alias()
  const [next, ...rest] = deeper
  const bytes = next ? bytesBelow(next, rest, alias, binds) : ownBytes(view, alias, binds)
  const rows = binds.rows(view.resource, alias)
  if (relation.kind === 'belongs-to')
    return `(SELECT ${bytes} FROM ${from(view, alias)} WHERE ${rows}${alias}"id" = ${outer}${ident(referenceColumn(relation))})`
  const owned = belowOwner(relation, alias, `${outer}"id"`, binds)
  const listed = `SELECT ${bytes} AS n FROM ${owned.from} WHERE ${rows}${owned.where} ORDER BY ${alias}"id" LIMIT ${cap}`
  return `(SELECT sum(n) FROM (${listed}) ${alias.slice(0, -1)}r)`
}

const ownBytes = (view: View, alias: string, binds: Binds): string =>
  textsOf(view, binds.shownFields(view))
    .map((field) => `coalesce(${binds.dialect.bytes(column(field, alias, binds.dialect))}, 0)`)
    .join(' + ')

const from = ({ resource }: View, alias: string): string => `${ident(resource.table)} ${alias.slice(0, -1)}`
