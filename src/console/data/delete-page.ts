import { html } from '../../pages/markup.ts'
import type { ShownPage, Visit } from '../console-page.ts'
import { problemNotice, problemOf, type ReceivedProblem, rowOf } from './asked-rows.ts'
import { atPlaces, dataPlaceOf, dataUrl, rowPathOf } from './data-place.ts'
import { shortLabelOf, wholeValue } from './shown-value.ts'

/** Deletes a row, after it was shown, and as it was shown. */
export const deletePages = atPlaces('delete', {
  get: (visit) => shown(visit, null),
  async post(visit, form) {
    const place = dataPlaceOf(visit)
    const etag = form.get('etag') ?? ''
    const headers = etag === '' ? {} : { 'if-match': etag }
    const answer = await visit.ask({ method: 'DELETE', path: rowPathOf(place), headers })
    const refused = problemOf(answer)
    return refused ? shown(visit, refused) : { goTo: visit.link(dataUrl('list', place), { done: 'deleted' }) }
  },
})

const shown = async (visit: Visit, refused: ReceivedProblem | null): Promise<ShownPage> => {
  const place = dataPlaceOf(visit)
  const answer = await visit.ask({ method: 'GET', path: rowPathOf(place) })
  const row = rowOf(answer)
  const { view } = place
  const along = view.resource.dependents.filter(({ onDelete }) => onDelete === 'cascade')
  const label = shortLabelOf(view, row)
  const url = dataUrl('delete', place, place.id ?? '')
  return {
    title: `Delete ${label}?`,
    status: refused?.status ?? 200,
    body: html`<p class="crumbs"><a href="${visit.link(dataUrl('list', place))}">${view.name}</a> / <a href="${visit.link(dataUrl('row', place, place.id ?? ''))}">${label}</a></p>
<h1>Delete ${label}?</h1>
${
  refused?.status === 412
    ? html`<p class="notice" role="alert">Somebody has changed the row since it was shown here. Nothing was deleted. This is the row as it is now.</p>`
    : refused && problemNotice(refused, () => false)
}
<p><code>DELETE ${rowPathOf(place)}</code></p>
<dl class="row-values">${view.fields
      .filter(({ writeOnly }) => !writeOnly)
      .map(
        (field) =>
          html`<div><dt>${field.name}</dt><dd>${wholeValue(visit, field, row[field.name])}</dd></div>`,
      )}</dl>
${along.length > 0 && html`<p>Rows that belong to it are deleted along: ${[...new Set(along.map(({ relation }) => relation.source.name))].join(', ')}.</p>`}
${visit.form(
  visit.link(url),
  html`<input type="hidden" name="etag" value="${answer.headers.ETag ?? ''}"><p><button class="grave">Delete the row</button> <a href="${visit.link(dataUrl('row', place, place.id ?? ''))}">Leave it as it is</a></p>`,
)}`,
  }
}
