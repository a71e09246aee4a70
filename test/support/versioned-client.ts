import type { ApiDeclaration } from '../../src/declare/api.ts'
import { sharedWriteScopes } from '../../src/guard/scopes.ts'
import { whenOver } from './clean-up.ts'
import { testApi } from './way-in.ts'

type Json = { readonly [key: string]: unknown }

export interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  /** The `data` of one resource. */
  readonly data: Json
  /** The `data` of a list. */
  readonly rows: readonly Json[]
  readonly body: Json
}

/** Calls an API with a key that may do everything, also write shared rows; every create has a key of its own. */
export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: { [name: string]: string },
) => Promise<Answer>

let keys = 0

/** Serves a declaration on a store until the test, or the file, is over. */
export const callsOn = async (
  declaration: ApiDeclaration,
  databaseUrl: string,
  contracts: ReadonlyMap<string, unknown> = new Map(),
): Promise<Call> => {
  const api = await testApi(declaration, { databaseUrl, contracts })
  whenOver(() => api.close())
  const key = await api.key('acme', {
    name: `versions-${++keys}`,
    scopes: ['*', ...sharedWriteScopes(api.service.model)],
  })
  return async (method, path, body, more = {}) => {
    const headers = {
      Authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(method === 'POST' ? { 'Idempotency-Key': `key-${++keys}` } : {}),
      ...more,
    }
    const response = await api.fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const parsed = text === '' ? {} : JSON.parse(text)
    return {
      status: response.status,
      text,
      headers: response.headers,
      data: parsed.data,
      rows: parsed.data,
      body: parsed,
    }
  }
}
