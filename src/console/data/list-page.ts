import type { ViewField } from '../../compile/model.ts'
import { html, type Markup, table } from '../../pages/markup.ts'
import type { ShownPage, Visit } from '../console-page.ts'
import { dataPath } from './accounts-page.ts'
import { listedRows, problemNotice, problemOf, type RowsPage } from './asked-rows.ts'
import { atPlaces, type DataPlace, dataPlaceOf, dataUrl, methodsAt } from './data-place.ts'
import { listForm } from './list-form.ts'
import { apiQueryOf, readableQuery } from './list-query.ts'
import { ruleNotice } from './rule-notice.ts'
import { type ConsoleRow, cellOf, isFigure, labelField, shortLabelOf } from './shown-value.ts'

/** A list: the form that makes its query, and the rows that the engine answers. */
export const listPages = atPlaces('list', {
  async get(visit) {
    const place = dataPlaceOf(visit)
    const asked = apiQueryOf(place.view, visit.query)
    const answer = await visit.ask({ method: 'GET', path: place.path, query: asked.toString() })
    const refused = problemOf(answer)
    return {
      title: place.view.name,
      isWide: true,
      status: refused?.status ?? 200,
      body: html`${crumbs(visit, place)}
<div class="headed"><h1>${place.view.name}</h1>
${methodsAt(place).has('POST') && html`<a class="button" href="${visit.link(dataUrl('new', place))}">New</a>`}</div>
${saidOf(visit)}
<p class="legend">${place.view.description}</p>
${ruleNotice(place.view)}
${listForm(visit, place)}
<p class="asked"><code>GET ${place.path}${asked.size > 0 && `?${readableQuery(asked)}`}</code></p>
${refused ? problemNotice(refused, () => false) : rows(visit, place, listedRows(answer))}`,
    } satisfies ShownPage
  },
})

const crumbs = ({ link, params }: Visit, { sub }: DataPlace): Markup => {
  const owner = sub?.owner()
  return html`<p class="crumbs"><a href="${link(dataPath)}">Data</a>${
    owner &&
    html` / <a href="${link(dataUrl('list', { segments: owner.name }))}">${owner.name}</a> / <a href="${link(dataUrl('row', { segments: owner.name }, params.ownerId ?? ''))}"><code>${params.ownerId}</code></a>`
  }</p>`
}

const saidOf = ({ query }: Visit): Markup | false =>
  query.get('done') === 'deleted' && html`<p class="said" role="status">The row was deleted.</p>`

const rows = (visit: Visit, place: DataPlace, page: RowsPage): Markup => {
  if (page.rows.length === 0)
    return html`<p class="none">${visit.query.has('cursor') ? 'No further rows.' : 'No rows.'}</p>`
  const fields = place.view.fields.filter(
    ({ writeOnly, name }) => !writeOnly && name !== 'id' && name !== labelField(place.view),
  )
  return html`${page.total !== null && html`<p>${page.isExact ? '' : 'More than '}${page.total.toLocaleString('en')} ${page.total === 1 ? 'row' : 'rows'}</p>`}
${table(
  `Rows of ${place.view.name}`,
  [
    labelField(place.view),
    ...fields.map(({ name, kind }) => (isFigure(kind) ? { figure: name } : name)),
    ...includedNames(visit),
  ],
  page.rows.map((row) => rowLine(visit, place, fields, row)),
)}
${nextPage(visit, place, page)}`
}

const includedNames = ({ query }: Visit): readonly string[] =>
  query.getAll('include').filter((path) => !path.includes('.'))

const rowLine = (visit: Visit, place: DataPlace, fields: readonly ViewField[], row: ConsoleRow): Markup =>
  html`<tr><th scope="row"><a href="${visit.link(dataUrl('row', place, String(row.id)))}">${labelField(place.view) === 'id' ? html`<code>${shortLabelOf(place.view, row)}</code>` : shortLabelOf(place.view, row)}</a></th>${fields.map(
    (field) =>
      html`<td${isFigure(field.kind) && html` class="figure"`}>${cellOf(visit, field, row[field.name])}</td>`,
  )}${includedNames(visit).map((name) => html`<td>${includedCell(visit, place, name, row[name])}</td>`)}</tr>`

/** Rows of a relation: the one, or the first few of many. */
const includedCell = (visit: Visit, { view }: DataPlace, name: string, value: unknown): Markup => {
  const relation = view.relations.get(name)
  if (!relation || value === null || value === undefined) return html`<span class="none">none</span>`
  const target = relation.target()
  const one = (row: ConsoleRow): Markup => {
    const label = shortLabelOf(target, row)
    return target.topLevel
      ? html`<a href="${visit.link(dataUrl('row', { segments: target.name }, String(row.id)))}">${label}</a>`
      : html`${label}`
  }
  if (!isList(value)) return one(value as ConsoleRow)
  const shown = value.data.slice(0, 3)
  const more = value.data.length - shown.length
  return value.data.length === 0
    ? html`<span class="none">none</span>`
    : html`${shown.map((row, index) => html`${index > 0 && ', '}${one(row)}`)}${more > 0 && ` and ${more} more`}`
}

const isList = (value: unknown): value is { readonly data: readonly ConsoleRow[] } =>
  typeof value === 'object' && value !== null && Array.isArray((value as { data?: unknown }).data)

const nextPage = ({ query, link }: Visit, place: DataPlace, { hasMore, nextCursor }: RowsPage): Markup => {
  const here = Object.fromEntries(
    [...query].filter(([name]) => !['cursor', 'account', 'include', 'done'].includes(name)),
  )
  const url = (cursor: string | null): string => {
    const base = link(dataUrl('list', place), { ...here, cursor })
    const includes = query.getAll('include').map((path) => `include=${encodeURIComponent(path)}`)
    return [base, ...includes].join(base.includes('?') ? '&' : '?')
  }
  return html`<nav class="paging" aria-label="Pages">${query.has('cursor') && html`<a href="${url(null)}">First page</a>`}
${hasMore && nextCursor !== null && html`<a rel="next" href="${url(nextCursor)}">Next page</a>`}</nav>`
}
