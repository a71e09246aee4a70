import type { PostgresClient } from './client.ts'
import type { Lanes } from './lanes.ts'
import type { WorkKind } from './waiting-lists.ts'

/** A client whose server has been silent for this long takes no further statement: it would wait behind the one that is slow. */
export const slowMs = 100

/** The share of the clients that one lane can hold. */
export class Shares {
  lanes: Lanes
  readonly #clients: readonly PostgresClient[]

  constructor(clients: readonly PostgresClient[], lanes: Lanes) {
    this.#clients = clients
    this.lanes = lanes
  }

  /** Whether a lane may not hold another client. */
  isUsedUp(kind: WorkKind, lane: string): boolean {
    const now = performance.now()
    let all = 0
    let same = 0
    for (const client of this.#clients) {
      if (!holds(client, kind, lane, now)) continue
      all++
      if (isOfKind(client, kind)) same++
    }
    return same >= this.#mostOfKind(lane) || all >= this.#mostOfAll(lane)
  }

  /** The clients that keep a lane from holding another one; none while it may. */
  limiting(kind: WorkKind, lane: string): readonly PostgresClient[] {
    const now = performance.now()
    const all = this.#clients.filter((client) => holds(client, kind, lane, now))
    const same = all.filter((client) => isOfKind(client, kind))
    if (same.length >= this.#mostOfKind(lane)) return same
    return all.length >= this.#mostOfAll(lane) ? all : []
  }

  #mostOfKind(lane: string): number {
    return this.lanes.mostOfKind(lane, this.#clients.length)
  }

  /** Reads have a client more, so that an account can still read while its writes wait for a lock. */
  #mostOfAll(lane: string): number {
    const connections = this.#clients.length
    const most = this.#mostOfKind(lane)
    return Math.min(most + Math.ceil(most / 3), Math.max(most + 1, connections - 2))
  }
}

/** A transaction may begin behind single statements that are soon answered, so only those that are not count against it. */
const holds = (client: PostgresClient, kind: WorkKind, lane: string, now: number): boolean => {
  if (client.lane !== lane) return false
  if (client.reserved) return true
  return kind === 'transaction' ? client.silentMs(now) > slowMs : client.inFlight > 0
}

const isOfKind = (client: PostgresClient, kind: WorkKind): boolean =>
  (client.reserved || client.writing > 0) === (kind !== 'read')
