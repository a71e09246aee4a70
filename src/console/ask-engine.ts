import { randomUUID } from 'node:crypto'
import { type Caller, noClaims, operatorPrefix } from '../call/caller.ts'
import type { PlainRequest, PlainResponse } from '../call/exchange.ts'
import type { Model } from '../compile/model.ts'
import { sharedWriteScopes } from '../guard/scopes.ts'
import type { Maybe } from '../maybe.ts'

/** The engine, asked as any caller asks it. */
export interface AskedEngine {
  readonly model: Model
  readonly handle: (request: PlainRequest) => Maybe<PlainResponse>
}

/** A call of the API. */
export interface Asking {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** `/v2/orders`, without the prefix of a mounted service. */
  readonly path: string
  readonly query?: string
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
}

export interface EngineAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  /** The parsed body; undefined where there is none. */
  readonly json: unknown
}

/** An operator within an account: all scopes, and those that write shared rows; neither a subject nor claims. Rules on rows hold. */
const operatorCaller = (model: Model, operator: string, account: string): Caller => ({
  account,
  consumer: { id: `${operatorPrefix}${operator}`, name: operator, kind: 'internal' },
  scopes: new Set(['*', ...sharedWriteScopes(model)]),
  subject: null,
  claims: noClaims,
  operator,
})

/** Asks the engine as an operator, along the way of every request: validation, rules, hooks, events. */
export const askEngine = async (
  { model, handle }: AskedEngine,
  from: PlainRequest,
  { operator, account }: { readonly operator: string; readonly account: string },
  { method, path, query = '', body, headers = {} }: Asking,
): Promise<EngineAnswer> => {
  const bytes = body === undefined ? new Uint8Array(0) : new TextEncoder().encode(JSON.stringify(body))
  const answer = await handle({
    method,
    path,
    query,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
      ...headers,
    },
    readBody: () => bytes,
    address: from.address,
    id: from.id,
    origin: from.origin,
    caller: operatorCaller(model, operator, account),
  })
  const text = answer.body === null ? '' : new TextDecoder().decode(bytesOf(answer.body))
  return {
    status: answer.status,
    headers: answer.headers,
    json: text === '' ? undefined : JSON.parse(text),
  }
}

const bytesOf = (body: string | Uint8Array): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body
