import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeStores } from '../support/stores.ts'

describeStores('JSON that a store writes', (kind) => {
  test('is what JSON.stringify writes, for any number that can be sent', async () => {
    const store = await kind.open()
    const { dialect } = store
    const sql = `SELECT ${dialect.json(dialect.param(1, 'number'), 'number', false)}`
    const number = fc.double({ noNaN: true, min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })
    const tiny = fc.tuple(fc.integer({ min: -(2 ** 30), max: 2 ** 30 }), fc.integer({ min: -320, max: 5 }))
    const scaled = tiny.map(([digits, exponent]) => Number(`${digits}e${exponent}`))
    await fc.assert(
      fc.asyncProperty(fc.oneof(number, scaled), async (value) => {
        expect((await store.first(sql, [value]))?.[0]).toBe(JSON.stringify(value))
      }),
      { numRuns: 200 },
    )
  })

  test('gives any text back that can be sent, without raw control characters', async () => {
    const store = await kind.open()
    const { dialect } = store
    const sql = `SELECT ${dialect.json(dialect.param(1, 'string'), 'string', true)}`
    const text = fc.string({ unit: 'binary' }).map((any) => any.replaceAll('\0', '').toWellFormed())
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const written = String((await store.first(sql, [value]))?.[0])
        expect(JSON.parse(written)).toBe(value)
        expect(written).not.toMatch(/[\0-\x1f]/)
        expect(written).toBe(JSON.stringify(value))
      }),
      { numRuns: 200 },
    )
    expect((await store.first(sql, [null]))?.[0]).toBe('null')
  })
})
