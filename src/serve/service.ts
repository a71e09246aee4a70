import { type Clock, systemClock } from '../clock.ts'
import { compileApi } from '../compile/compile.ts'
import type { Model } from '../compile/model.ts'
import type { ApiDeclaration } from '../declare/api.ts'
import { EventLog } from '../events/event-log.ts'
import { EventSignal } from '../events/event-signal.ts'
import { EventStreams } from '../events/event-streams.ts'
import { sweepEvents } from '../events/sweep-events.ts'
import { createAuthenticator } from '../guard/authenticate.ts'
import { openRates } from '../guard/rate-settings.ts'
import { deleteOldUsage } from '../lifecycle/clean.ts'
import { followMigrations, type Outdated } from '../lifecycle/outdated.ts'
import { markSilent } from '../lifecycle/recorder-rows.ts'
import { type Lifecycle, startLifecycle } from '../lifecycle/start-lifecycle.ts'
import type { PageParts } from '../pages/page-context.ts'
import { openReplicas, openStore } from '../store/open.ts'
import type { ReadReplicas } from '../store/postgres/read-replicas.ts'
import { startUnpublished } from '../store/schema/follow/start-unpublished.ts'
import { migrate } from '../store/schema/migrate-store.ts'
import { recordPublished } from '../store/schema/published.ts'
import { ensureSecret } from '../store/schema/secret.ts'
import { generationAtStart } from '../store/schema/store-generation.ts'
import type { Store } from '../store/store.ts'
import { hourMs, minuteMs } from '../times.ts'
import { sweepDeliveries } from '../webhooks/sweep-deliveries.ts'
import { readWebhookSettings, type WebhookSettings } from '../webhooks/webhook-settings.ts'
import { startWebhooks, type Webhooks, webhookCode } from '../webhooks/webhooks.ts'
import { sweep } from '../write/keys/sweep.ts'
import { seedEmpty } from '../write/seed.ts'
import { createEngine } from './create-engine.ts'
import type { Engine } from './engine.ts'
import { type Sweep, startSweeper } from './sweeper.ts'

export interface ServiceOptions {
  readonly declaration: ApiDeclaration
  /** Where the declaration was compiled already. */
  readonly model?: Model
  readonly databaseUrl: string
  /** Where the store is open and fits the model already. */
  readonly fitting?: FittingStore
  /** `NOUNKIT_READ_URL`: standbys that answer reads. */
  readonly readUrl?: string | undefined
  readonly clock?: Clock
  /** Frozen contracts, by version; compiling older versions follows them. */
  readonly contracts?: ReadonlyMap<string, unknown>
  /** The published versions; none for an API in development. Where it is not said, nothing is recorded about it in the store. */
  readonly published?: readonly string[]
  /** Throws where the model breaks a published contract. */
  readonly gate?: (model: Model) => void
  /** The folder of the declaration. */
  readonly folder?: string
  readonly file?: string
  /** `NOUNKIT_RATE` */
  readonly rate?: string | undefined
  /** `NOUNKIT_REDIS_URL` */
  readonly redisUrl?: string | undefined
  /** How webhooks are sent; as `NOUNKIT_WEBHOOK_ALLOW` and `NOUNKIT_WEBHOOK_DELAYS` say. */
  readonly webhooks?: Partial<WebhookSettings>
  readonly warn?: (message: string, error: unknown) => void
  /** Puts something between the engine and the store. */
  readonly watchStore?: (store: Store) => Store
  /** How often usage is written and retirements are read; null where the caller calls `lifecycle.beat` itself. */
  readonly beatMs?: number | null
}

export interface FittingStore {
  readonly store: Store
  /** That fits. */
  readonly generation: number
}

/** An open and migrated store, and an engine on it: the service without its port. */
export interface Service {
  readonly model: Model
  readonly store: Store
  readonly engine: Engine
  readonly lifecycle: Lifecycle
  /** Null where the API has no events. */
  readonly webhooks: Webhooks | null
  /** Whether the store was migrated for a newer release. This process then answers 503 and should exit. */
  readonly outdated: Outdated
  close(): Promise<void>
}

export async function openService(options: ServiceOptions): Promise<Service> {
  const { declaration, contracts, file, folder = '.', clock = systemClock } = options
  const warn = options.warn ?? (() => {})
  const model =
    options.model ??
    compileApi(declaration, { ...(contracts ? { contracts } : {}), ...(file ? { file } : {}) })
  options.gate?.(model)
  const { fitting } = options
  const opened = fitting?.store ?? (await openStore(options.databaseUrl))
  const store = options.watchStore?.(opened) ?? opened
  let replicas: ReadReplicas | null = null
  try {
    replicas = options.readUrl ? await openReplicas(store, options.readUrl) : null
    const outdated = followMigrations(store, model, fitting?.generation ?? (await generationAtStart(store)))
    if (!fitting) await migrateAtStart(store, model, options)
    await recordPublished(store, options.published ?? [])
    await seedEmpty(store, model, clock)
    const rates = await openRates({ model, rate: options.rate, redisUrl: options.redisUrl, warn })
    const secret = await ensureSecret(store)
    const { beatMs } = options
    const lifecycle = await startLifecycle({
      store,
      model,
      clock,
      outdated,
      warn,
      ...(beatMs === undefined ? {} : { everyMs: beatMs }),
    })
    const { retirement, usage } = lifecycle
    const authenticator = await createAuthenticator({ model, store, clock, folder, failures: rates.failures })
    const log = new EventLog(store)
    const signal = new EventSignal(log)
    const streams = new EventStreams(log, signal, model.limits.streams)
    const settings = { ...readWebhookSettings({}), ...options.webhooks }
    const webhookParts = { model, store, clock, events: log, secret, settings }
    const engine = createEngine({
      model,
      store,
      clock,
      secret,
      log,
      signal,
      streams,
      replicas,
      engineHooks: webhookCode(webhookParts),
      authenticator,
      rates: rates.limiter,
      retirement,
      outdated,
      usage,
      document: lazyPages({ model, store, clock, authenticator, retirement }),
      report: (error, request) => warn(`request ${request.id} failed`, error),
    })
    const sweeper = startSweeper(store, clock, sweepsOf(store, model, clock, log), warn)
    const webhooks = model.events && startWebhooks({ ...webhookParts, signal, retirement, warn })
    return {
      model,
      store,
      engine,
      webhooks,
      lifecycle,
      outdated,
      async close() {
        await sweeper.stop()
        streams.stop()
        await webhooks?.stop()
        await signal.stop()
        await lifecycle.stop()
        await rates.close()
        await replicas?.close()
        await store.close()
      },
    }
  } catch (error) {
    await replicas?.close()
    await store.close()
    throw error
  }
}

async function migrateAtStart(
  store: Store,
  model: Model,
  { published, warn }: ServiceOptions,
): Promise<void> {
  const waiting = (sentence: string): void => warn?.(sentence, null)
  if (published?.length === 0) await startUnpublished(store, model, { waiting })
  else await migrate(store, model, { waiting })
}

/** The housekeeping of a store. */
function sweepsOf(store: Store, { events }: Model, clock: Clock, log: EventLog): readonly Sweep[] {
  const everyMinute = (name: string, work: Sweep['work']): Sweep => ({ name, everyMs: minuteMs, work })
  const refresh = store.refreshStatistics
  return [
    everyMinute('keys', (end) => sweep(store, clock, end)),
    ...(refresh ? [everyMinute('statistics', refresh)] : []),
    everyMinute('recorders', () => markSilent(store, clock.now())),
    { name: 'usage', everyMs: hourMs, work: (end) => deleteOldUsage(store, clock.now(), end) },
    ...(events
      ? [
          everyMinute('events', (end) => sweepEvents(store, log, clock, events.keepDays, end)),
          everyMinute('deliveries', (end) => sweepDeliveries(store, clock, events.keepDays, end)),
        ]
      : []),
  ]
}

/** Loads the pages at their first request: a service that only answers API calls never needs them in memory. */
function lazyPages(parts: PageParts): Engine['document'] {
  let loading: Promise<Engine['document']> | null = null
  return async (request) => {
    loading ??= import('../pages/pages.ts').then(({ createPages }) => createPages(parts))
    return (await loading)(request)
  }
}
