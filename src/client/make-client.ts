import type { CallOptions, ClientOptions, CreateOptions, FollowOptions, RowOrId } from './client-types.ts'
import { follow } from './follow.ts'
import { isMissingRow, type ProblemError } from './problem-error.ts'
import { queryOf } from './query-text.ts'
import { type Call, type Reply, Sender } from './sender.ts'

/** The options of lists and reads, without the names of an API. */
interface AnyOptions extends CallOptions {
  readonly by?: readonly string[]
  readonly include?: readonly string[]
  readonly filter?: object
  readonly sort?: readonly string[]
  readonly search?: string
  readonly count?: boolean
  readonly limit?: number
  readonly cursor?: string
}
interface AnyPage {
  readonly data: readonly object[]
  readonly page: { readonly has_more: boolean; readonly next_cursor: string | null }
}

/** A client without types: any name is a collection. */
export function makeClient(options: ClientOptions): object {
  const sender = new Sender(options)
  const tags = new WeakMap<object, string>()
  return named((name) => new RowCalls(sender, tags, `/${name}`))
}

/** An object that has every name; each is made once, and given with hyphens: `orderItems` → `order-items`. */
const named = (make: (name: string) => object): object => {
  const made = new Map<string | symbol, object | undefined>()
  const get = (_: object, name: string | symbol): object | undefined => {
    // Whoever awaits the object, or shows it, asks for these.
    if (typeof name === 'symbol' || name === 'then' || name === 'toJSON') return undefined
    if (!made.has(name)) made.set(name, make(hyphenated(name)))
    return made.get(name)
  }
  return new Proxy({}, { get })
}
const hyphenated = (name: string): string =>
  name.replace(/_|[A-Z]/g, (one) => (one === '_' ? '-' : `-${one.toLowerCase()}`))

const idOf = (row: RowOrId): string => {
  const id = typeof row === 'string' ? row : row.id
  // `/orders/` would be another path.
  if (typeof id !== 'string' || id === '')
    throw new TypeError(`A row or its id is needed, not ${JSON.stringify(row)}`)
  return encodeURIComponent(id)
}

/** Rows at one path. */
class RowCalls {
  readonly #sender: Sender
  readonly #tags: WeakMap<object, string>
  readonly #path: string

  constructor(sender: Sender, tags: WeakMap<object, string>, path: string) {
    this.#sender = sender
    this.#tags = tags
    this.#path = path
  }

  list(options: AnyOptions = {}): Promise<AnyPage> & AsyncIterable<object> {
    const page = async (cursor = options.cursor): Promise<AnyPage> => {
      const query = queryOf({ ...options, cursor })
      const { body } = await this.#send({ method: 'GET', query, repeating: 'read', signal: options.signal })
      return body as AnyPage
    }
    const first = page()
    async function* rows(): AsyncGenerator<object> {
      for (let now = await first; ; now = await page(now.page.next_cursor ?? undefined)) {
        yield* now.data
        if (!now.page.has_more) return
      }
    }
    return Object.assign(first, { [Symbol.asyncIterator]: rows })
  }

  async get(id: string, options: AnyOptions = {}): Promise<object> {
    const query = queryOf({ include: options.include })
    return this.#row(
      await this.#send({ method: 'GET', query, repeating: 'read', signal: options.signal }, id),
    )
  }

  find(id: string, options: AnyOptions = {}): Promise<object | null> {
    return this.get(id, options).catch((error: unknown) => {
      if (isMissingRow(error)) return null
      throw error
    })
  }

  async create(body: object, options: CreateOptions = {}): Promise<object> {
    return this.#row(await this.#post(body, options))
  }

  async createMany(data: readonly object[], options: CreateOptions = {}): Promise<unknown> {
    return (await this.#post({ data }, options)).body?.data
  }

  #post(body: object, { idempotencyKey = randomKey(), signal }: CreateOptions): Promise<Reply> {
    const headers = { 'idempotency-key': idempotencyKey }
    return this.#send({ method: 'POST', body, headers, repeating: 'create', signal })
  }

  async update(row: RowOrId, body: object, { signal }: CallOptions = {}): Promise<object> {
    const headers = this.#ifMatch(row)
    const repeating = headers ? 'write' : 'patch'
    return this.#row(await this.#send({ method: 'PATCH', body, ...headers, repeating, signal }, row))
  }

  async replace(row: RowOrId, body: object, { signal }: CallOptions = {}): Promise<object> {
    return this.#row(
      await this.#send({ method: 'PUT', body, ...this.#ifMatch(row), repeating: 'write', signal }, row),
    )
  }

  async delete(row: RowOrId, { signal }: CallOptions = {}): Promise<void> {
    await this.#send({ method: 'DELETE', ...this.#ifMatch(row), repeating: 'write', signal }, row).catch(
      (error: unknown) => {
        // An earlier try deleted it, and its answer was lost.
        if (!(isMissingRow(error) && (error as ProblemError).tries > 1)) throw error
      },
    )
  }

  at(row: RowOrId): object {
    const path = `${this.#path}/${idOf(row)}`
    return named((name) => new RowCalls(this.#sender, this.#tags, `${path}/${name}`))
  }

  follow(options: FollowOptions<object> = {}): AsyncIterable<object> {
    return follow(this.#sender, this.#path, options)
  }

  async #send(call: Omit<Call, 'path'>, row?: RowOrId): Promise<Reply> {
    const path = row === undefined ? this.#path : `${this.#path}/${idOf(row)}`
    return this.#sender.send({ ...call, path })
  }

  /** The row of an answer; its tag is kept for writes. */
  #row({ body, headers }: Reply): object {
    const row = body?.data as object
    // A proxy that compresses makes the tag weak (`W/`), and a weak tag never matches. What the tag stands for is the same.
    const tag = headers.get('etag')?.replace(/^W\//, '')
    if (tag !== undefined) this.#tags.set(row, tag)
    return row
  }

  #ifMatch(row: RowOrId): Pick<Call, 'headers'> | undefined {
    const tag = typeof row === 'object' ? this.#tags.get(row) : undefined
    return tag === undefined ? undefined : { headers: { 'if-match': tag } }
  }
}

/** `crypto.randomUUID` is not there on pages that came over plain HTTP. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
