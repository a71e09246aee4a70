import { type Store, StoreError } from '../store.ts'
import type { Host } from './hosts.ts'

/** The position of the primary at some time: a replica that has reached it shows everything committed before that time. */
export interface Sample {
  readonly at: number
  readonly position: number
}

/** A position in the write-ahead log, as a number of bytes. A server that is no standby has none: it may have gone its own way. */
const replayedSql = `SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::bigint END`

/** One standby, of which reads are asked while it is close enough behind the primary. */
export class ReadReplica {
  readonly host: Host
  readonly #open: (url: string) => Promise<Store>
  #store: Store | null = null
  #polling: Promise<void> | null = null
  #position = 0
  /** Everything committed before this time is here. */
  #freshAt = Number.NEGATIVE_INFINITY

  constructor(host: Host, open: (url: string) => Promise<Store>) {
    this.host = host
    this.#open = open
  }

  get store(): Store | null {
    return this.#store
  }

  /** Whether it shows everything up to a position, and is at most `lagMs` behind. */
  mayAnswer(position: number, lagMs: number): boolean {
    return this.#store !== null && this.#position >= position && performance.now() - this.#freshAt <= lagMs
  }

  /** How old what it shows may be; null where it does not answer. */
  behindMs(): number | null {
    const ms = performance.now() - this.#freshAt
    return this.#store !== null && Number.isFinite(ms) ? ms : null
  }

  /** Asks how far it is; `samples` are the latest of the primary, oldest first. A replica that is still asked is not asked again. */
  poll(samples: readonly Sample[]): void {
    this.#polling ??= this.#poll(samples)
      .catch(() => this.leaveOut())
      .finally(() => {
        this.#polling = null
      })
  }

  /** Until the next poll succeeds. */
  leaveOut(): void {
    this.#freshAt = Number.NEGATIVE_INFINITY
  }

  async close(): Promise<void> {
    await this.#polling
    await this.#store?.close()
  }

  async #poll(samples: readonly Sample[]): Promise<void> {
    this.#store ??= await this.#open(this.host.url)
    const [replayed] = (await this.#store.first(replayedSql, [])) ?? []
    if (typeof replayed !== 'number') throw new StoreError('unavailable', `${this.host.name} is no standby`)
    this.#position = replayed
    const reached = samples.findLast(({ position }) => position <= replayed)
    if (reached) this.#freshAt = reached.at
  }
}
