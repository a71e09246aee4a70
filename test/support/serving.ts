import { beforeAll, expect } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { readContracts } from '../../src/contract/contract-files.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { sharedWriteScopes } from '../../src/guard/scopes.ts'
import type { Store } from '../../src/store/store.ts'
import type { TestApi, TestOptions } from '../../src/testing.ts'
import { hourMs } from '../../src/times.ts'
import { AccountBound } from './account-bound.ts'
import { whenOver } from './clean-up.ts'
import { type StoreForm, type StoreKind, storeForms, storeKinds } from './databases.ts'
import { describeStores } from './stores.ts'
import { testApi } from './way-in.ts'

export type Row = { readonly id: string; readonly [field: string]: unknown }
export type Page = {
  readonly limit: number
  readonly has_more: boolean
  readonly next_cursor: string | null
  readonly total?: number
  readonly total_is_exact?: boolean
  readonly next?: string | null
}
export type RowList = { readonly data: readonly Row[]; readonly page: Page }
export type FieldFault = {
  readonly pointer?: string
  readonly parameter?: string
  readonly header?: string
  readonly detail: string
  readonly code: string
  readonly allowed?: readonly string[]
}
export type ProblemBody = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  readonly errors?: readonly FieldFault[]
  readonly [member: string]: unknown
}

/** A response, read to its end. The test knows the type of its body. */
export class Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string

  constructor(status: number, headers: Headers, text: string) {
    this.status = status
    this.headers = headers
    this.text = text
  }

  get json(): unknown {
    return JSON.parse(this.text)
  }
  get data(): Row {
    return (this.json as { data: Row }).data
  }
  get rows(): readonly Row[] {
    return (this.json as RowList).data
  }
  get page(): Page {
    return (this.json as RowList).page
  }
  get problem(): ProblemBody {
    return this.json as ProblemBody
  }
  /** `[409, 'unique-conflict']`: status and problem type, by which tests recognize a refusal. */
  get refusal(): readonly [number, string] {
    return [this.status, this.problem.type.replace(/^.*\//, '')]
  }
  /** Pointers and parameters of the faults, in the order of the response. */
  get faults(): readonly (string | undefined)[] {
    return (this.problem.errors ?? []).map(({ pointer, parameter, header }) => pointer ?? parameter ?? header)
  }
  get etag(): string {
    return this.headers.get('etag') ?? ''
  }
  /** The row's version, which the ETag begins with. */
  get rowVersion(): number {
    return Number(/^"(\d+)\.[\w-]{8}"$/.exec(this.etag)?.[1])
  }
}

export interface CallOptions {
  /** An object is sent as JSON; text and bytes as they are. */
  readonly body?: unknown
  /** `null` leaves a header out that would otherwise be sent. */
  readonly headers?: { readonly [name: string]: string | null }
  /** An account, a key, or null for an anonymous call; acme by default. */
  readonly as?: string | null
}

export interface Serving {
  readonly kind: StoreKind
  readonly api: TestApi
  readonly store: Store
  /** A key of an account that may do everything, also write shared rows; created once. */
  key(account: string): Promise<string>
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  get(path: string, options?: CallOptions): Promise<Answer>
  /** A create that must succeed: the new row. */
  make(path: string, body: object, options?: CallOptions): Promise<Row>
  /** The statements that a call takes, without look-ups of its key: those depend on the time. The fewest of three runs. */
  counted(work: () => Promise<unknown>): Promise<number>
}

export type ServingOptions = Omit<TestOptions, 'databaseUrl'> & {
  /** By default the shop, with its contracts. */
  readonly declaration?: ApiDeclaration
}

export const shopContracts = async (): Promise<ReadonlyMap<string, unknown>> =>
  (await readContracts(new URL('../../examples/shop/contracts', import.meta.url).pathname)).contracts

/** The nightly form also has the statements that are used on Citus, each of which must be for one account (account-bound.ts). */
const usualForms: readonly StoreForm[] = process.env.NOUNKIT_NIGHTLY === '1' ? storeForms : storeKinds

/** The same tests on every store, each with one served API for all of them. */
export function describeServing(
  name: string,
  body: (served: Serving) => void,
  options: ServingOptions = {},
  forms = usualForms,
): void {
  describeStores(
    name,
    (store) => {
      let open: Serving | undefined
      beforeAll(async () => {
        open = await serve(store.kind, await store.url(), options)
      })
      const served = (): Serving => {
        if (!open) throw new Error('The API is served only while a test runs.')
        return open
      }
      body({
        kind: store.kind,
        get api() {
          return served().api
        },
        get store() {
          return served().store
        },
        key: (account) => served().key(account),
        call: (method, path, given) => served().call(method, path, given),
        get: (path, given) => served().get(path, given),
        make: (path, row, given) => served().make(path, row, given),
        counted: (work) => served().counted(work),
      })
    },
    forms,
  )
}

/** Several APIs may share a store, and names of keys are unique there. */
let keysMade = 0

/** Tests count statements: none are sent beside a call to look for webhooks that are due. */
const quiet = { lookEveryMs: hourMs }

export async function serve(kind: StoreKind, url: string, options: ServingOptions = {}): Promise<Serving> {
  const { declaration = shop, ...rest } = options
  const contracts = declaration === shop ? { contracts: await shopContracts() } : {}
  const lookUps = countLookUps()
  const accountBound = new AccountBound()
  const watchStore = (store: Store): Store => lookUps.watchStore(accountBound.watchStore(store))
  const own = { databaseUrl: url, ...contracts, webhooks: quiet, watchStore }
  const api = await testApi(declaration, { ...own, ...rest })
  whenOver(async () => {
    await api.close()
    expect(accountBound.mistakes(api.service.model)).toEqual([])
  })
  const keys = new Map<string, Promise<string>>()
  const scopes = ['*', ...sharedWriteScopes(api.service.model)]
  const newKey = (account: string) => api.key(account, { name: `${account} ${++keysMade}`, scopes })
  const key = (account: string): Promise<string> => {
    const known = keys.get(account) ?? newKey(account)
    keys.set(account, known)
    return known
  }
  const call: Serving['call'] = async (method, path, given = {}) => {
    const { as = 'acme' } = given
    const credentials = as === null ? null : as.startsWith('nk_') ? as : await key(as)
    return read(await api.fetch(path, requestOf(method, given, credentials)))
  }
  return {
    kind,
    api,
    store: api.service.store,
    key,
    call,
    get: (path, given) => call('GET', path, given),
    async make(path, body, given) {
      const answer = await call('POST', path, { body, ...given })
      expect(answer.status, answer.text).toBe(201)
      return answer.data
    },
    async counted(work) {
      const { counters } = api.service.store
      const counts: number[] = []
      for (let time = 0; time < 3; time++) {
        const before = counters.statements - lookUps.count
        await work()
        counts.push(counters.statements - lookUps.count - before)
      }
      return Math.min(...counts)
    },
  }
}

/** Counts how often API keys are looked up in a store: a setting of `openService`. */
function countLookUps() {
  const counted = {
    count: 0,
    watchStore: (store: Store): Store => ({
      ...store,
      first(sql, values, account) {
        if (sql.includes('FROM "nounkit_api_keys"')) counted.count++
        return store.first(sql, values, account)
      },
    }),
  }
  return counted
}

function requestOf(method: string, { body, headers = {} }: CallOptions, key: string | null): RequestInit {
  const all: { [name: string]: string | null } = {
    authorization: key === null ? null : `Bearer ${key}`,
    'content-type': body === undefined ? null : 'application/json',
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  }
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null)
  return { method, headers: sent, ...(body === undefined ? {} : { body: bytesOf(body) }) }
}

/** As bytes, because a Request gives text a Content-Type of its own. */
const bytesOf = (body: unknown): Uint8Array<ArrayBuffer> => {
  if (body instanceof Uint8Array) return new Uint8Array(body)
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
}

const read = async (response: Response): Promise<Answer> =>
  new Answer(response.status, response.headers, await response.text())
