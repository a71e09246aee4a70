import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { immutable, readOnly, writeOnly } from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import { describeServing, type Row } from '../support/serving.ts'

const address = z.object({ street: z.string().max(50), zip: z.string().max(10).optional() })

const anything = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])

const things = resource('things', {
  idPrefix: 'thg_',
  fields: {
    text: z.string().max(100),
    short: z.string().min(2).max(4).optional(),
    code: z
      .string()
      .regex(/^[A-Z]{2}\d+$/)
      .optional(),
    email: z.email().optional(),
    link: z.url().optional(),
    uuid: z.uuid().optional(),
    day: z.iso.date().optional(),
    moment: z.iso.datetime({ offset: true }).optional(),
    whole: z.int().optional(),
    ratio: z.number().optional(),
    flag: z.boolean().optional(),
    size: z.enum(['s', 'm', 'l']).default('m'),
    tags: z.array(z.string().max(10)).max(3).default([]),
    place: address.optional(),
    extra: z.record(z.string(), z.record(z.string(), anything)).optional(),
    reading: z.object({ by: z.string().nullable(), value: z.union([z.number(), z.boolean()]) }).optional(),
    must: z.string().max(10).nullable(),
    secret: writeOnly(z.string().max(20).optional()),
    serial: immutable(z.string().max(20).optional()),
    score: readOnly(z.int().default(7)),
  },
  sort: ['ratio', 'moment', 'day', 'flag', 'whole'],
  filter: ['ratio', 'moment', 'day', 'flag', 'whole', 'uuid', 'size', 'text'],
})
const declaration = api('kinds', { resources: [things] })
const least = { text: 'x', must: null }

describeServing(
  'fields',
  (served) => {
    const make = (fields: object): Promise<Row> => served.make('/v1/things', { ...least, ...fields })
    const post = (fields: object) => served.call('POST', '/v1/things', { body: { ...least, ...fields } })
    const patch = (id: string, body: object) => served.call('PATCH', `/v1/things/${id}`, { body })

    test('parts of a JSON value may be null or of several kinds, where that is declared', async () => {
      for (const reading of [
        { by: null, value: 1 },
        { by: 'Ada', value: true },
      ])
        expect((await make({ reading })).reading).toEqual(reading)
      for (const reading of [
        { by: 1, value: 1 },
        { by: 'Ada', value: null },
      ])
        expect((await post({ reading })).status).toBe(422)
    })

    test('-0 within a JSON value is stored as 0, and sending it again changes nothing', async () => {
      const body = `{"text":"x","must":null,"extra":{"a":{"b":-0,"c":-0.0}}}`
      const made = await served.call('POST', '/v1/things', { body })
      expect(JSON.stringify(made.data.extra)).toBe('{"a":{"b":0,"c":0}}')
      const put = await served.call('PUT', `/v1/things/${made.data.id}`, { body })
      expect([put.status, put.etag]).toEqual([200, made.etag])
    })

    test('what is left out is null or its default, and ids carry the prefix', async () => {
      const row = await make({})
      expect(row.id).toMatch(/^thg_[0-9a-f-]{36}$/)
      expect(row).toMatchObject({
        short: null,
        day: null,
        flag: null,
        size: 'm',
        tags: [],
        place: null,
        score: 7,
      })
      expect((await served.get(`/v1/things/${row.id}`)).data).toEqual(row)
    })

    test.each([
      ['short', '𝄞𝄞𝄞𝄞'],
      ['code', 'DE42'],
      ['email', "o'brien+tag@mail.example.com"],
      ['link', 'https://example.com/a?b=c#d'],
      ['uuid', '018f0000-0000-7000-8000-000000000000'],
      ['day', '2024-02-29'],
      ['day', '0001-01-01'],
      ['day', '9999-12-31'],
      ['moment', '2026-06-01T12:00:00.123Z'],
      ['moment', '0999-12-31T23:59:59.999Z'],
      ['whole', 9007199254740991],
      ['whole', -9007199254740991],
      ['whole', 0],
      ['flag', true],
      ['flag', false],
      ['size', 'l'],
      ['tags', ['a', 'b', 'c']],
      ['place', { street: 'Main', zip: '1' }],
      ['extra', { a: { b: null, c: ['v\n'] }, 'ключ "x"': {}, constructor: { toString: 1 } }],
      ['must', 'set'],
      ['serial', 'S-1'],
      ['text', 'control \u0001 \u001f \u007f \u2028 \b\f\n\r\t quote " \\ / <b> ☃ 𝄞 \ufffe'],
    ])('%s holds %j and gives it back', async (name, value) => {
      const row = await make({ [name]: value })
      expect(row[name]).toEqual(value)
      const again = await served.get(`/v1/things/${row.id}`)
      expect(again.data[name]).toEqual(value)
      const put = await served.call('PUT', `/v1/things/${row.id}`, { body: again.data })
      expect([put.status, put.text]).toEqual([200, again.text])
    })

    test.each([
      ['short', 'x'],
      ['short', 'xxxxx'],
      ['code', 'xDE42'],
      ['link', 'not a url'],
      ['link', '/relative'],
      ['uuid', '018f'],
      ['day', '2026-02-30'],
      ['day', '2026-1-1'],
      ['day', '2026-01-01T00:00:00Z'],
      ['day', '0000-01-01'],
      ['moment', '2026-06-01'],
      ['moment', '2026-06-01T12:00:00'],
      ['moment', '2026-06-01T24:00:00Z'],
      ['whole', 1.5],
      ['whole', '1'],
      ['ratio', '1.5'],
      ['flag', 'true'],
      ['flag', 0],
      ['size', 'xl'],
      ['size', 5],
      ['tags', 'a'],
      ['tags', ['a', 'b', 'c', 'd']],
      ['tags', ['01234567890']],
      ['tags', [1]],
      ['place', {}],
      ['place', { street: 'a', planet: 'x' }],
      ['place', []],
      ['extra', 'x'],
      ['text', null],
    ])('%s does not hold %j', async (name, value) => {
      const answer = await post({ [name]: value })
      expect(answer.refusal).toEqual([422, 'validation-failed'])
      expect(answer.faults[0]).toMatch(new RegExp(`^#/${name}`))
    })

    test('faults inside JSON are pointed at, and hostile text is found there too', async () => {
      expect((await post({ tags: ['ok', 7] })).faults).toEqual(['#/tags/1'])
      expect((await post({ place: { street: 'x'.repeat(51) } })).faults).toEqual(['#/place/street'])
      expect((await post({ extra: { a: { 'b/c': 'x\0' } } })).faults).toEqual(['#/extra/a/b~1c'])
      expect((await post({ extra: { a: { b: ['\ud800'] } } })).faults).toEqual(['#/extra/a/b'])
      expect((await post({ extra: { 'k\0': {} } })).status).toBe(422)
      expect((await post({ extra: { very: { deep: 2 ** 53 } } })).faults).toEqual(['#/extra/very/deep'])
    })

    test('a nullable field without a default must be sent, be it as null', async () => {
      const answer = await served.call('POST', '/v1/things', { body: { text: 'x' } })
      expect([answer.status, answer.faults]).toEqual([422, ['#/must']])
    })

    test('times are understood with any offset and shown in UTC with milliseconds', async () => {
      const shown = async (moment: string) => (await make({ moment })).moment
      expect(await shown('2026-06-01T14:00:00+02:00')).toBe('2026-06-01T12:00:00.000Z')
      expect(await shown('2026-06-01T00:30:00.5-09:30')).toBe('2026-06-01T10:00:00.500Z')
      expect(await shown('2026-06-01t00:00:00.123999z')).toBe('2026-06-01T00:00:00.123Z')
    })

    test('the same moment written otherwise changes nothing', async () => {
      const row = await make({ moment: '2026-06-01T12:00:00Z' })
      const answer = await patch(row.id, { moment: '2026-06-01T14:00:00+02:00' })
      expect([answer.status, answer.rowVersion]).toEqual([200, 1])
    })

    const numbers = [
      0,
      -0,
      1,
      -1,
      0.1,
      -0.25,
      1 / 3,
      2 / 3,
      1e-7,
      1.5e-7,
      5e-324,
      1e-320,
      2.5e-300,
      123456.789,
      1e15 + 0.5,
      0.30000000000000004,
      4503599627370495.5,
      9007199254740991,
      1e14,
      100000,
      1.0000000000000002,
    ]
    test('numbers come back exactly, written alike on every store', async () => {
      for (const ratio of numbers) {
        const answer = await post({ ratio })
        expect(answer.status, String(ratio)).toBe(201)
        expect(answer.text).toContain(`"ratio":${JSON.stringify(ratio)},`)
      }
    })

    test('numbers sort and compare as numbers', async () => {
      const { rows } = await served.get('/v1/things?limit=100&sort=ratio&filter[ratio][ne]=null')
      const values = rows.map((row) => Number(row.ratio))
      expect(values).toEqual([...values].sort((a, b) => a - b))
      expect(values.length).toBeGreaterThanOrEqual(20)
      const found = await served.get('/v1/things?filter[ratio]=0.30000000000000004')
      expect(found.rows).toHaveLength(1)
      const small = await served.get('/v1/things?filter[ratio][lt]=1e-6&filter[ratio][gt]=0&sort=ratio')
      expect(small.rows).toHaveLength(5)
    })

    test.each(['ratio', '-ratio', 'moment', 'day', '-flag', 'flag,-whole', '-whole,day'])(
      'a walk by %s, one row at a time, meets every row once',
      async (sort) => {
        const all = (await served.get('/v1/things?limit=100&sort=id')).rows.map((row) => row.id)
        const met: string[] = []
        let cursor: string | null = null
        do {
          const answer = await served.get(
            `/v1/things?limit=17&sort=${sort}${cursor ? `&cursor=${cursor}` : ''}`,
          )
          met.push(...answer.rows.map((row) => row.id))
          cursor = answer.page.next_cursor
        } while (cursor)
        expect([...met].sort().slice(0, 100)).toEqual([...new Set(met)].sort().slice(0, 100))
        expect(met).toEqual(expect.arrayContaining(all))
      },
    )

    test('a write-only field is kept and never shown, also in a replacement that leaves it out', async () => {
      const { store } = served
      const kept = async (id: string) =>
        (await store.first(`SELECT secret FROM things WHERE id = ${store.dialect.param(1, 'id')}`, [id]))?.[0]
      const row = await make({ secret: 'hush' })
      expect(row).not.toHaveProperty('secret')
      const { data, text } = await served.get(`/v1/things/${row.id}`)
      expect(text).not.toContain('hush')
      expect((await served.get('/v1/things?limit=100')).text).not.toContain('hush')
      await served.call('PUT', `/v1/things/${row.id}`, { body: data })
      expect(await kept(row.id)).toBe('hush')
      expect((await patch(row.id, { secret: 'other' })).text).not.toContain('other')
      expect((await patch(row.id, { secret: 'x'.repeat(21) })).faults).toEqual(['#/secret'])
      expect(await kept(row.id)).toBe('other')
    })

    test('an immutable field is set once and may be sent unchanged', async () => {
      const row = await make({ serial: 'S-2' })
      expect((await patch(row.id, { serial: 'S-2' })).status).toBe(200)
      for (const serial of ['S-3', null]) {
        const answer = await patch(row.id, { serial })
        expect(answer.problem.errors).toMatchObject([{ pointer: '#/serial', code: 'immutable' }])
      }
      const put = await served.call('PUT', `/v1/things/${row.id}`, { body: least })
      expect(put.data.serial).toBe('S-2')
    })

    test('JSON that another program wrote on several lines is read like any other, and pages stay whole', async () => {
      const rows = await Promise.all([1, 2, 3].map(() => make({ place: { street: 'Main' } })))
      const pretty = JSON.stringify({ street: 'a\nb', zip: '\t1' }, null, '\t').replaceAll('\n', '\r\n')
      const param = served.store.dialect.param(1, 'json')
      await served.store.writeOne(`UPDATE "things" SET "place" = ${param} WHERE "must" IS NULL`, [pretty])
      const page = await served.get('/v1/things?limit=2')
      expect(page.rows.map(({ place }) => place)).toEqual(Array(2).fill({ street: 'a\nb', zip: '\t1' }))
      expect(page.page.has_more).toBe(true)
      const all = await served.get('/v1/things?limit=100')
      expect(all.rows.filter(({ id }) => rows.some((row) => row.id === id))).toHaveLength(3)
      expect(all.page.has_more).toBe(false)
    })

    test('a merge patch goes into JSON fields, and an array is replaced', async () => {
      const row = await make({ extra: { a: { b: 1, c: 2 }, d: { e: ['1', '2'] } }, tags: ['a', 'b'] })
      const answer = await patch(row.id, { extra: { a: { b: null, f: 3 }, d: { e: ['3'] } }, tags: ['c'] })
      expect(answer.data).toMatchObject({ extra: { a: { c: 2, f: 3 }, d: { e: ['3'] } }, tags: ['c'] })
      expect(Object.keys((answer.data.extra as { a: object }).a)).toEqual(['c', 'f'])
      const judged = await patch(row.id, { place: { zip: '1' } })
      expect([judged.status, judged.faults]).toEqual([422, ['#/place/street']])
      await patch(row.id, { place: { street: 'Main' } })
      expect((await patch(row.id, { place: { zip: '1' } })).data.place).toEqual({ street: 'Main', zip: '1' })
      expect((await patch(row.id, { place: null, tags: null })).data).toMatchObject({ place: null, tags: [] })
    })
  },
  { declaration },
)
