/** A create that runs under a key. Few have anyone who waits for them. */
export class CreateInFlight {
  readonly account: string
  readonly key: string
  readonly fingerprint: string
  /** The next one that shares its place. */
  next: CreateInFlight | null = null
  #waiting: PromiseWithResolvers<void> | null = null
  #asking: PromiseWithResolvers<void> | null = null
  #hasKey = false
  #ended = false

  constructor(account: string, key: string, fingerprint: string) {
    this.account = account
    this.key = key
    this.fingerprint = fingerprint
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

/**
 * Creates in flight by account and key, so that duplicates in this process wait without a connection each. By a number, and
 * not by the key itself: V8 enters every text that a map is asked for into a table of its own, and no key comes twice.
 */
export class KeysInFlight {
  readonly #places = new Map<number, CreateInFlight>()

  find(account: string, key: string): CreateInFlight | null {
    let create = this.#places.get(placeOf(key)) ?? null
    while (create && (create.key !== key || create.account !== account)) create = create.next
    return create
  }

  begin(account: string, key: string, fingerprint: string): CreateInFlight {
    const create = new CreateInFlight(account, key, fingerprint)
    const place = placeOf(key)
    create.next = this.#places.get(place) ?? null
    this.#places.set(place, create)
    return create
  }

  end(create: CreateInFlight): void {
    const place = placeOf(create.key)
    const first = this.#places.get(place)
    if (first !== create) unlink(first, create)
    else if (create.next) this.#places.set(place, create.next)
    else this.#places.delete(place)
    create.end()
  }
}

function unlink(first: CreateInFlight | undefined, create: CreateInFlight): void {
  for (let before = first ?? null; before; before = before.next)
    if (before.next === create) before.next = create.next
}

/** Whoever makes keys that share a place waits for nobody but himself: there are as many as he has creates in flight. */
function placeOf(key: string): number {
  let place = 0
  for (let at = 0; at < key.length; at++) place = (place * 31 + key.charCodeAt(at)) | 0
  return place & 0x3fff_ffff
}
