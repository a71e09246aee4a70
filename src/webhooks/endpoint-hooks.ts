import { toldTypes } from '../compile/events-view.ts'
import type { Version } from '../compile/model.ts'
import { webhookNames } from '../compile/webhook-resources.ts'
import type { EventLog } from '../events/event-log.ts'
import { type EventJudge, permittedEvents } from '../events/permitted-events.ts'
import { showEvent } from '../events/show-event.ts'
import { audienceOf } from '../guard/audience.ts'
import { demandScope } from '../guard/scopes.ts'
import { Problem } from '../problems.ts'
import type { Call } from '../read/call.ts'
import { notThere } from '../read/read-rows.ts'
import type { StoredRow } from '../request/body.ts'
import { refuseFields } from '../request/fields-refused.ts'
import { dayMs } from '../times.ts'
import {
  type EngineHooks,
  type EngineHooksOf,
  type HookChanges,
  noEngineHooks,
} from '../write/engine-hooks.ts'
import { newRow } from '../write/new-row.ts'
import type { AddressGuard } from './addresses.ts'
import { makeDue } from './delivery-rows.ts'
import { countEndpoints, failPending, startAt, storeSecret, tellAs } from './endpoint-rows.ts'
import { urlFault } from './endpoint-url.ts'
import { typesFault } from './event-types-fault.ts'
import type { SecretBox } from './secret-box.ts'
import { newSecret } from './signature.ts'

export interface HookParts extends EventJudge {
  readonly events: EventLog
  readonly guard: AddressGuard
  readonly box: SecretBox
}

/** How long the old secret signs along with a new one. */
const overlapMs = dayMs

/** The code around writes of webhook endpoints, their secrets and their deliveries. */
export const webhookHooks =
  (parts: HookParts): EngineHooksOf =>
  async (call, values) => {
    switch (call.target.view.resource.name) {
      case webhookNames.endpoints:
        return endpointHooks(parts, call, await parts.events.last(call.caller.account))
      case webhookNames.secrets:
        return {
          afterCreate: (row, changes) =>
            newSecretFor(parts, changes, String(row.endpoint_id), String(row.id)),
        }
      case webhookNames.deliveries:
        return deliveryHooks(parts, call, values)
      default:
        return noEngineHooks
    }
  }

function endpointHooks(parts: HookParts, call: Call, position: number): EngineHooks {
  const { model, now } = parts
  return {
    async beforeCreate(row, changes) {
      judgeEndpoint(parts, call, call.target.version, row)
      const most = model.limits.webhookEndpoints
      if ((await countEndpoints(changes.tx, changes.account)) >= most)
        throw refused(
          call,
          'too-many-webhook-endpoints',
          `The account has ${most} webhook endpoints, which is the limit.`,
        )
      return { version: call.target.version.name }
    },
    async afterCreate(row, changes) {
      const id = String(row.id)
      await tellAs(changes.tx, id, call.caller)
      await startAt(changes.tx, { account: changes.account, id }, position)
      const secrets = model.resources.get(webhookNames.secrets)
      if (!secrets) throw new Error(`The model has no ${webhookNames.secrets}`)
      const secret = await changes.insert(secrets, newRow(secrets, { endpoint_id: id }, now()))
      return newSecretFor(parts, changes, id, String(secret.row.id))
    },
    async beforeUpdate(next, before, changes) {
      const version = model.versions.find(({ name }) => name === before.version)
      if (version) judgeEndpoint(parts, call, version, next)
      await tellAs(changes.tx, String(before.id), call.caller)
      return next.active === true ? { disabled_reason: null } : {}
    },
    async afterUpdate(row, before, changes) {
      if (row.active === before.active) return
      const key = { account: changes.account, id: String(row.id) }
      // What happened while it was not active is not sent: it starts anew, as a new endpoint does.
      if (row.active === true) await startAt(changes.tx, key, position)
      else await failPending(changes.tx, key, now())
    },
  }
}

/** Events are told in the version that the endpoint was created in, whichever version is called now. */
function judgeEndpoint({ guard }: HookParts, call: Call, version: Version, row: StoredRow): void {
  const types = new Map(toldTypes(version).map(({ type, view }) => [type, view]))
  const wanted = row.event_types as readonly string[]
  const url = urlFault(String(row.url), guard)
  const unknown = typesFault(wanted, version, types)
  refuseFields([
    ...(url === null ? [] : [{ pointer: '#/url', detail: url, code: 'url' }]),
    ...(unknown === null ? [] : [unknown]),
  ])
  // `*` stands for all that the caller may read.
  for (const type of wanted) {
    const view = types.get(type)
    if (view) demandScope(view, 'GET', call.caller)
  }
}

async function newSecretFor(
  { box, now }: HookParts,
  { tx, account }: HookChanges,
  endpoint: string,
  id: string,
): Promise<StoredRow> {
  const secret = newSecret()
  await storeSecret(tx, { account, id: endpoint }, id, box.seal(secret), now() + overlapMs)
  return { secret }
}

async function deliveryHooks(parts: HookParts, call: Call, values: StoredRow): Promise<EngineHooks> {
  const { model, events, now } = parts
  const event = await events.one(call.caller.account, String(values.event_id))
  const permitted = await permittedEvents(parts, call.caller, event ? [event] : [])
  const form = event && permitted.get(event)
  const endpoints = model.resources.get(webhookNames.endpoints)
  return {
    async beforeCreate(row, changes) {
      const endpoint = endpoints && (await changes.lock(endpoints, String(row.endpoint_id), 'to-change'))
      if (!endpoint) throw notThere(call.target)
      const version = model.versions.find(({ name }) => name === endpoint.row.version)
      const audience = audienceOf(call.caller)
      const shown = event && form && version ? showEvent(version, event, form, audience) : null
      if (!shown)
        refuseFields([
          {
            pointer: '#/event_id',
            detail: 'is not an event that the version of the endpoint tells, or is no longer kept',
            code: 'unknown',
          },
        ])
      if (endpoint.row.active !== true)
        throw refused(
          call,
          'webhook-endpoint-inactive',
          'The endpoint is not active, so nothing is sent to it.',
        )
      return { type: shown?.type }
    },
    async afterCreate(row, changes) {
      await makeDue(changes.tx, changes.account, String(row.id), now())
      return {}
    },
  }
}

function refused({ target }: Call, code: string, detail: string): Problem {
  const kind = target.view.resource.problems.get(code)
  if (!kind) throw new Error(`${target.view.name} has no problem ${code}`)
  return new Problem(code, kind, { detail })
}
