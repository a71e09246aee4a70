import type { Call } from '../call/call.ts'
import type { Caller } from '../call/caller.ts'
import type { StoredRow } from '../call/stored-row.ts'
import { notThere } from '../call/target.ts'
import type { Version } from '../compile/model.ts'
import { shownTypes } from '../compile/versions/events-view.ts'
import { webhookNames } from '../declare/webhook-resources.ts'
import type { EventLog } from '../events/event-log.ts'
import type { EventRow } from '../events/event-row.ts'
import { type EventJudge, permittedEvents } from '../events/permitted-events.ts'
import { showEvent } from '../events/show-event.ts'
import { audienceOf } from '../guard/audience.ts'
import { demandScope } from '../guard/scopes.ts'
import { Problem } from '../problems.ts'
import { FieldErrors } from '../request/field-errors.ts'
import { refuseFields } from '../request/fields-refused.ts'
import type { Store, Transaction } from '../store/store.ts'
import { dayMs } from '../times.ts'
import { type EngineHooks, type EngineHooksOf, noEngineHooks } from '../write/engine-hooks.ts'
import { notPermitted } from '../write/judge.ts'
import { newRow } from '../write/new-row.ts'
import type { AddressGuard } from './addresses.ts'
import type { EndpointMarks } from './endpoint-marks.ts'
import { countEndpoints, expireOthers, failPending, keyEnded, ownerOf } from './endpoint-rows.ts'
import { urlFault } from './endpoint-url.ts'
import { typesFault } from './event-types-fault.ts'
import { isOwner, ownedBy } from './owner.ts'
import type { SecretBox } from './secret-box.ts'
import { newSecret } from './signature.ts'
import { timeText } from './stored-times.ts'

export interface HookParts extends EventJudge {
  readonly store: Store
  readonly events: EventLog
  readonly guard: AddressGuard
  readonly box: SecretBox
  readonly marks: EndpointMarks
}

/** How long the old secret signs along with a new one. */
const overlapMs = dayMs

/** The code around writes of webhook endpoints, their secrets and their deliveries. */
export const webhookHooks =
  (parts: HookParts): EngineHooksOf =>
  async (call, values) => {
    switch (call.target.view.resource.name) {
      case webhookNames.endpoints:
        await parts.marks.endpointComes(parts.now())
        return endpointHooks(parts, call, await parts.events.last(call.caller.account))
      case webhookNames.secrets:
        return secretHooks(parts)
      case webhookNames.deliveries:
        return deliveryHooks(parts, call, values)
      default:
        return noEngineHooks
    }
  }

function endpointHooks(parts: HookParts, call: Call, position: number): EngineHooks {
  const { model, now } = parts
  const made = newSecret()
  // What happened before, or while it was not active, is not sent.
  const starts = { position, failing_since: null }
  return {
    async beforeCreate(row, changes) {
      judgeEndpoint(parts, call, call.target.version, row, typesOf(row))
      await refuseTooMany(call, changes.tx, model.limits.webhookEndpoints)
      return { version: call.target.version.name, ...ownedBy(call.caller), ...starts }
    },
    async afterCreate(row, changes) {
      const secrets = model.resources.get(webhookNames.secrets)
      if (!secrets) throw new Error(`The model has no ${webhookNames.secrets}`)
      const sealed = parts.box.seal(made)
      await changes.insert(secrets, newRow(secrets, { endpoint_id: row.id, sealed }, now()))
      return { secret: made }
    },
    async beforeUpdate(next, before) {
      const revived = next.active === true && before.active !== true
      // Whoever revives an endpoint that rests on nothing becomes its owner. Every other write by somebody else moves no rights.
      const rests = isOwner(call.caller, before) || (revived && before.disabled_reason === keyEnded)
      if (!rests && next.url !== before.url)
        throw notPermitted(call, 'change its url: only its owner says where its events are sent')
      const version = model.versions.find(({ name }) => name === before.version)
      const known = new Set(rests ? [] : typesOf(before))
      const asked = typesOf(next).filter((type) => !known.has(type))
      if (version) judgeEndpoint(parts, call, version, next, asked)
      return {
        ...(rests && ownedBy(call.caller)),
        ...(revived && { disabled_reason: null, ...starts }),
      }
    },
    async afterUpdate(row, before, changes) {
      if (row.active === true || before.active !== true) return
      await failPending(changes.tx, { account: changes.account, id: String(row.id) }, now())
    },
  }
}

/** One subject cannot take all that the account may have. */
async function refuseTooMany(call: Call, tx: Transaction, most: number): Promise<void> {
  const { account, subject } = call.caller
  const { ofAccount, ofSubject } = await countEndpoints(tx, account, subject)
  const mostOfSubject = Math.ceil(most / 2)
  if (ofAccount < most && (subject === null || ofSubject < mostOfSubject)) return
  const detail =
    ofAccount < most
      ? `You have ${mostOfSubject} webhook endpoints, which is the most that one subject of the account may have.`
      : `The account has ${most} webhook endpoints, which is the limit.`
  throw refused(call, 'too-many-webhook-endpoints', detail)
}

const typesOf = (row: StoredRow): readonly string[] => row.event_types as readonly string[]

/**
 * Events are told in the version that the endpoint was created in, whichever version is called now. The caller must be allowed to read
 * events of the types in `asked`.
 */
function judgeEndpoint(
  { guard }: HookParts,
  call: Call,
  version: Version,
  row: StoredRow,
  asked: readonly string[],
): void {
  const types = new Map(shownTypes(version).map(({ type, view }) => [type, view]))
  const url = urlFault(String(row.url), guard)
  const unknown = typesFault(typesOf(row), version, types)
  refuseFields(
    FieldErrors.of(
      ...(url === null ? [] : [{ pointer: '#/url', detail: url, code: 'url' }]),
      ...(unknown === null ? [] : [unknown]),
    ),
  )
  // `*` stands for all that the owner may read.
  for (const type of asked) {
    const view = types.get(type)
    if (view) demandScope(view, 'GET', call.caller)
  }
}

function secretHooks({ box, now }: HookParts): EngineHooks {
  const secret = newSecret()
  return {
    beforeCreate: async () => ({ sealed: box.seal(secret) }),
    async afterCreate(row, { tx, account }) {
      await expireOthers(tx, { account, id: String(row.endpoint_id) }, String(row.id), now() + overlapMs)
      return { secret }
    },
  }
}

async function deliveryHooks(parts: HookParts, call: Call, values: StoredRow): Promise<EngineHooks> {
  const { model, events, now } = parts
  const { caller } = call
  const event = await events.one(caller.account, String(values.event_id))
  const owner = await ownerOf(parts.store, caller.account, String(values.endpoint_id))
  const endpoints = model.resources.get(webhookNames.endpoints)
  // The caller and the owner of the endpoint must both be told the event: the one learns its type, the other is sent it.
  const shownToBoth = event && owner && (await shownToAll(parts, [caller, owner], event))
  return {
    async beforeCreate(row, changes) {
      const endpoint = endpoints && (await changes.lock(endpoints, String(row.endpoint_id), 'to-change'))
      if (!endpoint) throw notThere(call.target)
      const version = model.versions.find(({ name }) => name === endpoint.row.version)
      const type = version && shownToBoth ? shownToBoth(version) : null
      if (!type)
        refuseFields(
          FieldErrors.of({
            pointer: '#/event_id',
            detail: 'is not an event that the endpoint is told, or is no longer kept',
            code: 'unknown',
          }),
        )
      if (endpoint.row.active !== true)
        throw refused(
          call,
          'webhook-endpoint-inactive',
          'The endpoint is not active, so nothing is sent to it.',
        )
      return { type, next_attempt_at: timeText(now()) }
    },
  }
}

/** Gives the type of an event in the words of a version, where it is told to each of the callers. */
async function shownToAll(
  parts: HookParts,
  callers: readonly Caller[],
  event: EventRow,
): Promise<(version: Version) => string | null> {
  const forms = await Promise.all(
    callers.map(async (caller) => ({
      audience: audienceOf(caller),
      form: (await permittedEvents(parts, caller, [event])).get(event),
    })),
  )
  return (version) => {
    const shown = forms.map(({ audience, form }) => form && showEvent(version, event, form, audience))
    return shown.every((one) => one) ? (shown[0]?.type ?? null) : null
  }
}

function refused({ target }: Call, code: string, detail: string): Problem {
  const kind = target.view.resource.problems.get(code)
  if (!kind) throw new Error(`${target.view.name} has no problem ${code}`)
  return new Problem(code, kind, { detail })
}
