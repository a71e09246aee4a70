/**
 * How many requests wait for the keys of an issuer, of all issuers together. A request that waits is in flight, so that an issuer that hangs
 * would otherwise use up what a process accepts, also for callers with API keys.
 */
export class IssuerWaits {
  readonly #most: number
  #waiting = 0

  constructor(most: number) {
    this.#most = most
  }

  get isFull(): boolean {
    return this.#waiting >= this.#most
  }

  async during<T>(keys: Promise<T>): Promise<T> {
    this.#waiting++
    try {
      return await keys
    } finally {
      this.#waiting--
    }
  }
}

export const tooManyWait = new Error('too many requests wait for an issuer already')
