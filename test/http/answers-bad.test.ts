import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { readOnly } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { describeServing } from '../support/serving.ts'

type Code = (context: { readonly signal: AbortSignal }) => unknown

/** What the code of the current test does, whichever function is called. */
let code: Code = () => null
let signals: AbortSignal[] = []
const run = (context: { readonly signal: AbortSignal }) => {
  signals.push(context.signal)
  return code(context) as never
}

const rates = resource('rates', {
  fields: { price: readOnly(z.int().max(1_000)), tags: z.array(z.string()).optional() },
  relations: { town: belongsTo('towns', { optional: true }) },
  limits: { pageMax: 2, pageDefault: 2, responseBytes: 20_000 },
  answers: {
    create: (_, context) => run(context),
    get: (_, context) => run(context),
    list: (_, context) => run(context),
  },
  answerWithin: '50ms',
})
const slow = resource('slow-rates', {
  fields: { price: readOnly(z.int()) },
  answers: { get: (_, context) => run(context) },
})
const towns = resource('towns', {
  fields: { name: z.string() },
  relations: { rates: hasMany('rates', { cap: 2 }) },
  include: ['rates'],
})
const declaration = api('rating', {
  resources: [rates, slow, towns],
  limits: { answersInFlight: 6, rowsPerRequest: 200 },
})

/** What the service logged. */
let logged: string[] = []
const warn = (_: string, error: unknown) => {
  logged.push(error instanceof Error ? error.message : String(error))
}

const never = () => new Promise(() => {})

describeServing(
  'code that answers wrongly',
  (served) => {
    beforeEach(() => {
      logged = []
      signals = []
    })
    const get = () => served.get('/v1/rates/r-1')
    const list = () => served.get('/v1/rates')
    const create = () => served.call('POST', '/v1/rates', { body: {} })

    const wrongRows: readonly (readonly [given: unknown, says: RegExp])[] = [
      [{ id: 'r-1', price: 'secret' }, /"price" got a string, and must be an integer/],
      [{ id: 'r-1', price: 1_001 }, /"price" got a number, and must be at most 1000/],
      [{ id: 'r-1', price: Number.NaN }, /"price" got a number/],
      [{ id: 'r-1', price: null }, /"price" got null, and must not be null/],
      [{ id: 'r-1' }, /"price" is required, and is not set/],
      [{ id: 'r-1', price: 1, tags: [1] }, /"tags" got an array/],
      [{ id: 'r-1', price: 1, prise: 2 }, /"prise" is not a field/],
      [{ id: 'r-1', price: 1, created_at: '2026-01-01T00:00:00Z' }, /"created_at" is not a field/],
      [{ id: 'a/b', price: 1 }, /"id" must have 1 to 200 of the characters/],
      [{ id: '..', price: 1 }, /"id" must have/],
      [{ id: '', price: 1 }, /"id" must have/],
      [{ id: 'x'.repeat(201), price: 1 }, /"id" must have/],
      [{ id: 7, price: 1 }, /"id" got a number, and must be a string/],
      [[], /a row must be an object, and is an array/],
      ['row', /a row must be an object, and is a string/],
      [undefined, /a row must be an object, and is a?n? ?undefined/],
    ]
    test('a row of a wrong shape is never sent, and the log names the field', async () => {
      for (const [given, says] of wrongRows) {
        for (const [name, call, answer] of [
          ['get', get, given],
          ['create', create, given],
          ['list', list, { rows: [given] }],
        ] as const) {
          logged = []
          code = () => answer
          const { refusal, text } = await call()
          expect(refusal, `${name} ${says}`).toEqual([500, 'unexpected'])
          expect(text).not.toContain('secret')
          expect(logged).toEqual([expect.stringMatching(says)])
          expect(logged[0]).toContain(`answers.${name} of rates`)
        }
      }
    })

    test('a list of a wrong shape', async () => {
      const wrong: readonly (readonly [given: unknown, says: RegExp])[] = [
        [null, /must give { rows, next }, and gave null/],
        [[], /must give { rows, next }, and gave an array/],
        [{}, /"rows" must be a list/],
        [{ rows: null }, /"rows" must be a list, and is null/],
        [{ rows: [], nxt: '1' }, /"nxt" is neither rows nor next/],
        [{ rows: [], next: 7 }, /"next" must be a text/],
        [{ rows: [], next: '' }, /"next" must be a text/],
        [{ rows: [], next: 'x'.repeat(1_001) }, /"next" must be a text/],
        [{ rows: new Array(10_000_000) }, /gave 10000000 rows, and at most 2 were asked for/],
        [{ rows: [{ price: 1 }] }, /"id" is missing, and get finds rows by it/],
      ]
      for (const [given, says] of wrong) {
        logged = []
        code = () => given
        expect((await list()).refusal, String(says)).toEqual([500, 'unexpected'])
        expect(logged).toEqual([expect.stringMatching(says)])
      }
      code = () => ({ id: 'r-2', price: 1 })
      expect((await get()).refusal).toEqual([500, 'unexpected'])
      code = () => null
      expect((await get()).refusal).toEqual([404, 'not-found'])
      expect((await create()).refusal).toEqual([500, 'unexpected'])
    })

    test('rows to include that are too many, or wrong', async () => {
      const { id } = await served.make('/v1/towns', { name: 'Ulm' })
      const included = () => served.get(`/v1/towns/${id}?include=rates`)
      const rows = (count: number) => ({
        rows: Array.from({ length: count }, (_, n) => ({ id: `r-${n}`, price: n, town_id: id })),
        next: 'more',
      })
      code = () => rows(201)
      expect((await included()).refusal).toEqual([500, 'unexpected'])
      expect(logged.at(-1)).toMatch(/gave 201 rows, and at most 200/)
      code = () => ({ rows: [{ id: 'r', price: 'x', town_id: id }] })
      expect((await included()).refusal).toEqual([500, 'unexpected'])
      code = () => rows(3)
      expect((await included()).data.rates).toMatchObject({
        data: [{ id: 'r-0' }, { id: 'r-1' }],
        page: { limit: 2, has_more: true, next_cursor: null, next: `/v1/towns/${id}/rates?limit=2` },
      })
      code = () => ({ rows: [{ id: 'r', price: 1, town_id: null }] })
      expect((await served.get(`/v1/towns/${id}/rates`)).refusal).toEqual([500, 'unexpected'])
    })

    test('an answer that is too large', async () => {
      code = () => ({ id: 'r-1', price: 1, tags: ['x'.repeat(20_000)] })
      expect((await get()).refusal).toEqual([422, 'response-too-large'])
      expect((await create()).refusal).toEqual([422, 'response-too-large'])
    })

    test('code that throws', async () => {
      for (const thrown of [new Error('the key is hunter2'), 'hunter2', null, undefined]) {
        logged = []
        code = () => {
          throw thrown
        }
        for (const call of [get, list, create]) {
          const { refusal, text } = await call()
          expect(refusal).toEqual([500, 'unexpected'])
          expect(text).not.toContain('hunter2')
        }
        expect(logged).toHaveLength(3)
        code = () => Promise.reject(thrown)
        expect((await get()).refusal).toEqual([500, 'unexpected'])
      }
    })

    describe('code that hangs', () => {
      test('is 504 after its time, with its signal aborted', async () => {
        code = never
        const answer = await get()
        expect(answer.refusal).toEqual([504, 'answer-timed-out'])
        expect(answer.problem.detail).toContain('within 50 ms')
        expect(signals.map(({ aborted }) => aborted)).toEqual([true])
        // What it does too late is nobody's: neither a rejection nor a row.
        code = async ({ signal }) => {
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          throw new Error('too late')
        }
        expect((await list()).refusal).toEqual([504, 'answer-timed-out'])
      })

      test('holds up nothing else: an account has its share of the places, and stored rows are served', async () => {
        const { promise, resolve } = Promise.withResolvers<unknown>()
        const started: Promise<unknown>[] = []
        const hang = async (as: string, count: number) => {
          code = () => promise
          const before = signals.length
          for (let n = 0; n < count; n++) started.push(served.get('/v1/slow-rates/r-1', { as }))
          while (signals.length < before + count) await new Promise(setImmediate)
          code = () => ({ id: 'r-1', price: 1 })
        }
        const refusal = async (as: string) => {
          const refused = await served.get('/v1/rates/r-1', { as })
          expect(refused.refusal).toEqual([503, 'http-problem-types#temporary-reduced-capacity'])
          expect(refused.headers.get('retry-after')).toBe('1')
          return refused.problem.detail
        }
        const status = async (as: string) => (await served.get('/v1/rates/r-1', { as })).status
        await hang('acme', 4)
        expect(await refusal('acme')).toMatch(/running for this caller as is its share/)
        expect((await served.get('/v1/towns')).status).toBe(200)
        expect(await status('globex')).toBe(200)
        await hang('globex', 2)
        expect(await refusal('initech')).toMatch(/^6 answers of code are running/)
        resolve({ id: 'r-1', price: 1 })
        await Promise.all(started)
        expect(await Promise.all(['acme', 'globex', 'initech'].map(status))).toEqual([200, 200, 200])
        // Code that ignores its signal gives its place back all the same.
        code = never
        await Promise.all([get(), get()])
        code = () => ({ id: 'r-1', price: 1 })
        expect((await get()).status).toBe(200)
      })
    })
  },
  { declaration, warn },
)
