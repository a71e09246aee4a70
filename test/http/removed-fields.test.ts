import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { removeField } from '../../src/declare/change.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { describeServing } from '../support/serving.ts'

const orders = resource('orders', { fields: { total: z.int() } })
const v1 = version('v1', {
  changes: [
    removeField('orders', 'code', { was: z.string().max(5), whenAbsent: 'zz' }),
    removeField('orders', 'sign', { was: z.string().max(5).nullable(), whenAbsent: '-' }),
    removeField('orders', 'note', { was: z.string().max(5).optional(), whenAbsent: 'none' }),
    removeField('orders', 'mode', { was: z.string().max(5).default('slow') }),
  ],
})
const declaration = api('removed', { resources: [orders], versions: [version('v2'), v1] })

type Schemas = { readonly [name: string]: object }

const whole = { total: 1, code: 'c', sign: 's' }

describeServing(
  'a field that newer versions removed',
  (served) => {
    const refused = async (method: string, path: string, body: object, pointer: string) => {
      const answer = await served.call(method, path, { body })
      expect(answer.status, answer.text).toBe(422)
      expect(answer.refusal).toEqual([422, 'validation-failed'])
      expect(answer.faults).toEqual([pointer])
    }

    test('must still be sent to create a row where it was required', () =>
      refused('POST', '/v1/orders', { total: 1, sign: 's' }, '#/code'))

    test('must still be sent to replace a row, which keeps its value when it is not', async () => {
      const { id } = await served.make('/v1/orders', whole)
      await refused('PUT', `/v1/orders/${id}`, { total: 2, sign: 's' }, '#/code')
      expect((await served.get(`/v1/orders/${id}`)).data).toMatchObject(whole)
    })

    test('is not null where it never was', async () => {
      const { id } = await served.make('/v1/orders', whole)
      await refused('POST', '/v1/orders', { ...whole, code: null }, '#/code')
      await refused('PUT', `/v1/orders/${id}`, { ...whole, code: null }, '#/code')
      await refused('PATCH', `/v1/orders/${id}`, { code: null }, '#/code')
    })

    test('is null where null was sent for it, also after a newer version replaced the row', async () => {
      const unsigned = { ...whole, sign: null }
      const { id } = await served.make('/v1/orders', unsigned)
      expect((await served.get(`/v1/orders/${id}`)).data).toMatchObject(unsigned)
      expect((await served.call('PUT', `/v2/orders/${id}`, { body: { total: 3 } })).status).toBe(200)
      expect((await served.get(`/v1/orders/${id}`)).data).toMatchObject({ ...unsigned, total: 3 })
      await refused('POST', '/v1/orders', { total: 1, code: 'c' }, '#/sign')
    })

    test('has a value in rows that newer versions create', async () => {
      const { id } = await served.make('/v2/orders', { total: 1 })
      const { data } = await served.get(`/v1/orders/${id}`)
      expect(data).toMatchObject({ code: 'zz', sign: '-', note: 'none', mode: 'slow' })
    })

    test('may be left out where it was optional or had a default', async () => {
      const order = await served.make('/v1/orders', whole)
      expect(order).toMatchObject({ note: 'none', mode: 'slow' })
    })

    test('is documented as it was', async () => {
      const { json } = await served.get('/v1/openapi.json')
      const { schemas } = (json as { components: { schemas: Schemas } }).components
      expect(schemas.OrderCreate).toMatchObject({
        required: expect.arrayContaining(['code']),
        properties: { code: { type: 'string' } },
      })
    })
  },
  { declaration },
)
