import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { storeKinds } from '../support/databases.ts'
import { accepts, documentOf, type Json, serveThings } from './openapi-things.ts'

const numRuns = process.env.NOUNKIT_NIGHTLY === '1' ? 5000 : 150

describe.each(storeKinds)('on %s a filter takes what the document says:', (kind) => {
  const call = serveThings(kind)

  it.each(['v1', 'v2'])('in %s what its schema accepts is 200, and nothing empty is', async (name) => {
    const parameters = Object.values(documentOf(name).components.parameters ?? {}).filter(
      (one) => String(one.name).startsWith('filter[') && one.name !== 'filter[or]',
    )
    expect(parameters.length).toBeGreaterThan(50)
    for (const { name: parameter, schema } of parameters) {
      const { items = schema, type } = schema as { readonly items?: Json; readonly type: string }
      const isList = type === 'array'
      const values = isList
        ? fc.array(filterValue(items as Json), { minLength: 1, maxLength: 3 }).map((list) => list.join(','))
        : filterValue(items as Json)
      const get = async (text: string): Promise<number> => {
        const query = `${encodeURIComponent(String(parameter))}=${encodeURIComponent(text)}`
        return (await call('GET', `/${name}/things?${query}`)).status
      }
      expect([parameter, await get('')]).toEqual([parameter, 400])
      await fc.assert(
        fc.asyncProperty(values, async (text) => {
          expect([parameter, text, await get(text)]).toEqual([parameter, text, 200])
        }),
        { numRuns: Math.ceil(numRuns / 15) },
      )
    }
  })

  it('null or a value of the type, and nothing else', async () => {
    const parameters = documentOf('v2').components.parameters ?? {}
    const fields = [
      'whole',
      'real',
      'cost',
      'flag',
      'colour',
      'day',
      'at',
      'created_at',
      'friend_id',
      'digits',
    ]
    for (const field of fields) {
      const isValue = accepts(parameters[`things.filter.${field}`]?.schema)
      const near = fc.string({ unit: fc.constantFrom('0', '1', '-', 'n', ':', 'Z', 'T', '"'), maxLength: 25 })
      const text = fc.oneof(
        near,
        fc.constantFrom('null', '"null"', 'red', 'true', '2026-02-29', '2024-02-29', ...times),
      )
      await fc.assert(
        fc.asyncProperty(
          text.filter((one) => one !== ''),
          async (value) => {
            const query = `filter[${field}]=${encodeURIComponent(value)}`
            const { status } = await call('GET', `/v2/things?${query}`)
            expect([field, value, status]).toEqual([field, value, isValue(value) ? 200 : 400])
          },
        ),
        { numRuns: Math.ceil(numRuns / 3) },
      )
    }
  })
})

const times = [
  '2026-06-01T12:00:00Z',
  '2026-06-01t12:00:00.100000+05:30',
  '2026-06-01T12:00:00.1234Z',
  '2026-06-01T12:00:60Z',
  '2026-06-31T12:00:00Z',
  '2026-06-01T12:00:00',
]

/** Any value that the schema of a filter accepts, as text. */
const filterValue = (schema: Json): fc.Arbitrary<string> => {
  const { type, format, pattern, enum: values } = schema
  if (Array.isArray(values)) return fc.constantFrom(...values.map(String))
  // A string of its own pattern; "null" compares with nothing, which no pattern can say without looking ahead.
  if (typeof pattern === 'string')
    return fc.stringMatching(new RegExp(pattern)).filter((text) => text !== '' && text !== 'null')
  if (format === 'date-time')
    return fc
      .date({
        min: new Date('0001-01-02T00:00:00Z'),
        max: new Date('9999-12-30T00:00:00Z'),
        noInvalidDate: true,
      })
      .map((date) => date.toISOString())
  if (format === 'date') return fc.constantFrom('2026-06-01', '0001-01-01', '9999-12-31', '2024-02-29')
  if (format === 'uuid') return fc.uuid()
  if (type === 'boolean') return fc.boolean().map(String)
  if (type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)
  const { minimum, maximum } = schema as { readonly minimum: number; readonly maximum: number }
  return fc.integer({ min: minimum, max: maximum }).map(String)
}
