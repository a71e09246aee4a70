import type { PlainResponse } from '../call/exchange.ts'
import type { Maybe } from '../maybe.ts'
import { readyInTime } from '../store/ready-in-time.ts'
import type { NodeState, Store } from '../store/store.ts'
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

export const createProbes = ({ store, metrics }: ProbeSources): Probes => {
  let draining = false
  let checkedAt = Number.NEGATIVE_INFINITY
  let ready: Promise<readonly NodeState[] | null> = Promise.resolve(null)

  /** The machines of the store; null while it does not answer. */
  const answering = (): Promise<readonly NodeState[] | null> => {
    if (performance.now() - checkedAt > reuseMs) {
      checkedAt = performance.now()
      ready = readyInTime(store)
    }
    return ready
  }

  const readiness = async (): Promise<PlainResponse> => {
    if (draining) return status(503, 'stopping')
    const nodes = await answering()
    if (!nodes || (nodes.length > 0 && nodes.every(({ isReady }) => !isReady)))
      return status(503, 'store unavailable', nodes ?? [])
    return status(200, nodes.every(({ isReady }) => isReady) ? 'ready' : 'degraded', nodes)
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

/** Where accounts are spread over several machines, the answer says which of them are served. */
const status = (code: number, word: string, nodes: readonly NodeState[] = []): PlainResponse => ({
  status: code,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
  body: `${JSON.stringify({ status: word, ...(nodes.length > 0 && { nodes: statesOf(nodes) }) })}\n`,
})

const statesOf = (nodes: readonly NodeState[]): { [node: string]: string } =>
  Object.fromEntries(nodes.map(({ node, isReady }) => [node, isReady ? 'ready' : 'unavailable']))
