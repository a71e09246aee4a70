import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { api, decimal, resource } from '../../src/index.ts'
import { testApi } from '../../src/testing.ts'
import { whenOver } from '../support/clean-up.ts'
import { describeStores } from '../support/stores.ts'

const everyKind = api('kinds', {
  resources: [
    resource('samples', {
      fields: {
        text: z.string().optional(),
        colour: z.enum(['red', 'a "quoted" one', 'grün']),
        whole: z.int(),
        fraction: z.number().optional(),
        price: decimal({ scale: 3 }).optional(),
        on: z.boolean().optional(),
        day: z.iso.date().optional(),
        moment: z.iso.datetime({ offset: true }).optional(),
        tree: z.object({ names: z.array(z.string()), deep: z.object({ n: z.number() }) }).optional(),
      },
    }),
  ],
})

const text = fc.string({ unit: 'binary' }).map((any) => any.replaceAll('\0', '').toWellFormed())
const fraction = fc.double({ noNaN: true, min: -1e12, max: 1e12 })
const moment = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })

const sample = fc.record({
  text: optional(text),
  colour: fc.constantFrom('red', 'a "quoted" one', 'grün'),
  whole: fc.maxSafeInteger(),
  fraction: optional(fraction),
  price: optional(fc.maxSafeInteger().map((units) => `${Math.trunc(units / 1e6)}.${Math.abs(units) % 1000}`)),
  on: optional(fc.boolean()),
  day: optional(moment.map((date) => date.toISOString().slice(0, 10))),
  moment: optional(moment.map((date) => date.toISOString().replace('Z', '+02:00'))),
  tree: optional(fc.record({ names: fc.array(text), deep: fc.record({ n: fraction }) })),
})

describeStores('a written row', (kind) => {
  test('is answered with the very bytes that reading it gives', async () => {
    const served = await testApi(everyKind, { databaseUrl: await kind.url() })
    whenOver(() => served.close())
    const headers = {
      Authorization: `Bearer ${await served.key('acme')}`,
      'Content-Type': 'application/json',
    }
    const send = async (method: string, path: string, body?: unknown) => {
      const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
      const response = await served.fetch(path, init)
      expect(response.status).toBeLessThan(300)
      return { text: await response.text(), location: response.headers.get('location') ?? '' }
    }
    await fc.assert(
      fc.asyncProperty(sample, sample, async (first, second) => {
        const created = await send('POST', '/v1/samples', first)
        expect((await send('GET', created.location)).text).toBe(created.text)
        const changed = await send('PATCH', created.location, second)
        expect((await send('GET', created.location)).text).toBe(changed.text)
      }),
      { numRuns: 60 },
    )
  })
})
