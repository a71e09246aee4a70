import type { NodeCounters } from '../store.ts'
import { isUnavailable } from './errors.ts'

/** Statements by the server that runs them: on Citus the node of the account, else the host of the connection. */
export class NodeCounts {
  /** On Citus the lane of a statement is a node (citus-nodes.ts). */
  lanesAreNodes = false
  readonly #counts = new Map<string, { statements: number; errors: number }>()

  count(host: string, lane: string | null, error: unknown): void {
    const node = this.lanesAreNodes && lane !== null ? lane : host
    let counts = this.#counts.get(node)
    if (!counts) {
      counts = { statements: 0, errors: 0 }
      this.#counts.set(node, counts)
    }
    counts.statements++
    if (error && isUnavailable(error)) counts.errors++
  }

  all(waitingIn: (lane: string) => number): readonly NodeCounters[] {
    return [...this.#counts].map(([node, counts]) => ({ node, ...counts, waiting: waitingIn(node) }))
  }
}
