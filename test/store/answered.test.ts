import { expect, test } from 'vitest'
import { z } from 'zod'
import { readOnly } from '../../src/declare/field.ts'
import { api, belongsTo, hasMany, resource } from '../../src/index.ts'
import { testApi } from '../../src/testing.ts'
import { describeStores } from '../support/stores.ts'

const towns = resource('towns', { fields: { name: z.string() } })
const visits = resource('visits', { fields: { by: z.string() }, relations: { rate: belongsTo('rates') } })
const stored = resource('rates', {
  fields: { price: z.int() },
  relations: { town: belongsTo('towns', { optional: true }), visits: hasMany('visits') },
})
const answered = resource('rates', {
  fields: { price: readOnly(z.int()) },
  relations: { town: belongsTo('towns', { optional: true }), visits: hasMany('visits') },
  answers: { get: (id) => ({ id, price: 1 }), create: (input) => ({ ...input, price: 2 }) },
})
const withTable = api('prices', { resources: [towns, visits, stored] })
const withCode = api('prices', { resources: [towns, visits, answered] })

let keys = 0

describeStores('a noun that is stored, then answered by code, or the other way round', (store) => {
  const open = async (url: string, declaration: typeof withTable | typeof withCode) => {
    const served = await testApi(declaration, { databaseUrl: url })
    const key = await served.key('acme', { name: `key ${++keys}` })
    const call = async (method: string, path: string, body?: object) => {
      const response = await served.fetch(path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return {
        status: response.status,
        json: response.status === 204 ? null : ((await response.json()) as { data: { id: string } }),
      }
    }
    return { call, close: () => served.close() }
  }

  test('rows that nobody could reach are not left behind', async () => {
    const url = await store.url()
    const before = await open(url, withTable)
    const { json } = await before.call('POST', '/v1/rates', { price: 7 })
    await before.close()
    await expect(open(url, withCode)).rejects.toThrow(
      /rates is answered by code now, and the store has rows of it, in the table rates.*nounkit export --resource rates/,
    )
    const again = await open(url, withTable)
    expect(await again.call('GET', `/v1/rates/${json?.data.id}`)).toMatchObject({ status: 200 })
    expect(await again.call('DELETE', `/v1/rates/${json?.data.id}`)).toMatchObject({ status: 204 })
    await again.close()
    const after = await open(url, withCode)
    expect(await after.call('GET', '/v1/rates/x')).toMatchObject({ json: { data: { id: 'x', price: 1 } } })
    await after.close()
  })

  test('code makes no table, and a delete of a row that its rows name looks for none', async () => {
    const url = await store.url()
    const served = await open(url, withCode)
    const { json: town } = await served.call('POST', '/v1/towns', { name: 'Ulm' })
    expect(await served.call('POST', '/v1/rates', { town_id: town?.data.id })).toMatchObject({ status: 201 })
    expect(await served.call('DELETE', `/v1/towns/${town?.data.id}`)).toMatchObject({ status: 204 })
    await served.close()
    const own = await store.open(url)
    await expect(Promise.resolve().then(() => own.first('SELECT 1 FROM "rates"', []))).rejects.toThrow()
  })

  test('a table that references come to lead to is made by hand, as the refusal says', async () => {
    const url = await store.url()
    const served = await open(url, withCode)
    expect(await served.call('POST', '/v1/visits', { by: 'ada', rate_id: 'r-1' })).toMatchObject({
      status: 201,
    })
    await served.close()
    await expect(open(url, withTable)).rejects.toThrow(/visits.*rates/s)
  })
})
