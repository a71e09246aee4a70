import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { storeKinds } from '../support/databases.ts'
import { accepts, documentOf, fieldOf, serveThings } from './openapi-things.ts'

const numRuns = process.env.NOUNKIT_NIGHTLY === '1' ? 5000 : 150

describe.each(storeKinds)('on %s the server takes what the document says, and no more:', (kind) => {
  const call = serveThings(kind)
  let thing: string
  beforeAll(async () => {
    const { data } = (await (await call('POST', '/v2/things', {})).json()) as { data: { id: string } }
    thing = data.id
  })

  /** 200 or 422, for one value of one field. */
  const patched = async (version: string, field: string, value: unknown): Promise<boolean> => {
    const { status } = await call('PATCH', `/${version}/things/${thing}`, { [field]: value })
    expect([200, 422]).toContain(status)
    return status === 200
  }

  it('an Idempotency-Key, bare or quoted', async () => {
    const parameter = documentOf('v2').components.parameters?.['Idempotency-Key']
    const isKey = accepts(parameter?.schema)
    const visible = fc.string({ unit: fc.constantFrom('a', 'Z', '~', '!', ',', '#') })
    const tricky = fc.string({ unit: fc.constantFrom('a', '"', '\\', ' ', '\t', 'é', '\u007f', '~') })
    const long = fc.integer({ min: 253, max: 258 }).map((size) => 'k'.repeat(size))
    const inside = fc.oneof(
      visible,
      tricky,
      long,
      fc.string({ unit: fc.constantFrom('a', '\\"', '\\\\', '"') }),
    )
    const value = fc.oneof(
      inside,
      inside.map((text) => `"${text}"`),
    )
    await fc.assert(
      fc.asyncProperty(value, async (text) => {
        // What surrounds a header's value is no part of it.
        const sent = text.replace(/^[ \t]+|[ \t]+$/g, '')
        const { status } = await call('POST', '/v2/things', { unknown: 1 }, { 'Idempotency-Key': sent })
        expect([sent, status]).toEqual([sent, isKey(sent) ? 422 : 400])
      }),
      { numRuns },
    )
  })

  it('an e-mail address', async () => {
    const part = fc.string({
      unit: fc.constantFrom('a', 'B', '9', '-', '_', '+', "'", '`', '.', ' ', 'é', '@'),
    })
    const label = fc.oneof(part, fc.constantFrom('example', 'com', 'x-1', 'a'.repeat(63), 'a'.repeat(64)))
    const host = fc.array(label, { maxLength: 6 }).map((labels) => labels.join('.'))
    const local = fc.oneof(
      part,
      fc.integer({ min: 60, max: 70 }).map((size) => 'l'.repeat(size)),
    )
    const address = fc.oneof(
      fc.tuple(local, host).map(([before, after]) => `${before}@${after}`),
      fc.emailAddress(),
      fc.string(),
    )
    for (const field of ['email', 'short_email']) {
      const isAddress = accepts(fieldOf(documentOf('v2'), 'ThingPatch', field))
      await fc.assert(
        fc.asyncProperty(address, async (text) => {
          expect([text, await patched('v2', field, text)]).toEqual([text, isAddress(text)])
        }),
        { numRuns },
      )
    }
  })

  it('any string but one with a NUL character, also within JSON', async () => {
    const document = documentOf('v2')
    const isText = accepts(fieldOf(document, 'ThingPatch', 'text'))
    const isNotes = accepts(fieldOf(document, 'ThingPatch', 'notes'))
    const text = fc.string({ unit: fc.constantFrom('a', '\0', '\n', '😀', '\u0001'), maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        expect([value, await patched('v2', 'text', value)]).toEqual([value, isText(value)])
        expect([value, await patched('v2', 'notes', { text: value })]).toEqual([
          value,
          isNotes({ text: value }),
        ])
      }),
      { numRuns },
    )
  })

  it('numbers that are exact', async () => {
    const numbers = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.maxSafeInteger(),
      fc.constantFrom(2 ** 53, -(2 ** 53), Number.MAX_SAFE_INTEGER, 1e300, -1e300),
    )
    for (const field of ['whole', 'real']) {
      const isNumber = accepts(fieldOf(documentOf('v2'), 'ThingPatch', field))
      await fc.assert(
        fc.asyncProperty(numbers, async (value) => {
          expect([value, await patched('v2', field, value)]).toEqual([value, isNumber(value)])
        }),
        { numRuns },
      )
    }
  })

  it('decimals in strings', async () => {
    const document = documentOf('v2')
    expect(fieldOf(document, 'Thing', 'cost')).toEqual({
      type: ['string', 'null'],
      format: 'decimal',
      'x-precision': 5,
      'x-scale': 2,
    })
    const isDecimal = accepts(fieldOf(document, 'ThingPatch', 'cost'))
    const digits = fc.string({ unit: fc.constantFrom('-', '0', '1', '9', '.'), maxLength: 7 })
    const texts = fc.oneof(digits, fc.constantFrom('999.99', '-999.99', '1000', '12.345', '+1', '.5', '1.'))
    await fc.assert(
      fc.asyncProperty(texts, async (value) => {
        expect([value, await patched('v2', 'cost', value)]).toEqual([value, isDecimal(value)])
      }),
      { numRuns },
    )
  })

  it('values whose type has changed since, in the form of the older version', async () => {
    const digits = fc.string({ unit: fc.constantFrom('-', '0', '1', '9', '.'), maxLength: 20 })
    const big = fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n })
    const values: { readonly [field: string]: fc.Arbitrary<unknown> } = {
      digits: fc.oneof(digits, big.map(String)),
      price: fc.oneof(
        digits,
        big.map((cents) => `${cents / 100n}.${String(cents % 100n).replace('-', '')}`),
        fc.constantFrom('90071992547409.91', '90071992547409.92', '90071992547409.9', '90071992547410'),
      ),
      bit: fc.oneof(fc.integer({ min: -2, max: 3 }), fc.constant(0.5)),
      seconds: fc.oneof(
        fc.maxSafeInteger(),
        fc.integer(),
        fc.constantFrom(-62_135_596_800, -62_135_596_801, 253_402_300_799, 253_402_300_800),
      ),
    }
    for (const [field, value] of Object.entries(values)) {
      const isValue = accepts(fieldOf(documentOf('v1'), 'ThingPatch', field))
      await fc.assert(
        fc.asyncProperty(value, async (one) => {
          expect([field, one, await patched('v1', field, one)]).toEqual([field, one, isValue(one)])
        }),
        { numRuns },
      )
    }
  })
})
