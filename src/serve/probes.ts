import type { Maybe } from '../maybe.ts'
import type { PlainResponse } from '../request/exchange.ts'
import type { Store } from '../store/store.ts'
import { metricsContentType } from './prometheus-text.ts'

/** `/livez`, `/readyz` and `/metrics`. They need no key and are not rate limited. */
export interface Probes {
  /** The answer for a probe path; null for any other path. */
  answer(method: string, path: string): Maybe<PlainResponse> | null
  /** Makes `/readyz` answer 503 from now on, so that load balancers send no more requests. */
  drain(): void
}

export interface ProbeSources {
  readonly store: Store
  /** The metrics of this process, or of all workers together. */
  readonly metrics: () => Maybe<string>
}

/** How long an answer of the store is reused: anyone may send probes, as often as they like. */
const reuseMs = 500
const storeTimeoutMs = 2_000

export const createProbes = ({ store, metrics }: ProbeSources): Probes => {
  let draining = false
  let checkedAt = Number.NEGATIVE_INFINITY
  let ready: Promise<boolean> = Promise.resolve(false)

  const isReady = (): Promise<boolean> => {
    if (performance.now() - checkedAt > reuseMs) {
      checkedAt = performance.now()
      ready = answersInTime(store)
    }
    return ready
  }

  const readiness = async (): Promise<PlainResponse> => {
    if (draining) return status(503, 'stopping')
    return (await isReady()) ? status(200, 'ready') : status(503, 'store unavailable')
  }

  const metricsAnswer = async (): Promise<PlainResponse> => ({
    status: 200,
    headers: { 'Content-Type': metricsContentType, 'Cache-Control': 'no-store' },
    body: await metrics(),
  })

  return {
    answer(method, path) {
      if (path !== '/livez' && path !== '/readyz' && path !== '/metrics') return null
      if (method !== 'GET' && method !== 'HEAD') return null
      if (path === '/livez') return status(200, 'alive')
      return path === '/readyz' ? readiness() : metricsAnswer()
    },
    drain() {
      draining = true
    },
  }
}

const answersInTime = async (store: Store): Promise<boolean> => {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), storeTimeoutMs)
  const answered = store.ready().then(
    () => true,
    () => false,
  )
  return Promise.race([answered, late.promise]).finally(() => clearTimeout(timer))
}

const status = (code: number, word: string): PlainResponse => ({
  status: code,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
  body: `{"status":"${word}"}\n`,
})
