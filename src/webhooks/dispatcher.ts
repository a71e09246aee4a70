import { setTimeout as sleep } from 'node:timers/promises'
import { oldestPending } from './delivery-rows.ts'
import { endThoseOfEndedKeys } from './end-endpoints.ts'
import type { EndpointMarks } from './endpoint-marks.ts'
import { type EndpointKey, keyOf } from './endpoint-rows.ts'
import { EndpointRun, type RunParts } from './endpoint-run.ts'
import { leaseMs } from './leases.ts'

/** How often deliveries that are due, and endpoints whose process has died, are looked for. */
const usualLookMs = 1_000
/** Of how many looks one also finds the oldest pending delivery, which takes longer the more are pending. */
const looksPerCount = 10
/** How long a process keeps the lease of an endpoint that has nothing to do. */
const lingerMs = 1_000
/** How long calls that are under way may take when the process stops. */
const stopMs = 5_000

export interface DispatcherOptions extends RunParts {
  readonly marks: EndpointMarks
  /**
   * Calls back when events of the account after a position may have been committed, by this or another process, until the returned function is
   * called.
   */
  follow(account: string, wake: () => void, position: () => number): () => void
}

/** An endpoint whose lease this process has. */
interface Held {
  readonly run: EndpointRun
  readonly unfollow: () => void
  /** Runs while the endpoint has nothing to do; then the lease is given back. */
  linger: NodeJS.Timeout | null
  releasing: boolean
  /** Whether there was news while the lease was given back. */
  again: boolean
}

/** Sends events to endpoints: finds the endpoints with work, and has one run for each. */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #held = new Map<string, Held>()
  readonly #woken = new Set<string>()
  readonly #lookEveryMs: number
  readonly #timers: readonly NodeJS.Timeout[]
  /** Whether any account has an active endpoint; where none has, commits of events need no look. */
  #anyActive = true
  /** When the oldest delivery was made that is still pending, as of the last count. */
  oldestPendingAt: number | null = null
  #looks = 0
  #looking: Promise<void> | null = null
  #stopped = false

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#lookEveryMs = options.lookEveryMs ?? usualLookMs
    this.#timers = [
      setInterval(() => this.#lookEverywhere(), this.#lookEveryMs).unref(),
      setInterval(() => this.#renew(), leaseMs / 3).unref(),
    ]
    this.#lookEverywhere()
  }

  /** Events of the account were committed by this process. */
  wake(account: string): void {
    if (this.#stopped || !this.#anyActive) return
    this.#woken.add(account)
    this.#begin()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    for (const timer of this.#timers) clearInterval(timer)
    for (const held of this.#held.values()) {
      clearTimeout(held.linger ?? undefined)
      held.unfollow()
      held.run.stop()
    }
    await this.#looking
    await this.#drained()
    this.#options.caller.close()
    await this.#options.attempts.settled()
    await this.#options.leases.releaseAll().catch(this.#options.failed)
  }

  /** Resolves when the calls under way have ended, or have had their time. */
  async #drained(): Promise<void> {
    const runs = [...this.#held.values()].map(({ run }) => run.drained())
    await Promise.race([Promise.all(runs), sleep(stopMs, undefined, { ref: false })])
  }

  #begin(): void {
    this.#looking ??= this.#lookAtWoken()
      .catch(this.#options.failed)
      .finally(() => this.#lookEnded())
  }

  /** At regular times: what is due now, and what other processes have left behind. */
  #lookEverywhere(): void {
    this.#looking ??= this.#lookForWork()
      .catch(this.#options.failed)
      .finally(() => this.#lookEnded())
  }

  #lookEnded(): void {
    this.#looking = null
    if (this.#woken.size > 0 && !this.#stopped) this.#begin()
  }

  async #lookForWork(): Promise<void> {
    const { leases, marks, store, now, failed } = this.#options
    const turn = await marks.turn(now(), this.#lookEveryMs)
    if (turn === 'ours') await endThoseOfEndedKeys(store, now()).catch(failed)
    this.#anyActive = turn === 'ours' ? await leases.anyActive() : turn === 'another'
    if (this.#looks++ % looksPerCount === 0)
      this.oldestPendingAt = this.#anyActive ? await oldestPending(store) : null
    if (turn !== 'ours' || !this.#anyActive) return
    for (const key of await leases.freeWithWork(now())) this.#poke(key)
  }

  async #lookAtWoken(): Promise<void> {
    const { leases, now, store, failed } = this.#options
    // Commits that follow each other quickly are looked at together.
    await new Promise((resolve) => setImmediate(resolve))
    const accounts = [...this.#woken]
    this.#woken.clear()
    const look = async (some: readonly string[]): Promise<void> => {
      for (const key of await leases.freeOf(some, now())) this.#poke(key)
    }
    if (!store.dialect.accountsApart) return look(accounts)
    // These promises are not awaited: a machine that is silent must not hold up accounts on others.
    for (const account of accounts) look([account]).catch(failed)
  }

  #poke(key: EndpointKey): void {
    if (this.#stopped) return
    const name = keyOf(key)
    const held = this.#held.get(name) ?? this.#hold(name, key)
    if (held.releasing) {
      held.again = true
      return
    }
    clearTimeout(held.linger ?? undefined)
    held.linger = null
    held.run.poke()
  }

  #hold(name: string, key: EndpointKey): Held {
    const run = new EndpointRun(key, this.#options, () => this.#linger(name))
    // The processes that write events cannot send them while this one has the lease.
    const unfollow = this.#options.follow(
      key.account,
      () => this.#poke(key),
      () => run.position,
    )
    const held: Held = { run, unfollow, linger: null, releasing: false, again: false }
    this.#held.set(name, held)
    return held
  }

  #linger(name: string): void {
    const held = this.#held.get(name)
    if (!held || held.linger || held.releasing || this.#stopped) return
    held.linger = setTimeout(() => void this.#release(name, held), lingerMs)
    held.linger.unref()
  }

  async #release(name: string, held: Held): Promise<void> {
    held.linger = null
    if (!held.run.isIdle || this.#stopped) return
    held.releasing = true
    held.unfollow()
    await this.#options.leases.release(held.run.key).catch(this.#options.failed)
    this.#held.delete(name)
    if (held.again) this.#poke(held.run.key)
  }

  #renew(): void {
    const { leases, now, failed } = this.#options
    if (this.#held.size > 0) leases.renewAll(now()).catch(failed)
  }
}
