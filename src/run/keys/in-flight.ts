import { keyNumber } from './key-number.ts'

/** A create that runs under a key. Few have anyone who waits for them. */
export class CreateInFlight {
  readonly account: string
  readonly key: string
  readonly fingerprint: string
  readonly number: number
  /** The next one that shares its number. */
  next: CreateInFlight | null = null
  #waiting: PromiseWithResolvers<void> | null = null
  #asking: PromiseWithResolvers<void> | null = null
  #hasKey = false
  #ended = false

  constructor(account: string, key: string, fingerprint: string, number: number) {
    this.account = account
    this.key = key
    this.fingerprint = fingerprint
    this.number = number
  }

  /** Resolves when the create has ended, well or badly. */
  get ended(): Promise<void> {
    this.#waiting ??= Promise.withResolvers<void>()
    return this.#waiting.promise
  }

  /** It is the first with this key, unless it fails: none was kept before it, and no other process has it. */
  get hasKey(): boolean {
    return this.#hasKey
  }

  /** Resolves when it has got the key or has ended. */
  get decided(): Promise<void> {
    if (this.#hasKey || this.#ended) return Promise.resolve()
    this.#asking ??= Promise.withResolvers<void>()
    return this.#asking.promise
  }

  claimed(): void {
    this.#hasKey = true
    this.#asking?.resolve()
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
  readonly #byNumber = new Map<number, CreateInFlight>()

  find(account: string, key: string): CreateInFlight | null {
    let create = this.#byNumber.get(keyNumber(key)) ?? null
    while (create && (create.key !== key || create.account !== account)) create = create.next
    return create
  }

  begin(account: string, key: string, fingerprint: string): CreateInFlight {
    const number = keyNumber(key)
    const create = new CreateInFlight(account, key, fingerprint, number)
    create.next = this.#byNumber.get(number) ?? null
    this.#byNumber.set(number, create)
    return create
  }

  end(create: CreateInFlight): void {
    const { number } = create
    const first = this.#byNumber.get(number)
    if (first !== create) unlink(first, create)
    else if (create.next) this.#byNumber.set(number, create.next)
    else this.#byNumber.delete(number)
    create.end()
  }
}

function unlink(first: CreateInFlight | undefined, create: CreateInFlight): void {
  for (let before = first ?? null; before; before = before.next)
    if (before.next === create) before.next = create.next
}
