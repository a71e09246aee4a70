import { randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import type { EventLog } from '../events/event-log.ts'
import type { EventSignal } from '../events/event-signal.ts'
import { Planner } from '../plan/planner.ts'
import type { Store } from '../store/store.ts'
import { warnNowAndThen } from '../store/warn-now-and-then.ts'
import type { EngineHooksOf } from '../write/engine-hooks.ts'
import { addressGuard } from './addresses.ts'
import { AttemptWriter } from './attempt-writer.ts'
import { Dispatcher } from './dispatcher.ts'
import { createCaller } from './endpoint-call.ts'
import { webhookHooks } from './endpoint-hooks.ts'
import { EndpointMarks } from './endpoint-marks.ts'
import type { DeliveryCounts } from './endpoint-run.ts'
import { Leases } from './leases.ts'
import { type SecretBox, secretBox } from './secret-box.ts'
import type { WebhookSettings } from './webhook-settings.ts'

export interface WebhookParts {
  readonly model: Model
  readonly store: Store
  readonly clock: Clock
  readonly events: EventLog
  /** The store's own. */
  readonly secret: string
  readonly settings: WebhookSettings
}

/** The code around writes of endpoints, which the engine needs before it can send anything. */
export const webhookCode = ({ model, store, clock, events, secret, settings }: WebhookParts): EngineHooksOf =>
  webhookHooks({
    model,
    store,
    planner: new Planner(store.dialect),
    events,
    guard: addressGuard(settings.allow),
    box: secretBox(secret),
    marks: new EndpointMarks(store),
    now: clock.now,
  })

export interface WebhookFigures {
  readonly counts: DeliveryCounts
  /** The age of the oldest delivery that is still to be made, as it was a few seconds ago; 0 where there is none. */
  oldestPendingSeconds(): number
}

export interface Webhooks extends WebhookFigures {
  stop(): Promise<void>
}

export interface SendingParts extends WebhookParts {
  readonly signal: EventSignal
  readonly retirement: { names(): ReadonlySet<string> }
  readonly warn: (message: string, error: unknown) => void
}

/** Begins to send events to endpoints. */
export function startWebhooks(parts: SendingParts): Webhooks {
  const { model, store, clock, events, settings, signal, retirement, warn } = parts
  const box: SecretBox = secretBox(parts.secret)
  const failed = warnNowAndThen((error) => warn('Webhooks could not be sent for a moment.', error))
  const counts: DeliveryCounts = { delivered: 0, retried: 0, failed: 0 }
  const served = model.versions.map(({ name }) => name)
  const dispatcher = new Dispatcher({
    store,
    planner: new Planner(store.dialect),
    model,
    events,
    leases: new Leases(store, randomUUID(), () => [...new Set([...served, ...retirement.names()])]),
    attempts: new AttemptWriter(store, clock.now, failed),
    marks: new EndpointMarks(store),
    caller: createCaller(settings),
    box,
    delaysMs: settings.delaysMs,
    counts,
    isRetired: (name) => retirement.names().has(name),
    now: clock.now,
    failed,
    follow: (account, wake, position) => signal.follow(account, wake, position),
    lookEveryMs: settings.lookEveryMs,
  })
  signal.onCommit((account) => dispatcher.wake(account))
  return {
    counts,
    oldestPendingSeconds: () => {
      const { oldestPendingAt } = dispatcher
      return oldestPendingAt === null ? 0 : (clock.now() - oldestPendingAt) / 1_000
    },
    stop: () => dispatcher.stop(),
  }
}
