import { inTime } from '../../in-time.ts'
import type { NodeState, Row } from '../store.ts'
import { hashText } from './hash-text.ts'
import { type Lanes, usualShare } from './lanes.ts'

/** How often the places of shards are read again: shards move, and nodes come and go. */
const refreshMs = 5_000

/** The shards of the table that all tables of accounts are colocated with, by the lowest hash of each, and the node that has each. */
export const placesSql = `SELECT s.shardminvalue::int, n.nodename || ':' || n.nodeport
  FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_node n USING (groupid)
  WHERE s.logicalrelid = to_regclass('nounkit_idempotency') AND n.noderole = 'primary' AND n.isactive
  ORDER BY 1`

/**
 * The lane of statements without an account, such as housekeeping. They ask all nodes and stop when one of them is silent, so they get few
 * connections. Shared rows, of which the account is '', are on every node: they are read where the connection leads.
 */
const everyNode = 'every node'

const probeSql = 'SELECT 1 FROM "nounkit_idempotency" WHERE "account_id" = $1::text LIMIT 1'
const answerMs = 1_000

interface Shard {
  readonly lowest: number
  readonly node: string
}

/** On Citus a lane is a node: a node that falls silent holds its share of the connections, and no more. */
export class CitusNodes implements Lanes {
  readonly apart = true
  readonly #read: () => Promise<readonly Row[]>
  readonly #timer: NodeJS.Timeout
  #shards: readonly Shard[] = []
  #nodes: readonly string[] = []
  /** Nodes that have not yet answered `states`. */
  readonly #asked = new Set<string>()

  constructor(read: () => Promise<readonly Row[]>) {
    this.#read = read
    this.#timer = setInterval(() => void this.refresh(), refreshMs)
    this.#timer.unref()
  }

  of(account: string | undefined): string | null {
    if (account === undefined) return everyNode
    return account === '' ? null : this.#nodeOf(hashText(account))
  }

  mostOfKind(lane: string, connections: number): number {
    if (lane === everyNode) return Math.min(2, connections)
    return Math.min(usualShare(connections), Math.max(2, Math.floor(connections / this.#nodes.length)))
  }

  /** Asks every node for a row of an account that would be there. A node that is still asked, or takes too long, is not ready. */
  states(ask: (sql: string, account: string) => Promise<unknown>): Promise<readonly NodeState[]> {
    return Promise.all(this.#nodes.map(async (node) => ({ node, isReady: await this.#answers(node, ask) })))
  }

  async #answers(node: string, ask: (sql: string, account: string) => Promise<unknown>): Promise<boolean> {
    const account = this.#accountOn(node)
    if (account === null || this.#asked.has(node)) return false
    this.#asked.add(node)
    const answer = ask(probeSql, account)
      .then(
        () => true,
        () => false,
      )
      .finally(() => this.#asked.delete(node))
    return inTime(answer, answerMs, false)
  }

  /** Some account whose rows would be on that node. */
  #accountOn(node: string): string | null {
    for (let number = 0; number < 100_000; number++) {
      const account = `probe-${number}`
      if (this.of(account) === node) return account
    }
    return null
  }

  /** When the catalogue cannot be read, what was read last stays. */
  async refresh(): Promise<void> {
    try {
      this.#shards = (await this.#read()).map(([lowest, node]) => ({
        lowest: Number(lowest),
        node: String(node),
      }))
      this.#nodes = [...new Set(this.#shards.map(({ node }) => node))].sort()
    } catch {
      // The next refresh tries again.
    }
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** The last shard whose lowest hash is not above this one. */
  #nodeOf(hash: number): string | null {
    let [from, to] = [0, this.#shards.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.#shards[middle]?.lowest ?? 0) <= hash) from = middle + 1
      else to = middle
    }
    return this.#shards[from - 1]?.node ?? null
  }
}
