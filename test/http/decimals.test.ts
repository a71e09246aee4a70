import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import {
  addRequiredField,
  api,
  belongsTo,
  decimal,
  hasMany,
  removeField,
  renameField,
  resource,
  sum,
  version,
} from '../../src/index.ts'
import { describeServing } from '../support/serving.ts'

const tills = resource('tills', {
  fields: {
    name: z.string(),
    total: sum<string>('receipts', 'amount'),
    value: sum<string>('receipts', ['amount', 'pieces']),
    told: z.string().optional(),
  },
  relations: { receipts: hasMany('receipts') },
  filter: ['total'],
  sort: ['total'],
  hooks: {
    async beforeUpdate(next, _, { sum, create, list }) {
      if (next.name === 'sum') {
        const amount = await sum<string>('receipts', 'amount', { till_id: next.id })
        const same = await list('receipts', { till_id: next.id, amount: '0.1' })
        return { told: `${amount} ${same.map((row) => row.amount).join()}` }
      }
      if (next.name === 'create') await create('receipts', { till_id: next.id, amount: '7' })
      if (next.name === 'wrong') await create('receipts', { till_id: next.id, amount: '7.001' })
      return {}
    },
  },
})
const receipts = resource('receipts', {
  fields: {
    amount: decimal({ scale: 2 }),
    pieces: z.int().default(1),
    rate: decimal({ scale: 6, precision: 7, min: '0', max: '1' }).default('0.190000'),
    tip: decimal({ scale: 0 }).optional(),
    paid: z.object({ cash: decimal({ scale: 2 }) }).optional(),
  },
  relations: { till: belongsTo('tills', { optional: true }) },
  filter: ['amount', 'tip', 'till_id'],
  sort: ['amount', 'tip'],
  unique: [['till_id', 'tip']],
})
const declaration = api('tills', { resources: [tills, receipts] })

describeServing(
  'a decimal',
  (served) => {
    const receipt = (amount: string, more = {}) => served.make('/v1/receipts', { amount, ...more })
    const till = async () => (await served.make('/v1/tills', { name: 'a' })).id
    const amounts = async (query: string) =>
      (await served.get(`/v1/receipts?limit=100&${query}`)).rows.map((row) => row.amount)

    test('is shown with as many decimals as its scale, whatever form was sent', async () => {
      const row = await receipt('12.5', { rate: '0.5', tip: '-3' })
      expect(row).toMatchObject({ amount: '12.50', rate: '0.500000', tip: '-3' })
      expect((await served.get(`/v1/receipts/${row.id}`)).data).toEqual(row)
      expect(await receipt('-0')).toMatchObject({ amount: '0.00', rate: '0.190000', tip: null })
      expect((await receipt('-0.05')).amount).toBe('-0.05')
      expect((await receipt('999999999999.99')).amount).toBe('999999999999.99')
      expect((await receipt('-999999999999.99')).amount).toBe('-999999999999.99')
    })

    test('does not change when the same value is sent in another form', async () => {
      const { id } = await receipt('3.10')
      const answer = await served.call('PATCH', `/v1/receipts/${id}`, { body: { amount: '3.1' } })
      expect([answer.data.amount, answer.rowVersion]).toEqual(['3.10', 1])
      const changed = await served.call('PATCH', `/v1/receipts/${id}`, { body: { amount: '3.11' } })
      expect([changed.data.amount, changed.rowVersion]).toEqual(['3.11', 2])
    })

    test.each(['12.505', '1e3', '+1', '.5', '1.', '01', '', ' 1', '1000000000000', 'NaN', '1,5'])(
      'is no text such as %j',
      async (amount) => {
        const answer = await served.call('POST', '/v1/receipts', { body: { amount } })
        expect([...answer.refusal, ...answer.faults]).toEqual([422, 'validation-failed', '#/amount'])
        expect(answer.problem.errors?.[0]?.detail).toBe(
          'must be a decimal such as "12.50", with at most 12 digits before the point and 2 after',
        )
      },
    )

    test('is a string, within its bounds, also within JSON', async () => {
      const refused = async (body: object) =>
        (await served.call('POST', '/v1/receipts', { body: { amount: '1', ...body } })).problem.errors?.map(
          ({ pointer, detail }) => `${pointer} ${detail}`,
        )
      expect(await refused({ amount: 1.5 })).toEqual(['#/amount must be a string such as "1.5"'])
      expect(await refused({ amount: 1.234 })).toEqual(['#/amount must be a string such as "12.50"'])
      expect(await refused({ amount: true })).toEqual(['#/amount must be a string'])
      const rate =
        '#/rate must be a decimal such as "1.000000", with at most 1 digit before the point and 6 after, at least 0.000000, at most 1.000000'
      expect(await refused({ rate: '1.000001' })).toEqual([rate])
      expect(await refused({ rate: '-0.1' })).toEqual([rate])
      expect((await refused({ paid: { cash: '1.234' } }))?.[0]).toContain('#/paid/cash must be a decimal')
    })

    test('is filtered and sorted by its value, page by page', async () => {
      const till_id = await till()
      const values = ['9.00', '10.00', '-1.50', '0.00', '-10.00', '9.01', '123456789012.34']
      for (const amount of values) await receipt(amount, { till_id })
      const sorted = values.toSorted((a, b) => Number(a) - Number(b))
      const mine = `filter[till_id]=${till_id}`
      expect(await amounts(`${mine}&sort=amount`)).toEqual(sorted)
      expect(await amounts(`${mine}&sort=-amount`)).toEqual(sorted.toReversed())
      expect(await amounts(`${mine}&filter[amount]=9`)).toEqual(['9.00'])
      expect(await amounts(`${mine}&filter[amount]=9.005`)).toEqual([])
      expect(await amounts(`${mine}&filter[amount][in]=9.0,-1.5,7`)).toEqual(['9.00', '-1.50'])
      expect(await amounts(`${mine}&sort=amount&filter[amount][gt]=9.005`)).toEqual(sorted.slice(-3))
      expect(await amounts(`${mine}&sort=amount&filter[amount][lte]=-1.500000`)).toEqual(sorted.slice(0, 2))
      const seen: unknown[] = []
      let cursor = ''
      do {
        const { rows, page } = await served.get(`/v1/receipts?${mine}&sort=-amount&limit=2${cursor}`)
        seen.push(...rows.map((row) => row.amount))
        cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`
      } while (cursor !== '')
      expect(seen).toEqual(sorted.toReversed())
    })

    test('is refused in a filter where it is no decimal', async () => {
      const answer = await served.get('/v1/receipts?filter[amount]=abc')
      expect([answer.status, answer.faults]).toEqual([400, ['filter[amount]']])
      expect((await served.get('/v1/receipts?filter[amount]=1.0000001')).status).toBe(400)
      expect((await served.get('/v1/receipts?filter[tip]=null')).status).toBe(200)
    })

    test('is unique by its value', async () => {
      const till_id = await till()
      await receipt('1', { till_id, tip: '5' })
      const answer = await served.call('POST', '/v1/receipts', { body: { amount: '1', till_id, tip: '5' } })
      expect(answer.refusal).toEqual([409, 'unique-conflict'])
    })

    test('is summed exactly, alone and times an integer', async () => {
      const till_id = await till()
      expect((await served.get(`/v1/tills/${till_id}`)).data).toMatchObject({ total: '0.00', value: '0.00' })
      const rows = [
        await receipt('0.10', { till_id, pieces: 3 }),
        await receipt('0.20', { till_id }),
        await receipt('99999999999.99', { till_id, pieces: -2 }),
      ]
      const sums = async () => (await served.get(`/v1/tills/${till_id}`)).data
      expect(await sums()).toMatchObject({ total: '100000000000.29', value: '-199999999999.48' })
      await served.call('DELETE', `/v1/receipts/${rows[2]?.id}`)
      expect(await sums()).toMatchObject({ total: '0.30', value: '0.50' })
      const found = await served.get('/v1/tills?filter[total]=0.3')
      expect(found.rows.map((row) => row.id)).toContain(till_id)
    })

    test('is refused where a sum would have more than 12 digits before the point', async () => {
      const till_id = await till()
      await receipt('999999999999.00', { till_id })
      const answer = await served.call('POST', '/v1/receipts', { body: { amount: '1.00', till_id } })
      expect(answer.status).toBe(422)
      expect((await served.get(`/v1/tills/${till_id}`)).data.total).toBe('999999999999.00')
    })

    test('is a string in hooks, which may write it shorter and not finer', async () => {
      const till_id = await till()
      for (const amount of ['0.10', '0.20']) await receipt(amount, { till_id })
      const named = (name: string) => served.call('PATCH', `/v1/tills/${till_id}`, { body: { name } })
      expect((await named('sum')).data.told).toBe('0.30 0.10')
      expect((await named('create')).data.total).toBe('7.30')
      expect((await named('wrong')).status).toBe(500)
    })
  },
  { declaration },
)

test('a sum takes one decimal factor only', () => {
  const twice = resource('tills', {
    fields: { value: sum<string>('receipts', ['amount', 'rate']) },
    relations: { receipts: hasMany('receipts') },
  })
  expect(() => compileApi(api('twice', { resources: [twice, receipts] }))).toThrow(
    'only one factor can be other than an integer',
  )
})

describe('decimal()', () => {
  test.each([
    [{ scale: 7 }, 'scale must be a whole number from 0 to 6'],
    [{ scale: 2, precision: 15 }, 'precision must be a whole number from 3 to 14'],
    [{ scale: 2, min: '0.001' }, 'min must be a decimal'],
    [{ scale: 2, min: '2', max: '1' }, 'min 2 is above max 1'],
  ])('%j is refused', (options, message) => {
    expect(() => decimal(options)).toThrow(message)
  })

  test.each([
    [
      { scale: 2, min: 0 },
      "decimal({ min: 0, … }): min must be a string, and is 0. Write min: '0', in quotes.",
    ],
    [{ scale: 2, max: 9.5 }, "max must be a string, and is 9.5. Write max: '9.5', in quotes."],
    [{ scale: 2, max: null }, "max must be a string, and is null. Write max: '0', in quotes."],
    [{ scale: '2' }, "scale must be a number, and is '2'. Write scale: 2, without quotes."],
    [{ scale: 2n }, 'scale must be a number, and is bigint.'],
    [{ scale: 2, precision: '9' }, 'precision must be a number'],
    [{ scale: 2, min: Symbol('a') }, 'min must be a string, and is symbol.'],
    [{ scale: 2, default: 0 }, "a default is given behind it. Write decimal({ … }).default('0')."],
    [
      { scale: 2, multipleOf: '5' },
      '"multipleOf" is not an option. Its options are scale, precision, min, max.',
    ],
    [{}, 'scale must be a whole number from 0 to 6'],
    [undefined, 'decimal(): its options are missing. Write decimal({ scale: 2 })'],
    [2, 'decimal(2): its options are missing.'],
  ])('options of another type are refused in a sentence: %#', (options, message) => {
    expect(() => decimal(options as never)).toThrow(message)
  })

  test('has defaults in the form that is shown', () => {
    const things = resource('things', { fields: { price: decimal({ scale: 2 }).default('1.5') } })
    expect(() => compileApi(api('things', { resources: [things] }))).toThrow(
      'its default "1.5" is not a value it allows. Write "1.50", as it is shown.',
    )
  })
})

const fees = resource('fees', {
  fields: { gross: decimal({ scale: 2 }), net: decimal({ scale: 2 }) },
  sort: ['gross'],
})

describeServing(
  'decimals of two versions',
  (served) => {
    test('are renamed, added and kept with their values', async () => {
      const older = await served.make('/v1/fees', { amount: '9', tax: '0.5' })
      expect(older).toMatchObject({ amount: '9.00', tax: '0.50' })
      expect((await served.get(`/v2/fees/${older.id}`)).data).toMatchObject({ gross: '9.00', net: '1.50' })
      const newer = await served.make('/v2/fees', { gross: '10', net: '8' })
      expect((await served.get(`/v1/fees/${newer.id}`)).data).toMatchObject({ amount: '10.00', tax: '0.00' })
      const sorted = (await served.get('/v1/fees?sort=-amount')).rows
      expect(sorted.map((row) => row.amount)).toEqual(['10.00', '9.00'])
    })
  },
  {
    declaration: api('fees', {
      resources: [fees],
      versions: [
        version('v2'),
        version('v1', {
          changes: [
            renameField('fees', 'amount', 'gross'),
            addRequiredField('fees', 'net', { whenAbsent: '1.5' }),
            removeField('fees', 'tax', { was: decimal({ scale: 2 }), whenAbsent: '0.00' }),
          ],
        }),
      ],
    }),
  },
)
