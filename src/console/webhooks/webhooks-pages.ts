import { webhookNames } from '../../declare/webhook-resources.ts'
import { html, type Markup, tableOr } from '../../pages/markup.ts'
import { askOnce, isConfirmed } from '../ask-once.ts'
import { chooseAccount } from '../choose-account.ts'
import type { ConsolePage, PostedForm, ShownPage, Visit } from '../console-page.ts'
import { ConsoleRefusal, noSuchPage } from '../console-refusal.ts'
import { listedRows, rowOf } from '../data/asked-rows.ts'
import type { ConsoleRow } from '../data/shown-value.ts'
import { timeShown } from '../time-shown.ts'

const webhooksPath = '/console/webhooks'
const statuses = ['pending', 'delivered', 'failed']
const mostShown = 100

/** `/console/webhooks`: the endpoints of an account; below it the deliveries of one, and one more try for each. */
export const webhooksPages: readonly ConsolePage[] = [
  {
    kind: 'page',
    path: webhooksPath,
    inNavigation: 'Webhooks',
    get: (visit) =>
      visit.account === null ? chooseAccount(visit, 'Webhooks', webhooksPath) : shownEndpoints(visit),
  },
  { kind: 'page', path: `${webhooksPath}/{id}`, get: shownDeliveries, post: sendOnceMore },
]

const pathOf = ({ parts }: Visit, id?: string): string => {
  const { head, events } = parts.model
  if (!events) throw new ConsoleRefusal(404, 'No webhooks', 'The API declares no events, so it sends none.')
  return `/${head.name}/${webhookNames.endpoints}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
}

const urlOf = (id: string): string => `${webhooksPath}/${encodeURIComponent(id)}`

async function shownEndpoints(visit: Visit): Promise<ShownPage> {
  const answer = await visit.ask({ method: 'GET', path: pathOf(visit), query: `limit=${mostShown}` })
  if (answer.status !== 200) rowOf(answer)
  const { rows, hasMore } = listedRows(answer)
  return {
    title: 'Webhooks',
    isWide: true,
    body: html`<h1>Webhook endpoints</h1>
${tableOr(
  'The account has no endpoint.',
  'Webhook endpoints',
  ['URL', 'Events', 'Version', 'State', 'Rests on', 'Made'],
  rows.map((row) => endpointRow(visit, row)),
)}
${hasMore && html`<p class="legend">The first ${mostShown}. <a href="${visit.link(`/console/data/list/${webhookNames.endpoints}`)}">All, as rows</a></p>`}`,
  }
}

const endpointRow = (visit: Visit, row: ConsoleRow): Markup => {
  const types = Array.isArray(row.event_types) ? row.event_types.join(', ') : ''
  const owner = (row.owner ?? null) as { consumer?: string; subject?: string | null } | null
  return html`<tr><td><a href="${visit.link(urlOf(String(row.id)))}">${String(row.url)}</a>${typeof row.description === 'string' && html`<br><small>${row.description}</small>`}</td><td>${types}</td><td>${String(row.version)}</td><td>${stateOf(row)}</td><td><code>${owner?.consumer ?? 'unknown'}</code>${owner?.subject && html` for ${owner.subject}`}</td><td>${timeShown(Date.parse(String(row.created_at)))}</td></tr>`
}

const stateOf = ({ active, disabled_reason: reason }: ConsoleRow): string =>
  active === true ? 'active' : typeof reason === 'string' ? `ended: ${reason}` : 'not active'

async function shownDeliveries(visit: Visit): Promise<ShownPage> {
  const { query, params, ask, link } = visit
  const id = params.id ?? ''
  const row = rowOf(await ask({ method: 'GET', path: pathOf(visit, id) }))
  const status = statuses.find((one) => one === query.get('status')) ?? null
  const asked = `limit=${mostShown}${status === null ? '' : `&filter[status]=${status}`}`
  const answer = await ask({ method: 'GET', path: `${pathOf(visit, id)}/deliveries`, query: asked })
  if (answer.status !== 200) rowOf(answer)
  const { rows, hasMore } = listedRows(answer)
  return {
    title: String(row.url),
    isWide: true,
    body: html`<p class="crumbs"><a href="${link(webhooksPath)}">Webhooks</a></p>
<h1>${String(row.url)}</h1>
${query.get('done') === 'sent' && html`<p class="said" role="status">The event is sent once more. The newest delivery says what became of it.</p>`}
<p>${stateOf(row)} · <a href="${link(`/console/data/row/${webhookNames.endpoints}/${encodeURIComponent(id)}`)}">The endpoint as a row</a></p>
<h2>Deliveries</h2>
<p class="paging">${[null, ...statuses].map((one) => html`<a href="${link(urlOf(id), { status: one })}"${one === status && html` aria-current="page"`}>${one ?? 'all'}</a>`)}</p>
${tableOr(
  'No deliveries.',
  'Deliveries',
  ['Made', 'Event', 'State', { figure: 'Attempts' }, 'Next', 'Last answer', 'Do'],
  rows.map((one) => deliveryRow(visit, id, one, row.active === true)),
)}
${hasMore && html`<p class="legend">The newest ${mostShown}.</p>`}`,
  }
}

const deliveryRow = (visit: Visit, endpoint: string, row: ConsoleRow, isActive: boolean): Markup => {
  const next = typeof row.next_attempt_at === 'string' ? Date.parse(row.next_attempt_at) : null
  const event = String(row.event_id)
  return html`<tr><td>${timeShown(Date.parse(String(row.created_at)))}</td><td>${String(row.type)}<br><code>${event}</code></td><td>${String(row.status)}</td><td class="figure">${String(row.attempts)}</td><td>${timeShown(next)}</td><td>${lastOf(row)}</td><td>${isActive && visit.form(visit.link(urlOf(endpoint)), html`<input type="hidden" name="event" value="${event}"><button class="plain" aria-label="Send once more: ${event}">Send once more</button>`)}</td></tr>`
}

const lastOf = ({ last_status_code: code, last_error: error }: ConsoleRow): Markup => {
  const answerParts = [code, error].filter((one) => typeof one === 'number' || typeof one === 'string')
  return answerParts.length === 0 ? html`<span class="none">none</span>` : html`${answerParts.join(' ')}`
}

/** A delivery of its own, made as a caller makes one. */
async function sendOnceMore(visit: Visit, form: PostedForm) {
  const { parts, params, operator, request, account } = visit
  const id = params.id ?? ''
  const event = form.get('event') ?? ''
  if (event === '' || account === null) throw noSuchPage()
  if (!isConfirmed(form))
    return askOnce(visit, form, {
      title: 'Send the event once more?',
      content: html`<p>The endpoint gets the event <code>${event}</code> in a new call, also where it has it already.</p>`,
      path: urlOf(id),
      fields: ['event'],
      button: 'Send it once more',
      back: urlOf(id),
    })
  const path = `${pathOf(visit, id)}/deliveries`
  const made = rowOf(await visit.ask({ method: 'POST', path, body: { event_id: event } }))
  await parts.recordAct({
    operator,
    act: 'delivery-retried',
    account,
    requestId: request.id,
    detail: { endpoint: id, event, delivery: String(made.id) },
  })
  return { goTo: visit.link(urlOf(id), { done: 'sent' }) }
}
