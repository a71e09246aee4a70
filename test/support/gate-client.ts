import { setTimeout } from 'node:timers/promises'
import type { Model } from '../../src/compile/model.ts'
import type { TestApi } from '../../src/testing.ts'
import type { BatteryCall } from './gate-battery.ts'
import { seededIds, treeOf } from './gate-servers.ts'

export type Row = { readonly [field: string]: unknown }

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: { readonly data?: Row | readonly Row[]; readonly page?: Page } | undefined
}

interface Page {
  readonly limit: number
  readonly next_cursor: string | null
}

/** A call whose path and references name existing rows. */
export interface PlacedCall extends BatteryCall {
  readonly path: string
}

/** Calls use the existing rows one after the other. */
export const placeCall = (model: Model, call: BatteryCall, turn: number): PlacedCall => {
  const [trees, leaves] = [seededIds(model, 'trees'), seededIds(model, 'leaves')]
  const leaf = turn % 4
  const isNested = /^\/trees\/\{id\}\/./.test(call.template)
  const tree = trees[isNested ? treeOf(leaf) : leaf] ?? ''
  const id = call.template.startsWith('/leaves') ? (leaves[leaf] ?? '') : tree
  const path = `/v1${call.template.replace('{id}', id).replace('{sub_id}', leaves[leaf] ?? '')}`
  if (!call.body) return { ...call, path }
  const target = isNested ? tree : trees[0]
  const body = Object.entries(call.body).map(([name, value]) =>
    name.endsWith('_id') && typeof value === 'string' ? [name, target] : [name, value],
  )
  return { ...call, path, body: Object.fromEntries(body) }
}

/** If-Match names the row as this server shows it just now. */
export const send = async (api: TestApi, key: string, call: PlacedCall): Promise<Answer> => {
  const authorization = { Authorization: `Bearer ${key}` }
  const { 'If-Match': isMatched, ...headers } = call.headers
  const seen = isMatched ? await patiently(api, call.path, { headers: authorization }) : null
  const match = seen ? { 'If-Match': seen.headers.get('etag') ?? '*' } : {}
  const response = await patiently(api, `${call.path}${call.query === '' ? '' : `?${call.query}`}`, {
    method: call.method,
    headers: { ...authorization, ...headers, ...match },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

/** A server on a busy machine may refuse calls for a while, with Retry-After. */
const patiently = async (api: TestApi, path: string, init: RequestInit): Promise<Response> => {
  const response = await api.fetch(path, init)
  if (response.status !== 503) return response
  await setTimeout(Number(response.headers.get('retry-after') ?? 1) * 1000)
  return patiently(api, path, init)
}
