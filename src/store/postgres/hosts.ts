import { StoreRefused } from '../store.ts'

/** Which of the servers of a URL a connection may lead to: any, or the one that can be written. */
export type SessionTarget = 'any' | 'primary'

/** Reads `target_session_attrs` of libpq. Its words for standbys are refused: standbys are named in NOUNKIT_READ_URL. */
export function targetOf(text: string | null | undefined): SessionTarget {
  if (!text || text === 'any') return 'any'
  if (text === 'primary' || text === 'read-write') return 'primary'
  throw new StoreRefused(
    `target_session_attrs is ${JSON.stringify(text)}. Write any, primary or read-write. Standbys that answer reads are named in NOUNKIT_READ_URL.`,
  )
}

/** One server of the URL. */
export interface Host {
  /** `db-1.internal:5432`, for messages and metrics. */
  readonly name: string
  /** The whole URL with this host alone. */
  readonly url: string
}

const parts = /^([a-z]+:\/\/(?:.*@)?)([^/?#]*)(.*)$/s

/** The hosts of `postgres://user:password@a:5432,b,c:5433/database`. */
export function hostsOf(url: string): readonly Host[] {
  const [, start = '', list = '', rest = ''] = parts.exec(url) ?? []
  return list.split(',').map((name) => ({ name: name || 'localhost', url: start + name + rest }))
}

/** A host that could not be connected to is tried last for this long. */
const avoidMs = 10_000
/** A host that has not answered an attempt to connect for this long is tried last, too. */
const silentMs = 50

/** The hosts of one store, in the order in which the next connection tries them. */
export class Hosts {
  readonly target: SessionTarget
  readonly #hosts: readonly Host[]
  readonly #failedAt = new Map<Host, number>()
  /** When the first attempt that has not ended yet began. */
  readonly #triedSince = new Map<Host, number>()
  #first = 0

  constructor(hosts: readonly Host[], target: SessionTarget) {
    this.#hosts = hosts
    this.target = target
  }

  /** Connections to any server are shared out among all of them. Those to one kind of server begin where one was found last. */
  inOrder(): readonly Host[] {
    if (this.target === 'any') this.#first = (this.#first + 1) % this.#hosts.length
    const order = [...this.#hosts.slice(this.#first), ...this.#hosts.slice(0, this.#first)]
    const now = performance.now()
    const isAvoided = (host: Host): boolean => {
      const hasFailed = now - (this.#failedAt.get(host) ?? Number.NEGATIVE_INFINITY) < avoidMs
      return hasFailed || now - (this.#triedSince.get(host) ?? now) > silentMs
    }
    return order.sort((a, b) => Number(isAvoided(a)) - Number(isAvoided(b)))
  }

  trying(host: Host): void {
    if (!this.#triedSince.has(host)) this.#triedSince.set(host, performance.now())
  }

  worked(host: Host): void {
    this.#triedSince.delete(host)
    this.#failedAt.delete(host)
    if (this.target !== 'any') this.#first = this.#hosts.indexOf(host)
  }

  failed(host: Host): void {
    this.#triedSince.delete(host)
    this.#failedAt.set(host, performance.now())
  }
}
