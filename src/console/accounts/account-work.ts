import { type DeletedAccount, deleteAccount } from '../../accounts/delete-account.ts'
import { type AccountFigures, listAccounts } from '../../accounts/list-accounts.ts'
import type { Clock } from '../../clock.ts'
import type { Model } from '../../compile/model.ts'
import { awaitRecorders } from '../../lifecycle/await-recorders.ts'
import type { Store } from '../../store/store.ts'
import { minuteMs } from '../../times.ts'

interface AccountWorkParts {
  readonly store: Store
  readonly model: Model
  readonly clock: Clock
  readonly warn?: ((message: string, error: unknown) => void) | undefined
}

interface CountedAccounts {
  readonly at: number
  readonly figures: Promise<readonly AccountFigures[]>
}

/** What takes longer than a request: counting all rows, and deleting an account. */
export class AccountWork {
  readonly #parts: AccountWorkParts
  readonly #ending = new AbortController()
  readonly #deletions = new Map<string, Promise<void>>()
  #counted: CountedAccounts | null = null

  constructor(parts: AccountWorkParts) {
    this.#parts = parts
  }

  /** The accounts with their figures, counted at most once a minute. */
  async list(): Promise<{ readonly at: number; readonly figures: readonly AccountFigures[] }> {
    const { store, model, clock } = this.#parts
    const now = clock.now()
    if (!this.#counted || now - this.#counted.at >= minuteMs || now < this.#counted.at) {
      const counted = { at: now, figures: listAccounts(store, model) }
      this.#counted = counted
      // A failure is not kept.
      counted.figures.catch(() => this.#forget(counted))
    }
    return { at: this.#counted.at, figures: await this.#counted.figures }
  }

  #forget(counted: CountedAccounts): void {
    if (this.#counted === counted) this.#counted = null
  }

  isDeleting(account: string): boolean {
    return this.#deletions.has(account)
  }

  /** Begins the deletion of an account, or goes on with one that was ended half-way. One that this process is at goes on as it is. */
  delete(account: string, operator: string): void {
    if (this.#deletions.has(account) || this.#ending.signal.aborted) return
    const deletion = this.#delete(account, operator)
      .then(
        () => {},
        (error: unknown) =>
          this.#parts.warn?.(`The deletion of ${account} stopped. The console goes on with it.`, error),
      )
      .finally(() => {
        this.#deletions.delete(account)
        this.#counted = null
      })
    this.#deletions.set(account, deletion)
    this.#counted = null
  }

  #delete(account: string, operator: string): Promise<DeletedAccount> {
    const { store, model, clock } = this.#parts
    const { signal } = this.#ending
    const isEnding = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    const refusedEverywhere = (): Promise<void> => Promise.race([awaitRecorders(store, clock), isEnding])
    return deleteAccount({ store, model, clock, operator, refusedEverywhere, signal }, account)
  }

  /** Ends deletions between two parts; the store knows how far they came. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#deletions.values())
  }
}
