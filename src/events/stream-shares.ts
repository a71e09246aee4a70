import type { Caller } from '../call/caller.ts'
import { problem } from '../problems.ts'

/** Counts the open streams of accounts, and of the subjects within each: no subject takes all streams of its account. */
export class StreamShares {
  readonly #mostPerAccount: number
  readonly #open = new Map<string, number>()

  constructor(mostPerAccount: number) {
    this.#mostPerAccount = mostPerAccount
  }

  /** Counts one stream more, until the function that it returns is called. Throws where the caller or its account has too many. */
  take({ account, subject }: Caller): () => void {
    this.#refuseTooMany([account], 'This account', this.#mostPerAccount)
    const keys = [keyOf([account])]
    // A subject is one person, who has some devices and windows. A caller without one is a program of the account.
    if (subject !== null) {
      this.#refuseTooMany([account, subject], 'This subject', Math.ceil(this.#mostPerAccount / 10))
      keys.push(keyOf([account, subject]))
    }
    for (const key of keys) this.#open.set(key, (this.#open.get(key) ?? 0) + 1)
    return () => {
      for (const key of keys) this.#leave(key)
    }
  }

  #refuseTooMany(who: readonly string[], words: string, most: number): void {
    if ((this.#open.get(keyOf(who)) ?? 0) < most) return
    throw problem('too-many-streams', {
      detail: `${words} has ${most} open streams, which is the most it may have. Close one of them first.`,
      members: { limit: most },
      headers: { 'Retry-After': '5' },
    })
  }

  #leave(key: string): void {
    const left = (this.#open.get(key) ?? 1) - 1
    if (left > 0) this.#open.set(key, left)
    else this.#open.delete(key)
  }
}

/** JSON, so that no name can end early and be taken for two. */
const keyOf = (who: readonly string[]): string => JSON.stringify(who)
