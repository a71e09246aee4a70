import { setTimeout as sleep } from 'node:timers/promises'
import type { Store, Transaction } from '../store/store.ts'
import { dayMs } from '../times.ts'
import { type Attempted, writeAttempts } from './delivery-rows.ts'
import { deactivate, type EndpointKey, keyOf, noteHealth } from './endpoint-rows.ts'

/** Nothing but failures for this long end the calls of an endpoint. */
const patienceMs = 5 * dayMs

/** Between two writes: attempts of many calls are written together. Whoever is killed meanwhile has them made again. */
const pauseMs = 20

interface Waiting {
  readonly key: EndpointKey
  readonly attempt: Attempted
  readonly gone: boolean
  readonly written: () => void
}

/**
 * Writes what became of attempts. All that end while a write is under way, or soon after it, are written together with the next one. Where
 * accounts are on different machines, only those of one account are: a machine that does not answer holds up its own accounts.
 */
export class AttemptWriter {
  readonly #store: Store
  readonly #now: () => number
  readonly #failed: (error: unknown) => void
  /** What waits, and what is being written: by account, or all under one name. */
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #writing = new Map<string, Promise<void>>()

  constructor(store: Store, now: () => number, failed: (error: unknown) => void) {
    this.#store = store
    this.#now = now
    this.#failed = failed
  }

  /** `written` is called when the attempt is in the store, or could not be written: then it is made again. */
  add(key: EndpointKey, attempt: Attempted, gone: boolean, written: () => void): void {
    const account = this.#store.dialect.accountsApart ? key.account : undefined
    const name = account ?? ''
    const waiting = this.#waiting.get(name) ?? []
    this.#waiting.set(name, waiting)
    waiting.push({ key, attempt, gone, written })
    if (this.#writing.has(name)) return
    const writing = this.#writeAll(waiting, account).finally(() => {
      this.#waiting.delete(name)
      this.#writing.delete(name)
    })
    this.#writing.set(name, writing)
  }

  async settled(): Promise<void> {
    await Promise.all(this.#writing.values())
  }

  async #writeAll(waiting: Waiting[], account: string | undefined): Promise<void> {
    // The calls that end in the same turn of the event loop belong together.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      const batch = waiting.splice(0)
      try {
        await this.#store.transaction((tx) => this.#write(tx, batch), account)
      } catch (error) {
        this.#failed(error)
      }
      for (const { written } of batch) written()
      await sleep(pauseMs)
    }
  }

  async #write(tx: Transaction, batch: readonly Waiting[]): Promise<void> {
    const now = this.#now()
    // In one order, so that two processes do not lock the same rows crosswise.
    const groups = [...Map.groupBy(batch, ({ key }) => keyOf(key))].sort(([a], [b]) => (a < b ? -1 : 1))
    for (const [, all] of groups) {
      const [first] = all
      if (!first) continue
      const { key } = first
      const attempts = all.map(({ attempt }) => attempt)
      const worked = attempts.some(({ delivered }) => delivered)
      const failingSince = await noteHealth(tx, key, worked, now)
      await writeAttempts(tx, key, attempts, now)
      if (all.some(({ gone }) => gone)) await deactivate(tx, key, 'gone', now)
      else if (!worked && failingSince !== null && now - failingSince >= patienceMs)
        await deactivate(tx, key, 'failing', now)
    }
  }
}
