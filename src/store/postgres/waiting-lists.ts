import type { PostgresClient } from './client.ts'

/** What a client is wanted for. Waiting reads are served first, then writes, then transactions, which need a client of their own. */
export type WorkKind = 'read' | 'write' | 'transaction'
export const workKinds: readonly WorkKind[] = ['read', 'write', 'transaction']

interface Waiter {
  wake(client: PostgresClient): void
  refuse(error: unknown): void
}

/** Statements and transactions that wait for a client: a list for each kind and lane, first come first served. */
export class WaitingLists {
  readonly #lists = {
    read: new Map<string | null, Waiter[]>(),
    write: new Map<string | null, Waiter[]>(),
    transaction: new Map<string | null, Waiter[]>(),
  }
  #size = 0

  get size(): number {
    return this.#size
  }

  sizeOf(lane: string | null): number {
    return workKinds.reduce((sum, kind) => sum + (this.#lists[kind].get(lane)?.length ?? 0), 0)
  }

  has(kind: WorkKind, lane: string | null): boolean {
    return this.#lists[kind].has(lane)
  }

  hasAny(kind: WorkKind): boolean {
    return this.#lists[kind].size > 0
  }

  lanes(kind: WorkKind): readonly (string | null)[] {
    return [...this.#lists[kind].keys()]
  }

  add(kind: WorkKind, lane: string | null, waiter: Waiter): void {
    const list = this.#lists[kind].get(lane)
    if (list) list.push(waiter)
    else this.#lists[kind].set(lane, [waiter])
    this.#size++
  }

  remove(kind: WorkKind, lane: string | null, waiter: Waiter): void {
    const list = this.#lists[kind].get(lane) ?? []
    const at = list.indexOf(waiter)
    if (at < 0) return
    list.splice(at, 1)
    this.#size--
    if (list.length === 0) this.#lists[kind].delete(lane)
  }

  /** Gives clients to those who wait, as long as `clientFor` has one; lanes take turns. */
  serve(kind: WorkKind, clientFor: (lane: string | null) => PostgresClient | null): void {
    const lists = this.#lists[kind]
    for (let served = true; served; ) {
      served = false
      for (const [lane, [first]] of [...lists]) {
        const client = first && clientFor(lane)
        if (!client) continue
        this.remove(kind, lane, first)
        first.wake(client)
        served = true
      }
    }
  }

  refuse(kind: WorkKind, lane: string, error: unknown): void {
    for (const waiter of [...(this.#lists[kind].get(lane) ?? [])]) {
      this.remove(kind, lane, waiter)
      waiter.refuse(error)
    }
  }

  refuseAll(error: unknown): void {
    for (const kind of workKinds) {
      const all = [...this.#lists[kind].values()].flat()
      this.#lists[kind].clear()
      this.#size -= all.length
      for (const waiter of all) waiter.refuse(error)
    }
  }
}
