import { countedForNobody } from '../call/counted-work.ts'
import { type Clock, systemClock } from '../clock.ts'
import { compileApi } from '../compile/compile.ts'
import type { Model } from '../compile/model.ts'
import type { RecentRequests } from '../console/requests/recent-requests.ts'
import type { ProcessFigures } from '../console/today/process-figures.ts'
import type { ApiDeclaration } from '../declare/api.ts'
import type { AddressSettings } from '../declare/deployment.ts'
import { EventLog } from '../events/event-log.ts'
import { EventSignal } from '../events/event-signal.ts'
import { EventStreams } from '../events/event-streams.ts'
import { withAddresses } from '../guard/address-settings.ts'
import { createAuthenticator } from '../guard/authenticate.ts'
import { Jobs } from '../jobs/jobs.ts'
import type { RunnerSettings } from '../jobs/runner.ts'
import type { Outdated } from '../lifecycle/outdated.ts'
import type { Lifecycle } from '../lifecycle/start-lifecycle.ts'
import { measuredStore, type OnStatement } from '../store/measured-store.ts'
import { openReplicas, openStore, type StoreOptions } from '../store/open.ts'
import type { ReadReplicas } from '../store/postgres/read-replicas.ts'
import { StatementTimes } from '../store/statement-times.ts'
import type { Store, StoreCounters } from '../store/store.ts'
import { readWebhookSettings, type WebhookSettings } from '../webhooks/webhook-settings.ts'
import { startWebhooks, type Webhooks, webhookCode } from '../webhooks/webhooks.ts'
import { WordFiller } from '../write/word-filler.ts'
import { createEngine } from './create-engine.ts'
import type { Engine } from './engine.ts'
import { joinStore } from './join-store.ts'
import type { ConsolePlace } from './open-console.ts'
import { type OpenedStore, openOperations } from './open-operations.ts'
import type { Handle } from './shell.ts'
import { startSweeper } from './sweeper.ts'
import { sweepsOf } from './sweeps.ts'

export interface ServiceOptions {
  readonly declaration: ApiDeclaration
  /** Where the declaration was compiled already. */
  readonly model?: Model
  readonly databaseUrl: string
  /** Where the store is open and fits the model already. */
  readonly fitting?: FittingStore
  /** `/api`, where the service is mounted in another server. */
  readonly prefix?: string
  /** Settings of the store such as NOUNKIT_POOL; those of the process by default. */
  readonly env?: StoreOptions['env']
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
  /** Issuers, audiences and CORS origins that replace those of the declaration. */
  readonly addresses?: AddressSettings
  /** `NOUNKIT_RATE` */
  readonly rate?: string | undefined
  /** `NOUNKIT_REDIS_URL` */
  readonly redisUrl?: string | undefined
  /** Beside the API unless said. */
  readonly console?: ConsolePlace
  /** Whether who comes to the console from this machine is signed in. For `nounkit dev` alone. */
  readonly isDevelopment?: boolean
  /** How webhooks are sent; as `NOUNKIT_WEBHOOK_ALLOW` and `NOUNKIT_WEBHOOK_DELAYS` say. */
  readonly webhooks?: Partial<WebhookSettings>
  /** How jobs are run. */
  readonly jobs?: Partial<RunnerSettings>
  readonly warn?: (message: string, error: unknown) => void
  /** Called with each statement of a request. */
  readonly onStatement?: OnStatement
  /** Puts something between the engine and the store. */
  readonly watchStore?: (store: Store) => Store
  /** How often usage is written and retirements are read; null where the caller calls `lifecycle.beat` itself. */
  readonly beatMs?: number | null
}

export interface FittingStore {
  readonly store: Store
  /** The generation of the store when it was made to fit; a higher one means that another process has migrated it since. */
  readonly generation: number
}

/** An open and migrated store, and an engine on it: the service without its port. */
export interface Service {
  readonly model: Model
  readonly store: Store
  /** The counters of the store, with the statements of the standbys that answer reads. */
  readonly storeCounters: StoreCounters
  readonly engine: Engine
  /** The console, where it has a port of its own. */
  readonly console: Handle | null
  /** The requests that the console lists. The shell adds each one, because it knows their status and time. */
  readonly recentRequests: RecentRequests
  /** The figures of this process that the console shows. The server gives it its counters. */
  readonly figures: ProcessFigures
  readonly lifecycle: Lifecycle
  /** Null where the API has no events. */
  readonly webhooks: Webhooks | null
  /** Jobs run only in processes that have called `runJobs`. */
  readonly jobs: Jobs
  /** `work` is called once the service closes, after its jobs have ended. */
  whenClosed(work: () => void): void
  /** Whether the store was migrated for a newer release. This process then answers 503 and should exit. */
  readonly outdated: Outdated
  close(): Promise<void>
}

export async function openService(options: ServiceOptions): Promise<Service> {
  const declared = declaredModel(options)
  options.gate?.(declared)
  const storeOptions = options.env ? { env: options.env } : {}
  const opened = options.fitting?.store ?? (await openStore(options.databaseUrl, storeOptions))
  const statements = new StatementTimes()
  const store = measuredStore(options.watchStore?.(opened) ?? opened, statements, options.onStatement)
  let replicas: ReadReplicas | null = null
  try {
    const measured = (standby: Store): Store => measuredStore(standby, statements)
    replicas = options.readUrl ? await openReplicas(store, options.readUrl, options.env, measured) : null
    return await serviceOn({ store, replicas, statements }, declared, options)
  } catch (error) {
    await replicas?.close()
    await store.close()
    throw error
  }
}

function declaredModel({ model, declaration, contracts, file, prefix, addresses }: ServiceOptions): Model {
  const compiled =
    model ??
    compileApi(declaration, {
      ...(contracts ? { contracts } : {}),
      ...(file ? { file } : {}),
      ...(prefix ? { prefix } : {}),
    })
  return withAddresses(compiled, addresses ?? {})
}

async function serviceOn(opened: OpenedStore, declared: Model, options: ServiceOptions): Promise<Service> {
  const { store, replicas } = opened
  const { fitting, published, rate, redisUrl, beatMs, folder = '.', clock = systemClock } = options
  const warn = options.warn ?? (() => {})
  let planAnew = (): void => {}
  const { model, outdated, rates, secret, lifecycle } = await joinStore(store, {
    declared,
    fitsSince: fitting?.generation,
    published,
    clock,
    beatMs,
    rate,
    redisUrl,
    warn,
    planAnew: () => planAnew(),
  })
  const { retirement, usage } = lifecycle
  const authenticator = await createAuthenticator({ model, store, clock, folder, failures: rates.failures })
  const log = new EventLog(store)
  const signal = new EventSignal(log)
  const streams = new EventStreams(log, signal, model.limits.streams)
  const jobs = new Jobs({ model, store, clock, warn, isOutdated: () => outdated.is, settings: options.jobs })
  const settings = { ...readWebhookSettings({}), ...options.webhooks }
  const webhookParts = { model, store, clock, events: log, secret, settings }
  const filler = new WordFiller({ store, model, warn })
  const report: Engine['report'] = (error, request) => warn(`request ${request.id} failed`, error)
  const { console, recentRequests, figures, accountWork } = openOperations(opened, {
    model,
    clock,
    retirement,
    report,
    warn,
    handle: (request) => engine.handle(request),
    options,
  })
  const engine = createEngine({
    model,
    store,
    clock,
    secret,
    log,
    signal,
    jobs,
    streams,
    replicas,
    engineHooks: webhookCode(webhookParts),
    indexRows: (resource, account) => countedForNobody(() => filler.fillSoon(resource, account)),
    authenticator,
    rates: rates.limiter,
    retirement,
    outdated,
    usage,
    document: console.document,
    report,
  })
  planAnew = () => {
    engine.writer.planner.forget()
    engine.writer.writes.forget()
  }
  filler.begin()
  const sweeps = sweepsOf({ store, model, warn, writer: engine.writer }, clock, log, filler)
  const sweeper = startSweeper(store, clock, sweeps, warn)
  const webhooks = model.events && startWebhooks({ ...webhookParts, signal, retirement, warn })
  const closing: (() => void)[] = []
  return {
    model,
    store,
    jobs,
    whenClosed: (work) => void closing.push(work),
    storeCounters: replicas?.counters ?? store.counters,
    engine,
    console: console.apart,
    recentRequests,
    figures,
    webhooks,
    lifecycle,
    outdated,
    async close() {
      await jobs.stop()
      await accountWork.stop()
      for (const work of closing) work()
      await sweeper.stop()
      await filler.stop()
      streams.stop()
      await webhooks?.stop()
      await signal.stop()
      await figures.stop()
      await lifecycle.stop()
      await rates.close()
      await replicas?.close()
      await store.close()
    },
  }
}
