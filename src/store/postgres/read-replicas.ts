import type { Maybe } from '../../maybe.ts'
import { postgres } from '../../plan/postgres.ts'
import { type Row, type Store, type StoreCounters, StoreRefused, type Value } from '../store.ts'
import { hostsOf } from './hosts.ts'
import { openPostgres } from './open-postgres.ts'
import { ReadReplica, type Sample } from './read-replica.ts'

const pollMs = 200
const defaultLagMs = 5_000
const positionSql = `SELECT (pg_current_wal_lsn() - '0/0')::bigint`

/** A standby, as an operator sees it. */
export interface ReplicaState {
  readonly host: string
  /** Null while it does not answer. */
  readonly behindMs: number | null
  readonly isAsked: boolean
}

/** A store that can only read one row. */
type ReadStore = Pick<Store, 'first'>

/**
 * Standbys that answer reads. What an account has written is read from the primary until a standby has it. Other reads may be a
 * few seconds old, but never older than the lag that is allowed: a standby further behind, or away, is not asked.
 */
export class ReadReplicas {
  readonly #primary: Store
  readonly #replicas: readonly ReadReplica[]
  /** The fallback of each replica is the primary. */
  readonly #stores: readonly ReadStore[]
  readonly #lagMs: number
  /** What accounts have written within the allowed lag, oldest first: the position, and when. Every replica that is asked has the rest. */
  readonly #written = new Map<string, Sample>()
  #samples: readonly Sample[] = []
  #timer: NodeJS.Timeout | undefined
  #next = 0
  #closed = false

  constructor(primary: Store, replicas: readonly ReadReplica[], lagMs: number) {
    this.#primary = primary
    this.#replicas = replicas
    this.#stores = replicas.map((replica) => this.#withFallback(replica))
    this.#lagMs = lagMs
    void this.#poll()
  }

  /** The counters of the primary, with the statements of the standbys. */
  get counters(): StoreCounters {
    const { counters } = this.#primary
    const nodes = () => [
      ...counters.nodes,
      ...this.#replicas.flatMap(({ store }) => store?.counters.nodes ?? []),
    ]
    return Object.create(counters, { nodes: { get: nodes } })
  }

  /** Each standby, and whether it is close enough behind to be asked. */
  states(): readonly ReplicaState[] {
    return this.#replicas.map((replica) => ({
      host: replica.host.name,
      behindMs: replica.behindMs(),
      isAsked: replica.mayAnswer(0, this.#lagMs),
    }))
  }

  /** A replica that shows what the account has written, and everything up to `after`, the value of a Store-Position header; else null. */
  storeFor(account: string, after: string | undefined): ReadStore | null {
    const position = Math.max(this.#written.get(account)?.position ?? 0, positionIn(after))
    for (let tries = 0; tries < this.#replicas.length; tries++) {
      this.#next = (this.#next + 1) % this.#replicas.length
      if (this.#replicas[this.#next]?.mayAnswer(position, this.#lagMs))
        return this.#stores[this.#next] ?? null
    }
    return null
  }

  /** Called before a write. Whatever becomes of it, the primary answers the account's reads until the replicas have it. */
  writing(account: string): void {
    this.#note(account, Number.POSITIVE_INFINITY)
  }

  /** Called after a write is committed. Resolves with a position that shows it, for the Store-Position header. */
  async wrote(account: string): Promise<string | null> {
    const position = await this.#position().catch(() => null)
    if (position === null) return null
    this.#note(account, position)
    return String(position)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await Promise.all(this.#replicas.map((replica) => replica.close()))
  }

  #note(account: string, position: number): void {
    // Deleted first, so that the map stays in the order of time.
    this.#written.delete(account)
    this.#written.set(account, { position, at: performance.now() })
  }

  async #position(): Promise<number> {
    const [position] = (await this.#primary.first(positionSql, [])) ?? []
    return Number(position)
  }

  async #poll(): Promise<void> {
    const at = performance.now()
    const position = await this.#position().catch(() => null)
    if (this.#closed) return
    const oldest = at - this.#lagMs
    if (position !== null)
      this.#samples = [...this.#samples.filter((sample) => sample.at >= oldest), { at, position }]
    for (const [account, { at: wroteAt }] of this.#written) {
      if (wroteAt >= oldest) break
      this.#written.delete(account)
    }
    for (const replica of this.#replicas) replica.poll(this.#samples)
    this.#timer = setTimeout(() => void this.#poll(), pollMs)
    this.#timer.unref()
  }

  #withFallback(replica: ReadReplica): ReadStore {
    const first = async (sql: string, values: readonly Value[], account?: string) => {
      try {
        return await (replica.store ?? this.#primary).first(sql, values, account)
      } catch {
        replica.leaveOut()
        return this.#primary.first(sql, values, account)
      }
    }
    return { first: (sql, values, account): Maybe<Row | undefined> => first(sql, values, account) }
  }
}

/** The header is ours, so any other form than ours asks for nothing that a replica could show. */
function positionIn(header: string | undefined): number {
  if (header === undefined) return 0
  return /^\d{1,15}$/.test(header) ? Number(header) : Number.POSITIVE_INFINITY
}

/** Opens the standbys of `NOUNKIT_READ_URL` in the background: one that is away does not keep a process from starting. */
export function openReadReplicas(
  primary: Store,
  url: string,
  env: { readonly [name: string]: string | undefined },
  watch: (standby: Store) => Store,
): ReadReplicas {
  if (!/^postgres(ql)?:\/\//.test(url) || primary.dialect !== postgres)
    throw new StoreRefused(
      'NOUNKIT_READ_URL names standbys of a PostgreSQL, and DATABASE_URL its primary, without Citus: postgres://user:password@standby-1:5432,standby-2:5432/database.',
    )
  const lag = env.NOUNKIT_READ_LAG || String(defaultLagMs)
  if (!/^[1-9]\d{2,8}$/.test(lag))
    throw new StoreRefused(`NOUNKIT_READ_LAG is ${JSON.stringify(lag)}. Write milliseconds, at least 100.`)
  // A read that a replica does not answer in this time goes to the primary.
  const limits = { NOUNKIT_STATEMENT_TIMEOUT: lag, ...env }
  const replicas = hostsOf(url).map(
    (host) => new ReadReplica(host, async (one) => watch(await openPostgres(one, limits))),
  )
  return new ReadReplicas(primary, replicas, Number(lag))
}
