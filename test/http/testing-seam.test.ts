import { setTimeout as sleep } from 'node:timers/promises'
import { api, resource, version } from 'nounkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { freezeContract } from '../../src/contract/freeze.ts'
import { type ListeningShop, listeningShop } from '../support/listening-shop.ts'
import { describeStores } from '../support/stores.ts'
import { testApi } from '../support/way-in.ts'

/** Headers that belong to a connection or to one request. */
const perRequest = new Set([
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'x-request-id',
  'transfer-encoding',
])

interface Seen {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

const seen = async (response: Response): Promise<Seen> => ({
  status: response.status,
  headers: [...response.headers].filter(([name]) => !perRequest.has(name)).sort(),
  body: (await response.text()).replace(/"instance":"[^"]*"/, '"instance":"…"'),
})

describe('nounkit/testing answers as a served API does', () => {
  let shop: ListeningShop
  beforeAll(async () => {
    shop = await listeningShop({
      declare: (same) => ({
        ...same,
        cors: { origins: ['https://app.example.com'] },
        limits: { bodyBytes: 1_000, headerBytes: 8_192 },
      }),
    })
  })
  afterAll(() => shop.close())

  const calls: { readonly [name: string]: (key: string) => readonly [path: string, init: RequestInit] } = {
    'security headers and an allowed origin': (key) => [
      '/v2/products?limit=1',
      { headers: { Authorization: `Bearer ${key}`, Origin: 'https://app.example.com' } },
    ],
    'an origin that is not allowed': (key) => [
      '/v2/products?limit=1',
      { headers: { Authorization: `Bearer ${key}`, Origin: 'https://evil.example.com' } },
    ],
    'a preflight request': () => [
      '/v2/orders',
      {
        method: 'OPTIONS',
        headers: { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' },
      },
    ],
    'a probe': () => ['/readyz', {}],
    'a URL that is too long': () => [`/v2/orders?cursor=${'x'.repeat(5_000)}`, {}],
    'a body that is too large': (key) => [
      '/v2/customers',
      {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'x'.repeat(2_000) }),
      },
    ],
    'no credentials': () => ['/v2/orders', {}],
    'a deprecated version': (key) => ['/v1/orders?limit=1', { headers: { Authorization: `Bearer ${key}` } }],
  }

  test.each(Object.keys(calls))('%s', async (name) => {
    const [path, init] = calls[name]?.(shop.key) ?? ['', {}]
    const served = await seen(await fetch(`http://127.0.0.1:${shop.port}${path}`, init))
    expect(await seen(await shop.api.fetch(`http://127.0.0.1:${shop.port}${path}`, init))).toEqual(served)
    expect(served.headers).toContainEqual(['x-content-type-options', 'nosniff'])
  })
  test('headers that are too large', async () => {
    const init = { headers: { 'X-Filler': 'x'.repeat(9_000) } }
    const url = `http://127.0.0.1:${shop.port}/v2/orders`
    const [served, tested] = [await seen(await fetch(url, init)), await seen(await shop.api.fetch(url, init))]
    // Of bytes that are no whole request the Origin is not known.
    const headers = tested.headers.filter(([name]) => name !== 'vary')
    expect({ ...tested, headers }).toEqual(served)
    expect(served.status).toBe(431)
  })
})

test('a test that computes for seconds is not taken for too many requests', async () => {
  const shop = await listeningShop()
  const answers: number[] = []
  for (let time = 0; time < 3; time++) {
    // Blocks the event loop without using a processor.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200)
    await sleep(1)
    const response = await shop.api.fetch('/v2/products', {
      headers: { Authorization: `Bearer ${shop.key}` },
    })
    answers.push(response.status)
  }
  await shop.close()
  expect(answers).toEqual([200, 200, 200])
})

describeStores('contracts of nounkit/testing', (store) => {
  const notes = (fields: { readonly [name: string]: z.ZodType }, names: readonly string[]) =>
    api('notes', {
      resources: [resource('notes', { fields: { text: z.string(), ...fields } })],
      versions: names.map((name) => version(name)),
    })

  test('are an object with the parsed file of each version, or a Map', async () => {
    const { head, ...model } = compileApi(notes({}, ['v1']))
    const v1: unknown = JSON.parse(freezeContract(contractOf({ ...model, head }, head)))
    const grown = notes({ colour: z.string().optional() }, ['v2', 'v1'])
    for (const contracts of [{ v1 }, new Map([['v1', v1]])]) {
      const served = await testApi(grown, { contracts, databaseUrl: await store.url() })
      const headers = { Authorization: `Bearer ${await served.key('acme', { name: crypto.randomUUID() })}` }
      const body = JSON.stringify({ text: 'a' })
      for (const [name, fields] of [
        ['v1', ['text']],
        ['v2', ['text', 'colour']],
      ] as const) {
        const response = await served.fetch(`/${name}/notes`, {
          method: 'POST',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body,
        })
        expect(response.status).toBe(201)
        const { data } = (await response.json()) as { data: object }
        expect(Object.keys(data)).toEqual(['id', ...fields, 'created_at', 'updated_at'])
      }
      await served.close()
    }
  })
})
