import type { View, ViewField, ViewRelation } from '../../compile/model.ts'
import { movesIn } from '../../compile/resources/states.ts'
import { framed, html, type Markup, tableOr } from '../../pages/markup.ts'
import { statesDiagram } from '../../pages/states-diagram.ts'
import type { ShownPage, Visit } from '../console-page.ts'
import { timeShown } from '../time-shown.ts'
import { dataPath } from './accounts-page.ts'
import { listedRows, rowOf } from './asked-rows.ts'
import { atPlaces, type DataPlace, dataPlaceOf, dataUrl, methodsAt, rowPathOf } from './data-place.ts'
import { changedValues, rowAudit } from './row-audit.ts'
import { ruleNotice } from './rule-notice.ts'
import { type ConsoleRow, labelOf, shortLabelOf, wholeValue } from './shown-value.ts'

/** One row: its values, where its relations lead, its states with the moves that are allowed, and what happened to it. */
export const rowPages = atPlaces('row', {
  async get(visit) {
    const place = dataPlaceOf(visit)
    const { view } = place
    const include = namedBelongings(view).map(({ name }) => name)
    const query = include.length === 0 ? '' : `include=${include.join(',')}`
    const answer = await visit.ask({ method: 'GET', path: rowPathOf(place), query })
    const row = rowOf(answer)
    const etag = answer.headers.ETag ?? ''
    return {
      title: `${labelOf(view, row)} · ${view.name}`,
      body: html`<p class="crumbs"><a href="${visit.link(dataPath)}">Data</a> / <a href="${visit.link(dataUrl('list', place))}">${view.name}</a></p>
<div class="headed"><h1>${shortLabelOf(view, row)}</h1>${actions(visit, place, row)}</div>
${doneNotice(visit)}
${ruleNotice(view)}
${values(visit, view, row)}
${await machines(visit, place, row, etag)}
${relations(visit, view, row)}
${await rowAudit(visit, view, String(row.id))}
${await history(visit, view, String(row.id))}`,
    } satisfies ShownPage
  },
})

const words: { readonly [done: string]: string } = {
  created: 'The row was created.',
  changed: 'The change was saved.',
}

const doneNotice = ({ query }: Visit): Markup | false => {
  const done = query.get('done') ?? ''
  return Object.hasOwn(words, done) && html`<p class="said" role="status">${words[done]}</p>`
}

const actions = ({ link }: Visit, place: DataPlace, row: ConsoleRow): Markup => {
  const methods = methodsAt(place)
  const id = String(row.id)
  return html`<div class="actions">${methods.has('PATCH') && html`<a class="button" href="${link(dataUrl('edit', place, id))}">Edit</a>`}
${methods.has('DELETE') && html`<a class="button quiet" href="${link(dataUrl('delete', place, id))}">Delete</a>`}</div>`
}

/** The to-one relations whose rows can be shown by name beside their ids: as many as one request may include. */
const namedBelongings = (view: View): readonly ViewRelation[] =>
  [...view.include.values()]
    .map(({ relation }) => relation)
    .filter(({ relation }) => relation.kind === 'belongs-to')
    .slice(0, view.limits.includeRelations)

const nameOfReferred = (view: View, field: ViewField, row: ConsoleRow): Markup | false => {
  const relation = namedBelongings(view).find(
    (one) => one.relation === field.field?.relation && one.relation.kind === 'belongs-to',
  )
  const referred = relation && row[relation.name]
  if (!relation || typeof referred !== 'object' || referred === null) return false
  const label = labelOf(relation.target(), referred as ConsoleRow)
  return label !== row[field.name] && html` <span class="text">${label}</span>`
}

const values = (visit: Visit, view: View, row: ConsoleRow): Markup =>
  html`<dl class="row-values">${view.fields
    .filter(({ writeOnly }) => !writeOnly)
    .map(
      (field) =>
        html`<div><dt title="${field.description}">${field.name}</dt><dd>${wholeValue(visit, field, row[field.name])}${nameOfReferred(view, field, row)}</dd></div>`,
    )}</dl>`

const machines = async (
  visit: Visit,
  place: DataPlace,
  row: ConsoleRow,
  etag: string,
): Promise<readonly Markup[]> => {
  const { view } = place
  const found = view.fields.flatMap((field) => (field.states ? [{ view, field, states: field.states }] : []))
  return Promise.all(
    found.map(async (machine) => {
      const { field, states } = machine
      const now = String(row[field.name])
      const moves = methodsAt(place).has('PATCH') ? (movesIn(states)[now] ?? []) : []
      return html`<h2>${field.name}: <span class="tag">${now}</span></h2>
${
  moves.length === 0
    ? html`<p class="none">No move leads on from here.</p>`
    : visit.form(
        visit.link(dataUrl('edit', place, String(row.id))),
        html`<input type="hidden" name="etag" value="${etag}"><input type="hidden" name="was.${field.name}" value="${now}"><span>Move to</span>${moves.map(
          (to) => html`<button class="plain" name="move.${field.name}" value="${to}">${to}</button>`,
        )}`,
      )
}
${framed(`States of ${view.name}`, await statesDiagram(machine, now))}`
    }),
  )
}

const relations = (visit: Visit, view: View, row: ConsoleRow): Markup | false => {
  const many = [...view.relations.values()].flatMap((relation) => {
    const url = urlOfMany(view, relation, String(row.id))
    return url === null ? [] : [{ relation, url }]
  })
  return (
    many.length > 0 &&
    html`<h2>Relations</h2><ul class="tiles">${many.map(
      ({ relation, url }) =>
        html`<li><b><a href="${visit.link(url)}">${relation.name}</a></b><p>${relation.description}</p></li>`,
    )}</ul>`
  )
}

/** The list below the row, where the API has one. */
const urlOfMany = (view: View, { name, relation, target }: ViewRelation, id: string): string | null => {
  if (relation.kind !== 'has-many') return null
  const sub = target().under.find((one) => one.owner() === view && one.relation.name === name)
  return sub ? dataUrl('list', { segments: `${view.name}/${encodeURIComponent(id)}/${sub.segment}` }) : null
}

const mostEvents = 20

interface ReceivedEvent {
  readonly type: string
  readonly changed: readonly string[] | null
  readonly created_at: string
  readonly data: ConsoleRow
}

/** What happened to the row, newest first: its events. */
const history = async (visit: Visit, view: View, id: string): Promise<Markup | false> => {
  if (!view.events || !visit.parts.model.events) return false
  const query = new URLSearchParams({ 'filter[resource_id]': id, sort: '-id', limit: String(mostEvents) })
  const answer = await visit.ask({
    method: 'GET',
    path: `/${view.version.name}/events`,
    query: query.toString(),
  })
  if (answer.status !== 200) return false
  const events = listedRows(answer).rows as unknown as readonly ReceivedEvent[]
  return html`<h2>History</h2>
${tableOr(
  'No events are kept of this row.',
  'Events of the row',
  ['When', 'What', 'To'],
  events.map(
    ({ type, changed, created_at, data }) =>
      html`<tr><td>${timeShown(Date.parse(created_at))}</td><td>${type.split('.').at(-1)}</td><td>${changedValues(changed, data)}</td></tr>`,
  ),
)}
<p class="legend">Events are kept for ${visit.parts.model.events.keepDays} days.${events.length === mostEvents && ` These are the last ${mostEvents}.`}</p>`
}
