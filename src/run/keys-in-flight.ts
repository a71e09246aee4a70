/** A create that runs. Few have anyone who waits for them. */
export class CreateInFlight {
  readonly fingerprint: string
  #waiting: PromiseWithResolvers<void> | null = null

  constructor(fingerprint: string) {
    this.fingerprint = fingerprint
  }

  /** Resolves when the create has ended, well or badly. */
  get ended(): Promise<void> {
    this.#waiting ??= Promise.withResolvers<void>()
    return this.#waiting.promise
  }

  end(): void {
    this.#waiting?.resolve()
  }
}

/** Creates in flight by account and key, so that duplicates in this process wait without a connection each. */
export class KeysInFlight {
  readonly #byAccount = new Map<string, Map<string, CreateInFlight>>()

  find(account: string, key: string): CreateInFlight | undefined {
    return this.#byAccount.get(account)?.get(key)
  }

  begin(account: string, key: string, fingerprint: string): void {
    const create = new CreateInFlight(fingerprint)
    const keys = this.#byAccount.get(account)
    if (keys) keys.set(key, create)
    else this.#byAccount.set(account, new Map([[key, create]]))
  }

  end(account: string, key: string): void {
    const keys = this.#byAccount.get(account)
    const create = keys?.get(key)
    if (!keys || !create) return
    keys.delete(key)
    if (keys.size === 0) this.#byAccount.delete(account)
    create.end()
  }
}
