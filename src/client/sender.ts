import type { ClientOptions } from './client-types.ts'
import { tellDeprecation } from './deprecation.ts'
import { pauseMs, secondsToWait, unlessAborted, wait } from './pauses.ts'
import { CallError, type ProblemBody, ProblemError } from './problem-error.ts'
import { mayRepeat, type Repeating } from './repeats.ts'

export interface Call {
  readonly method: string
  /** Below the version: `/orders`. */
  readonly path: string
  readonly query?: string
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
  readonly repeating: Repeating
  readonly signal?: AbortSignal | undefined
}

export interface Reply {
  /** Without a body, as that of a DELETE, `null`. */
  readonly body: { readonly data: unknown; readonly page?: unknown } | null
  readonly headers: Headers
  readonly tries: number
}

const mostMsPerTry = 20_000
/** Sends requests, and sends them again where that cannot do harm. */
export class Sender {
  readonly url: string
  readonly options: ClientOptions
  #version: Promise<string> | undefined
  #unkeyed: Promise<readonly string[]> | undefined

  constructor(options: ClientOptions) {
    this.options = options
    const { url, key } = options
    try {
      // On a page, a path is enough.
      new Request(url, { headers: { authorization: `Bearer ${key}` } })
    } catch (error) {
      const { message } = error as Error
      throw new TypeError(
        `The url or the key of a client cannot be used: ${message}. A url is like https://api.example.com.`,
      )
    }
    this.url = url.replace(/\/+$/, '')
    if (options.version !== undefined) this.#version = Promise.resolve(options.version)
  }

  async send(call: Call): Promise<Reply> {
    const end = this.#end()
    return this.#send(await this.#target(call), call, end)
  }

  /** One try, for a stream that the caller reads. */
  async open(call: Call): Promise<Response> {
    const target = await this.#target(call)
    const init = initOf(call)
    let response = await this.#fetch(target, init)
    if (response.status === 401 && this.options.token) response = await this.#fetch(target, init)
    if (response.ok && /^text\/event-stream/.test(response.headers.get('content-type') ?? '')) return response
    throw this.#refusal(call, response, await response.text(), 1)
  }

  async #target({ path, query, signal }: Call): Promise<string> {
    this.#version ??= this.#newestVersion()
    const version = await unlessAborted(this.#version, signal)
    return `${this.url}/${version}${path}${query ? `?${query}` : ''}`
  }

  /** Asked once; again after a failure. */
  #newestVersion(): Promise<string> {
    const path = `${this.url}/`
    const asked = this.#send(path, { method: 'GET', path, repeating: 'read' }).then(({ body }) => {
      const { versions = [] } = (body?.data ?? {}) as { versions?: { name: string; status: string }[] }
      const newest = versions.find(({ status }) => status !== 'retired')
      if (!newest) throw new CallError(`GET ${path} names no version that is served`, 1, 200, null)
      return newest.name
    })
    asked.catch(() => {
      this.#version = undefined
    })
    return asked
  }

  /** When a call that begins now is given up. */
  #end(): number {
    return Date.now() + (this.options.deadline ?? 60_000)
  }

  async #send(target: string, call: Call, end = this.#end()): Promise<Reply> {
    const { retries = 5 } = this.options
    const init = initOf(call)
    for (let tries = 1, hasNewToken = false; ; tries++) {
      const outcome = await this.#try(target, call, init, end, tries)
      if (!(outcome instanceof Error)) return outcome
      const isExpired = isRefused(outcome, 401) && this.options.token && !hasNewToken
      if (isExpired) hasNewToken = true
      else if (tries > retries || !(await this.#mayRepeat(target, call, outcome))) throw outcome
      const pause = isExpired ? 0 : pauseMs(outcome, tries)
      if (Date.now() + pause >= end) throw outcome
      await wait(pause, call.signal)
    }
  }

  async #mayRepeat(target: string, { repeating, path }: Call, outcome: Error): Promise<boolean> {
    if (repeating !== 'create' || mayRepeat('patch', outcome)) return mayRepeat(repeating, outcome)
    // Where a collection takes no keys, a create that may have been carried out is not sent again.
    return mayRepeat('create', outcome) && (await this.#takesKeys(target.slice(0, -path.length), path))
  }

  /** Asked only when it matters. Without an answer, `false`. */
  async #takesKeys(version: string, path: string): Promise<boolean> {
    this.#unkeyed ??= this.#send(version, { method: 'GET', path: '', repeating: 'read' }).then(({ body }) => {
      const index = body?.data as { without_idempotency_key?: readonly string[] } | undefined
      return index?.without_idempotency_key ?? []
    })
    const collection = path.replace(/^(\/[^/]+)\/[^/]+/, '$1/{id}')
    return this.#unkeyed.then(
      (unkeyed) => !unkeyed.some((one) => one.endsWith(collection)),
      () => {
        this.#unkeyed = undefined
        return false
      },
    )
  }

  async #try(
    target: string,
    call: Call,
    init: RequestInit,
    end: number,
    tries: number,
  ): Promise<Reply | Error> {
    const time = Math.min(mostMsPerTry, end - Date.now())
    const timeout = AbortSignal.timeout(Math.max(time, 1))
    const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout
    let status: number | null = null
    try {
      const response = await this.#fetch(target, { ...init, signal })
      status = response.status
      const text = await response.text()
      if (status === 204 && call.method === 'DELETE') return { body: null, headers: response.headers, tries }
      const body = response.ok ? readBody(text) : null
      if (body) return { body, headers: response.headers, tries }
      return this.#refusal(call, response, text, tries)
    } catch (error) {
      if (call.signal?.aborted) throw call.signal.reason
      const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } }
      const why = timeout.aborted ? `no answer within ${time} ms` : cause?.message || cause?.code || message
      return new CallError(`${callText(call)}: ${why} (${triesText(tries)})`, tries, status, null, error)
    }
  }

  async #fetch(target: string, init: RequestInit): Promise<Response> {
    const { key, token, fetch: send = fetch } = this.options
    const credentials = token ? await token() : key
    const headers = { ...init.headers, ...(credentials && { authorization: `Bearer ${credentials}` }) }
    const response = await send(target, { ...init, headers })
    tellDeprecation(target, response, this.url, this.options.onDeprecated)
    return response
  }

  /** What an answer says that is not the one asked for. */
  #refusal(call: Call, { status, headers }: Response, text: string, tries: number): Error {
    const body = parse(text)
    const retryAfter = secondsToWait(headers)
    if (isProblemBody(body)) return new ProblemError(callText(call), body, retryAfter, tries)
    const type = headers.get('content-type') ?? 'no type'
    const isCut = /json/.test(type) && body === undefined
    const what = isCut ? 'JSON that is cut off' : `${type}, not an answer of the API`
    const message = `${callText(call)}: ${status} with ${what} (${triesText(tries)}): ${text.slice(0, 200)}`
    // A cut answer is a connection that broke.
    return new CallError(message, tries, status, retryAfter, isCut ? new SyntaxError('cut off') : undefined)
  }
}

/** The request of a call, but for its credentials. What cannot be written as one throws, before anything is sent. */
function initOf({ method, body, headers, signal }: Call): RequestInit {
  const init = {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // A write that is redirected would become a GET.
    redirect: method === 'GET' ? 'follow' : 'manual',
    ...(signal && { signal }),
  } as const
  new Headers(init.headers)
  return init
}

const callText = ({ method, path }: Call): string => `${method} ${path}`
const triesText = (tries: number): string => (tries === 1 ? '1 try' : `${tries} tries`)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const readBody = (text: string): Reply['body'] => {
  const body = parse(text)
  return isObject(body) && 'data' in body && isObject(body.data) ? (body as Reply['body']) : null
}
const isProblemBody = (body: unknown): body is ProblemBody =>
  isObject(body) && 'type' in body && 'title' in body && 'status' in body && 'instance' in body

const isRefused = (error: unknown, status: number): boolean =>
  error instanceof ProblemError && error.status === status
