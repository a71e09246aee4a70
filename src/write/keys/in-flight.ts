/** A create that runs under a key. */
export class CreateInFlight {
  readonly account: string
  readonly key: string
  readonly fingerprint: string
  #waiting: PromiseWithResolvers<void> | null = null
  #asking: PromiseWithResolvers<void> | null = null
  #hasKey = false
  #ended = false

  constructor(account: string, key: string, fingerprint: string) {
    this.account = account
    this.key = key
    this.fingerprint = fingerprint
  }

  /** Resolves when the create has ended, whether it succeeded or failed. */
  get ended(): Promise<void> {
    this.#waiting ??= Promise.withResolvers<void>()
    return this.#waiting.promise
  }

  /** Whether the create has inserted its key: no earlier answer is stored under it, and no other process holds it. */
  get hasKey(): boolean {
    return this.#hasKey
  }

  /** Resolves when the create has inserted its key or has ended. */
  get decided(): Promise<void> {
    if (this.#hasKey || this.#ended) return Promise.resolve()
    this.#asking ??= Promise.withResolvers<void>()
    return this.#asking.promise
  }

  claimed(): void {
    this.#hasKey = true
    this.#asking?.resolve()
  }

  /** The insert of the key was rolled back; the create may be run again. */
  released(): void {
    this.#hasKey = false
  }

  end(): void {
    this.#hasKey = false
    this.#ended = true
    this.#asking?.resolve()
    this.#waiting?.resolve()
  }
}

/** Creates in flight by account and key, so that duplicates in this process wait without a connection each. */
export class KeysInFlight {
  readonly #creates = new Map<string, CreateInFlight>()

  find(account: string, key: string): CreateInFlight | null {
    return this.#creates.get(mapKey(account, key)) ?? null
  }

  begin(account: string, key: string, fingerprint: string): CreateInFlight {
    const create = new CreateInFlight(account, key, fingerprint)
    this.#creates.set(mapKey(account, key), create)
    return create
  }

  end(create: CreateInFlight): void {
    this.#creates.delete(mapKey(create.account, create.key))
    create.end()
  }
}

/** A key has no control characters, so the line break ends it. */
const mapKey = (account: string, key: string): string => `${key}\n${account}`
