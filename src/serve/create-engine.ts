import { fillAnswers } from '../answer/embed.ts'
import { AnswerPlaces } from '../answer/places.ts'
import type { PlainRequest, PlainResponse } from '../call/exchange.ts'
import { plainOne } from '../call/query.ts'
import type { Clock } from '../clock.ts'
import type { Model, Version } from '../compile/model.ts'
import type { EventLog } from '../events/event-log.ts'
import type { EventSignal } from '../events/event-signal.ts'
import type { EventStreams } from '../events/event-streams.ts'
import type { Authenticator } from '../guard/authenticate.ts'
import type { RateLimiter } from '../guard/rate.ts'
import type { Outdated } from '../lifecycle/outdated.ts'
import type { Retirement } from '../lifecycle/retirement.ts'
import type { UsageRecorder } from '../lifecycle/use.ts'
import { Planner } from '../plan/planner.ts'
import { readOne } from '../read/read-rows.ts'
import type { Reader } from '../read/reader.ts'
import { createCursorSeal } from '../request/cursor.ts'
import { type AddSignals, signalsOf } from '../respond/deprecation-headers.ts'
import type { Store } from '../store/store.ts'
import type { EngineHooksOf } from '../write/engine-hooks.ts'
import { createWriter, type JobSink, type Writer } from '../write/writer.ts'
import type { Engine, Replicas } from './engine.ts'
import { callerHolder, FairLimit } from './fair-limit.ts'
import { handle } from './handle.ts'
import type { EventCounters } from './metrics.ts'
import type { RequestContext } from './request-context.ts'
import { createRouter } from './route.ts'
import { versionRetired } from './route-checks.ts'

export interface EngineParts {
  readonly model: Model
  readonly store: Store
  readonly clock: Clock
  /** The key of the cursors' HMAC; stored in the database. */
  readonly secret: string
  readonly authenticator: Authenticator
  readonly rates: RateLimiter
  readonly retirement: Retirement
  readonly outdated: Outdated
  readonly usage: UsageRecorder | null
  readonly log: EventLog
  readonly signal: EventSignal
  readonly jobs: JobSink
  readonly streams: EventStreams
  readonly engineHooks: EngineHooksOf
  readonly indexRows: Reader['indexRows']
  readonly replicas: Replicas | null
  readonly document: Engine['document']
  readonly report: Engine['report']
}

export function createEngine(parts: EngineParts): Engine {
  const { model, store, clock, usage, authenticator, rates, retirement, outdated, document, report } = parts
  const router = createRouter(model)
  const planner = new Planner(store.dialect)
  const seal = createCursorSeal(parts.secret)
  const { now } = clock
  const reader: Reader = {
    store,
    planner,
    seal,
    now,
    answers: { fill: (call, lacking) => fillAnswers(answering, call, lacking) },
    indexRows: parts.indexRows,
  }
  const writer: Writer = createWriter({
    model,
    store,
    planner,
    now,
    events: parts.signal,
    jobs: parts.jobs,
    engineHooks: parts.engineHooks,
    reread: (call) => readOne(reader, call, plainOne),
  })
  const answering = { writer, seal, model, places: answerPlaces(model.limits.answersInFlight) }
  const signals = signalsOfVersions(parts)
  const engine: Engine = {
    model,
    router,
    writer,
    answering,
    events: { model, store, planner, seal, now, log: parts.log, signal: parts.signal },
    audit: { model, store, planner, seal, now },
    streams: parts.streams,
    replicas: parts.replicas,
    readerFor: parts.replicas ? readerOn(reader, parts.replicas) : () => reader,
    eventCounters: model.events && countersOf(parts),
    authenticator,
    rates,
    retirement,
    outdated,
    document,
    report,
    missing(path) {
      const version = router.versionOf(path)
      // A retired version had an index and a document. Its other paths never existed, so they are 404 and not 410.
      const existed = version && [`/${version.name}`, `/${version.name}/openapi.json`].includes(path)
      throw existed && retirement.isRetired(version) ? versionRetired(version, engine) : router.missing(path)
    },
    conclude(request, response, context) {
      const { headers } = response
      if (context.rate) {
        headers['RateLimit-Policy'] = context.rate.policy
        headers.RateLimit = context.rate.state
      }
      const version = context.target?.version ?? router.versionOf(request.path)
      if (version) signals.get(version)?.(headers, context.target, request.path)
      usage?.count(request.method, response.status, context)
      fillNote(request, response, context)
    },
    signal(path, headers) {
      const target = router.find(path)
      const version = target?.version ?? router.versionOf(path)
      if (version) signals.get(version)?.(headers, target, path)
    },
    handle: (request) => handle(engine, request),
  }
  return engine
}

/** One account has half of the places, and a subject a third of them, so that code that hangs for one caller holds up no other. */
const answerPlaces = (most: number): AnswerPlaces => {
  // With two more, callers who come one after the other get all that there are, however few these are.
  const shares = new FairLimit(most + 2)
  return new AnswerPlaces(most, {
    take(caller) {
      const holder = callerHolder(caller)
      const giveBack = () => shares.giveBack(holder, 1)
      if (shares.take(holder, 1)) return giveBack
      giveBack()
      return null
    },
  })
}

/** A GET is answered by a replica where one shows what the account has written. */
const readerOn =
  (primary: Reader, replicas: Replicas): Engine['readerFor'] =>
  (account, after) => {
    const store = replicas.storeFor(account, after)
    return store ? { ...primary, store } : primary
  }

const countersOf = ({ signal, streams }: EngineParts): EventCounters => ({
  get written() {
    return signal.written
  },
  get streams() {
    return streams.count
  },
})

/** What adds the headers of each deprecated version, and records that callers were told its dates. */
const signalsOfVersions = ({ model, retirement, usage }: EngineParts): ReadonlyMap<Version, AddSignals> => {
  const signals = new Map<Version, AddSignals>()
  for (const version of model.versions) {
    const add = signalsOf(version, retirement.successorOf)
    if (!add) continue
    signals.set(version, (headers, target, path) => {
      add(headers, target, path)
      usage?.signalled(version)
    })
  }
  return signals
}

/** Fills in what metrics, the access log and spans say about the request, except who called. */
function fillNote({ note }: PlainRequest, response: PlainResponse, context: RequestContext): void {
  if (!note) return
  note.route = context.target?.template ?? null
  note.version = context.target?.version.name ?? null
  note.replayed = response.headers['Idempotent-Replayed'] === 'true'
}
