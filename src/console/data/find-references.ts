import type { ViewField } from '../../compile/model.ts'
import type { PostedForm, Visit } from '../console-page.ts'
import { listedRows, problemOf } from './asked-rows.ts'
import { labelOf } from './shown-value.ts'

/** Rows that a reference may lead to. */
export interface FoundRows {
  readonly field: string
  readonly words: string
  readonly rows: readonly { readonly id: string; readonly label: string }[]
  /** Why there are none. */
  readonly refusal: string | null
}

const most = 10

/** What the button "Find" of a reference asks for; null where it was not pressed. */
export const findReferences = async (
  visit: Visit,
  fields: readonly ViewField[],
  form: PostedForm,
): Promise<FoundRows | null> => {
  const field = fields.find(({ name, target }) => target !== null && name === form.get('find'))
  const view = field?.target?.()
  if (!field || !view) return null
  const words = form.get(`find.${field.name}`)?.trim() ?? ''
  const base = { field: field.name, words, rows: [] }
  if (!view.topLevel)
    return { ...base, refusal: `Rows of ${view.name} are found below their owner. Write the id.` }
  // Where nothing is declared to be searched, the words may be an id; without words the first rows are shown.
  const isSearched = view.searched.size > 0 && words !== ''
  const isId = !isSearched && words !== ''
  const query = new URLSearchParams({ limit: String(most), ...(isSearched && { search: words }) })
  const collection = `/${view.version.name}/${view.name}`
  const answer = await visit.ask(
    isId
      ? { method: 'GET', path: `${collection}/${encodeURIComponent(words)}` }
      : { method: 'GET', path: collection, query: query.toString() },
  )
  const refused = problemOf(answer)
  if (refused) {
    const why = isId ? `No row has this id. ${view.name} cannot be searched by words.` : refused.detail
    return { ...base, refusal: why }
  }
  const rows = isId ? [(answer.json as { data: { id: string } }).data] : listedRows(answer).rows
  return {
    ...base,
    rows: rows.map((row) => ({ id: String(row.id), label: labelOf(view, row) })),
    refusal: null,
  }
}

/** The row that was picked among those that were found. */
export const pickedRow = (form: PostedForm): readonly [field: string, id: string] | null => {
  const text = form.get('pick') ?? ''
  const at = text.indexOf('=')
  return at < 0 ? null : [text.slice(0, at), text.slice(at + 1)]
}
