import type { Call } from '../call/call.ts'
import { type Included, isAnswered } from '../call/included.ts'
import { shownText } from '../call/row-text.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { View } from '../compile/model.ts'
import { referencesIn } from '../plan/embedded.ts'
import { Finish } from '../read/finish.ts'
import type { LackingIncluded } from '../read/reader.ts'
import { whoAsks } from '../write/judge.ts'
import type { Answering } from './answering.ts'
import { Questions } from './questions.ts'

/** A row that code gave, and what is shown of it. */
interface GivenRow {
  readonly row: StoredRow
  readonly shown: { [member: string]: unknown }
}

/** Puts into rows what they include of nouns that code answers for. The code of each include path is asked once, for all rows. */
export async function fillAnswers(
  answering: Answering,
  call: Call,
  lacking: readonly LackingIncluded[],
): Promise<void> {
  for (const [included, rows] of Map.groupBy(lacking, (one) => one.included))
    await fillOne(answering, call, included, rows)
}

async function fillOne(
  answering: Answering,
  call: Call,
  included: Included,
  lacking: readonly LackingIncluded[],
): Promise<void> {
  const { relation, children } = included
  const view = relation.target()
  const key = relation.relation.kind === 'belongs-to' ? 'id' : relation.relation.by.field
  const ids = [...new Set(lacking.flatMap(({ id }) => (id === null ? [] : [id])))]
  const given = ids.length === 0 ? [] : await listAmong(answering, call, view, key, ids)
  const shown = given.map((row) => ({ row, shown: JSON.parse(shownText(view, row, call.caller.scopes)) }))
  const found = Map.groupBy(shown, ({ row }) => String(row[key]))
  if (relation.relation.kind === 'belongs-to')
    for (const { row, id } of lacking) row[relation.name] = found.get(id ?? '')?.[0]?.shown ?? null
  else
    for (const { row, id } of lacking)
      row[relation.name] = listOf(found.get(id ?? '') ?? [], included, id ?? '')
  await embedInto(answering, call, shown, view, children)
}

async function listAmong(
  answering: Answering,
  call: Call,
  { resource }: View,
  key: string,
  ids: readonly string[],
): Promise<readonly StoredRow[]> {
  const asked = { filter: { [key]: { in: ids } }, sort: [], limit: undefined, after: undefined }
  const most = answering.model.limits.rowsPerRequest
  return (await new Questions(answering, call).list(resource, asked, most)).rows
}

/** The rows of a to-many, cut at its cap. Where they are cut, `next` is the first page of the collection that has all. */
function listOf(rows: readonly GivenRow[], { relation }: Included, ownerId: string): object {
  const { cap } = relation
  const view = relation.target()
  const { version } = view
  const isCut = rows.length > cap
  const sub = view.under.find((one) => one.relation.relation === relation.relation)
  const next =
    isCut && sub
      ? `${version.prefix}/${version.name}/${sub.owner().name}/${ownerId}/${sub.segment}?limit=${cap}`
      : null
  return {
    data: rows.slice(0, cap).map(({ shown }) => shown),
    page: { limit: cap, has_more: isCut, next_cursor: null, next },
  }
}

/** Puts into rows that code gave what they include: stored rows by one statement, others by the code that answers for them. */
export async function embedInto(
  answering: Answering,
  call: Call,
  rows: readonly GivenRow[],
  view: View,
  tree: readonly Included[],
): Promise<void> {
  if (rows.length === 0 || tree.length === 0) return
  // Members stand in the order in which they are set first.
  for (const { shown } of rows) for (const { relation } of tree) shown[relation.name] = null
  const stored = tree.filter((included) => !isAnswered(included))
  const lacking = stored.length === 0 ? [] : await embedStored(answering, call, rows, view, stored)
  for (const included of tree.filter(isAnswered)) {
    const { relation } = included.relation
    const key = relation.kind === 'belongs-to' ? relation.field : 'id'
    for (const { row, shown } of rows)
      lacking.push({ included, row: shown, id: row[key] === null ? null : String(row[key]) })
  }
  await fillAnswers(answering, call, lacking)
}

/** Answers with what the stored rows themselves lack. */
async function embedStored(
  { writer, seal }: Answering,
  call: Call,
  rows: readonly GivenRow[],
  view: View,
  tree: readonly Included[],
): Promise<LackingIncluded[]> {
  const { account, scopes } = call.caller
  const references = referencesIn(tree)
  const values = rows.map(({ row }, index) => [index, row.id, ...references.map((name) => row[name])])
  const { text, bind } = writer.planner.embedded(view, tree, scopes)
  const bindings = bind({ ...whoAsks({ writer, call }), values: [JSON.stringify(values)] })
  const finish = new Finish({ seal }, call.caller, scopes)
  for (const [index, json] of await writer.store.all(text, bindings, account)) {
    const found = JSON.parse(String(json))
    const { row, shown } = rows[Number(index)] as GivenRow
    for (const included of tree)
      shown[included.relation.name] = finish.related(found[included.relation.name], included, String(row.id))
  }
  return finish.lacking
}
