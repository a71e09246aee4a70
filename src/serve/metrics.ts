import type { RequestNote } from '../call/exchange.ts'
import { type CountedRoute, durationBounds, type ProcessCounts } from '../console/today/figures.ts'
import type { JobMetrics } from '../jobs/jobs.ts'
import type { NodeCounters, StoreCounters } from '../store/store.ts'
import type { WebhookFigures } from '../webhooks/webhooks.ts'
import type { Admission } from './overload.ts'
import type { Family, Snapshot } from './prometheus-text.ts'

const bounds = durationBounds

/** Counts of one route, method and version. Labels come from declared routes, never from URLs, so their number is bounded. */
interface Series {
  readonly method: string
  readonly route: string
  readonly version: string
  readonly labels: string
  /** Requests by status. */
  readonly statuses: Map<number, number>
  /** Requests per histogram bucket, not cumulative; the last bucket is +Inf. */
  readonly buckets: Float64Array
  seconds: number
}

export interface Metrics {
  count(method: string, note: RequestNote, status: number, ms: number): void
  snapshot(): Snapshot
  /** The same counts, for the console. */
  counted(): ProcessCounts
}

export interface MetricSources {
  readonly store: StoreCounters
  readonly admission: Admission
  /** Null where the API has no events. */
  readonly events: EventCounters | null
  /** Null where the API has no events. */
  readonly webhooks: WebhookFigures | null
  /** Null where the API has no jobs. */
  readonly jobs: JobMetrics | null
}

export interface EventCounters {
  readonly written: number
  readonly streams: number
}

export const createMetrics = ({ store, admission, events, webhooks, jobs }: MetricSources): Metrics => {
  const all: Series[] = []
  // Nested maps by version, route and method: a combined key would be a new string for each request.
  const index = new Map<string, Map<string, Map<string, Series>>>()
  let replays = 0

  const seriesOf = (method: string, route: string, version: string): Series =>
    index.get(version)?.get(route)?.get(method) ?? newSeries(method, route, version)

  const newSeries = (method: string, route: string, version: string): Series => {
    const labels = `method="${method}",route="${route}",version="${version}"`
    const buckets = new Float64Array(bounds.length + 1)
    const series = { method, route, version, labels, statuses: new Map(), buckets, seconds: 0 }
    const routes = index.get(version) ?? new Map<string, Map<string, Series>>()
    const methods = routes.get(route) ?? new Map<string, Series>()
    index.set(version, routes.set(route, methods.set(method, series)))
    all.push(series)
    return series
  }

  return {
    count(method, note, status, ms) {
      const series = seriesOf(method, note.route ?? 'none', note.version ?? 'none')
      series.statuses.set(status, (series.statuses.get(status) ?? 0) + 1)
      const seconds = ms / 1000
      let slot = 0
      while (slot < bounds.length && seconds > (bounds[slot] ?? 0)) slot++
      series.buckets[slot] = (series.buckets[slot] ?? 0) + 1
      series.seconds += seconds
      if (note.replayed) replays++
    },
    snapshot: () => [
      requestCounts(all),
      requestDurations(all),
      counter('nounkit_replays_total', 'Creates answered from a stored response.', replays),
      ...admissionFamilies(admission),
      ...storeFamilies(store),
      ...(events ? eventFamilies(events) : []),
      ...(webhooks ? webhookFamilies(webhooks) : []),
      ...(jobs ? jobFamilies(jobs) : []),
      ...processFamilies(),
    ],
    counted: () => ({
      routes: all.map(countedRoute),
      replays,
      commits: store.commits,
      committed: store.committed,
      statements: store.statements,
      now: {
        inFlight: admission.inFlight,
        streams: events?.streams ?? 0,
        lagMs: admission.lag,
        connections: store.connections,
        busyConnections: store.busyConnections,
        waiting: store.waiting,
        webhookSeconds: webhooks?.oldestPendingSeconds() ?? null,
        jobs: jobs?.figures ?? null,
      },
    }),
  }
}

const countedRoute = ({ method, route, version, statuses, buckets, seconds }: Series): CountedRoute => {
  const sumOf = (isMeant: (status: number) => boolean): number =>
    [...statuses].reduce((sum, [status, count]) => (isMeant(status) ? sum + count : sum), 0)
  return {
    method,
    route,
    version,
    failed: sumOf((status) => status >= 500),
    refused: sumOf((status) => status >= 400 && status < 500 && status !== 429),
    limited: sumOf((status) => status === 429),
    seconds,
    buckets: Array.from(buckets),
  }
}

const requestCounts = (all: Iterable<Series>): Family => {
  const samples: { [series: string]: number } = {}
  for (const { labels, statuses } of all) {
    for (const [status, count] of statuses) samples[`{${labels},status="${status}"}`] = count
  }
  return counter('nounkit_requests_total', 'Requests answered.', samples)
}

const requestDurations = (all: Iterable<Series>): Family => {
  const samples: { [series: string]: number } = {}
  for (const { labels, buckets, seconds } of all) {
    let total = 0
    for (const [slot, count] of buckets.entries()) {
      total += count
      samples[`_bucket{${labels},le="${bounds[slot] ?? '+Inf'}"}`] = total
    }
    samples[`_sum{${labels}}`] = seconds
    samples[`_count{${labels}}`] = total
  }
  const help = 'Time from the end of the headers to the answer.'
  return histogram('nounkit_request_duration_seconds', help, samples)
}

const admissionFamilies = (admission: Admission): Family[] => [
  gauge('nounkit_requests_in_flight', 'Requests being worked on.', admission.inFlight),
  counter('nounkit_requests_turned_away_total', 'Requests refused because of overload.', admission.refused),
  {
    ...gauge('nounkit_event_loop_lag_seconds', 'How late the last timer came.', admission.lag / 1000),
    merge: 'max',
  },
]

const storeFamilies = (store: StoreCounters): Family[] => [
  counter('nounkit_store_statements_total', 'Statements sent to the store.', store.statements),
  counter('nounkit_store_prepared_total', 'Statement texts prepared.', store.prepared),
  counter('nounkit_store_commits_total', 'Commits made durable.', store.commits),
  counter(
    'nounkit_store_transactions_total',
    'Transactions within those commits; divided by them, the size of a commit batch.',
    store.committed,
  ),
  gauge('nounkit_store_connections', 'Connections to the store.', store.connections),
  gauge('nounkit_store_connections_busy', 'Connections at work.', store.busyConnections),
  gauge('nounkit_store_waiting', 'Work that waits for the store.', store.waiting),
  ...nodeFamilies(store.nodes),
]

const nodeFamilies = (nodes: readonly NodeCounters[]): Family[] => {
  const samplesOf = (figure: (node: NodeCounters) => number): Family['samples'] =>
    Object.fromEntries(nodes.map((one) => [`{node="${one.node}"}`, figure(one)]))
  return [
    counter(
      'nounkit_store_node_statements_total',
      'Statements by the server that ran them.',
      samplesOf(({ statements }) => statements),
    ),
    counter(
      'nounkit_store_node_errors_total',
      'Statements that failed because the server was not available.',
      samplesOf(({ errors }) => errors),
    ),
    gauge(
      'nounkit_store_node_waiting',
      'Statements of accounts on the node that wait for a connection.',
      samplesOf(({ waiting }) => waiting),
    ),
  ]
}

const eventFamilies = ({ written, streams }: EventCounters): Family[] => [
  counter('nounkit_events_written_total', 'Events of committed changes.', written),
  gauge('nounkit_event_streams', 'Open streams of events.', streams),
]

const webhookFamilies = (webhooks: WebhookFigures): Family[] => {
  const results = Object.entries(webhooks.counts)
  return [
    counter(
      'nounkit_webhook_calls_total',
      'Calls of webhook endpoints, by what became of the delivery.',
      Object.fromEntries(results.map(([result, count]) => [`{result="${result}"}`, count])),
    ),
    {
      ...gauge(
        'nounkit_webhook_oldest_pending_seconds',
        'The age of the oldest delivery that is still to be made.',
        webhooks.oldestPendingSeconds(),
      ),
      merge: 'max',
    },
  ]
}

const jobFamilies = ({ counts, figures }: JobMetrics): Family[] => {
  const { oldestSeconds, ...numbers } = figures
  const labelled = (label: string, all: object): Family['samples'] =>
    Object.fromEntries(Object.entries(all).map(([name, count]) => [`{${label}="${name}"}`, count]))
  // Every process counts the jobs of the whole store.
  const ofStore = (family: Family): Family => ({ ...family, merge: 'max' })
  return [
    counter('nounkit_job_runs_total', 'Runs of jobs, by what became of the job.', labelled('result', counts)),
    ofStore(gauge('nounkit_jobs', 'Jobs in the store.', labelled('status', numbers))),
    ofStore(
      gauge(
        'nounkit_jobs_oldest_seconds',
        'For how long the oldest job that is due has waited.',
        oldestSeconds,
      ),
    ),
  ]
}

const processFamilies = (): Family[] => {
  const { user, system } = process.cpuUsage()
  return [
    gauge('process_resident_memory_bytes', 'Memory of the process.', process.memoryUsage.rss()),
    counter('process_cpu_seconds_total', 'Processor time used.', (user + system) / 1e6),
    gauge('nounkit_processes', 'Processes behind these figures.', 1),
  ]
}

const familyOf =
  (type: Family['type']) =>
  (name: string, help: string, figures: number | Family['samples']): Family => ({
    name,
    help,
    type,
    samples: typeof figures === 'number' ? { '': figures } : figures,
  })
const counter = familyOf('counter')
const gauge = familyOf('gauge')
const histogram = familyOf('histogram')
