import { beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { type CallCounter, type CallsMade, callCounter, callsInAll } from '../support/calls-made.ts'
import { walkedStores } from '../support/databases.ts'
import { type Answer, describeServing, type Row } from '../support/serving.ts'

const colours = Array.from({ length: 60 }, (_, at) => `colour-${at}`)
const parts = { name: z.string(), radius: z.int().optional(), colour: z.enum(colours).optional() }

const planets = resource('planets', {
  fields: {
    ...parts,
    seen: z.array(z.enum(colours)).optional(),
    code: z
      .string()
      .max(20)
      .regex(/^(?:[A-Z]+-)*[A-Z]+$/)
      .optional(),
    visitors: z.array(z.string().max(9)).max(3).optional(),
    links: z.array(z.url()).optional(),
    notes: z.record(z.string().regex(/^(?:[a-z0-9]+-)*[a-z0-9]+$/), z.int()).optional(),
    facts: z
      .array(z.union([z.object({ a: z.int() }), z.object({ b: z.string() }), z.array(z.int())]))
      .optional(),
  },
  relations: { moons: hasMany('moons') },
  filter: ['name', 'radius', 'colour'],
  sort: ['name', 'radius'],
  include: ['moons'],
})
const moons = resource('moons', {
  fields: { name: z.string() },
  relations: { planet: belongsTo('planets') },
})

const many = <T>(count: number, one: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => one(at))
const keys = (count: number, one: (at: number) => string): object =>
  Object.fromEntries(many(count, (at) => [one(at), 1]))

describeServing(
  'work grows with what a request weighs:',
  (served) => {
    let path: string
    let callsMade: CallCounter
    beforeAll(async () => {
      callsMade = await callCounter()
      const planet: Row = await served.make('/v1/planets', { name: 'Mars' })
      path = `/v1/planets/${planet.id}`
    })

    const counted = async (work: () => Promise<Answer>): Promise<{ answer: Answer; calls: CallsMade }> => {
      let answer: Answer | undefined
      const calls = await callsMade(async () => {
        answer = await work()
      })
      if (!answer) throw new Error('there is no answer')
      return { answer, calls }
    }
    const create = (more: object) => served.call('POST', '/v1/planets', { body: { name: 'Io', ...more } })
    const put = (more: object) => served.call('PUT', path, { body: { name: 'Io', ...more } })
    const patch = (body: object) => served.call('PATCH', path, { body })
    const find = (query: string) => served.get(`/v1/planets?${query}`)
    const header = (name: string, value: string) => served.get(path, { headers: { [name]: value } })

    test('of 33,000 unknown names the first hundred are compared with the known ones, and all are counted', async () => {
      const body = keys(33_000, (at) => `naem${at}`)
      for (const write of [create, put, patch]) {
        const { answer, calls } = await counted(() => write(body))
        expect(answer.refusal).toEqual([422, 'validation-failed'])
        expect([answer.faults.length, answer.problem.more]).toEqual([100, 32_900])
        expect(answer.problem.detail).toMatch(/[,?] [aA]nd 32999 more\.$/)
        // Far from 33,000. A few more are calls of what else this process does meanwhile.
        expect(calls.get('request/body.ts:unknownField')).toBeLessThan(200)
        expect(calls.get('compile/names/nearest.ts:nearest')).toBeLessThan(200)
        // Ten names are known, and most are too long or too short to be meant.
        expect(calls.get('compile/names/nearest.ts:editDistance')).toBeLessThan(1_000)
      }
    })

    test('what is longer than declared is not looked at any further', async () => {
      const { answer, calls } = await counted(() =>
        create({ code: 'a'.repeat(900_000), visitors: many(10_000, () => 7) }),
      )
      expect(answer.refusal).toEqual([422, 'validation-failed'])
      expect(answer.faults).toEqual(['#/code', '#/visitors'])
      expect(calls.get('kinds/pattern.ts:matches') ?? 0).toBe(0)
      expect(calls.get('compile/schemas/validate.ts:check')).toBeLessThan(20)
    })

    test.each<[string, number, (count: number) => Promise<Answer>, [number, string] | 200 | 201]>([
      ['unknown fields', 1_000, (n) => create(keys(n, (at) => `x${at}`)), [422, 'validation-failed']],
      [
        'unknown fields of a PATCH',
        1_000,
        (n) => patch(keys(n, (at) => `x${at}`)),
        [422, 'validation-failed'],
      ],
      ['values of an enum', 1_000, (n) => create({ seen: many(n, (at) => colours[at % 60]) }), 201],
      [
        'values that an enum lacks',
        1_000,
        (n) => create({ seen: many(n, (at) => `c${at}`) }),
        [422, 'validation-failed'],
      ],
      ['members of a union', 500, (n) => create({ facts: many(n, () => ({ b: 'x' })) }), 201],
      [
        'what no member of a union is',
        500,
        (n) => create({ facts: many(n, () => ({ c: [] })) }),
        [422, 'validation-failed'],
      ],
      ['keys of a record', 1_000, (n) => create({ notes: keys(n, (at) => `a-${at}`) }), 201],
      [
        'keys that a record refuses',
        1_000,
        (n) => create({ notes: keys(n, (at) => `A-${at}`) }),
        [422, 'validation-failed'],
      ],
      ['keys of a merge patch', 1_000, (n) => patch({ notes: keys(n, (at) => `a-${at}`) }), 200],
      [
        'URLs',
        1_000,
        (n) => create({ links: many(n, () => `https://${'語'.repeat(64)}.example`) }),
        [422, 'validation-failed'],
      ],
      ['unknown parameters', 100, (n) => find(many(n, (at) => `nam${at}=1`).join('&')), [400, 'bad-query']],
      ['parameters given twice', 100, (n) => find(many(n, () => 'limit=1').join('&')), [400, 'bad-query']],
      [
        'unknown filters',
        100,
        (n) => find(many(n, (at) => `filter[nam${at}]=1`).join('&')),
        [400, 'bad-query'],
      ],
      [
        'unknown operators',
        100,
        (n) => find(many(n, (at) => `filter[name][e${at}]=1`).join('&')),
        [400, 'bad-query'],
      ],
      ['values of a filter', 257, (n) => find(`filter[name][in]=${many(n, (at) => at).join(',')}`), 200],
      [
        'unknown sorts',
        200,
        (n) => find(`sort=${many(n, (at) => `nam${at}`).join(',')}`),
        [400, 'bad-query'],
      ],
      ['repeated sorts', 200, (n) => find(`sort=${many(n, () => 'name').join(',')}`), [400, 'bad-query']],
      [
        'unknown includes',
        200,
        (n) => find(`include=${many(n, (at) => `moon${at}`).join(',')}`),
        [400, 'include-too-many'],
      ],
      [
        'steps of an include',
        200,
        (n) => find(`include=${many(n, () => 'a').join('.')}`),
        [400, 'include-too-many'],
      ],
      ['the same include', 200, (n) => find(`include=${many(n, () => 'moons').join(',')}`), 200],
      [
        'media types',
        200,
        (n) => header('accept', many(n, (at) => `text/${at}`).join(',')),
        [406, 'not-acceptable'],
      ],
      ['entity tags', 200, (n) => header('if-none-match', many(n, (at) => `"${at}"`).join(',')), 200],
      ['slashes', 1_000, (n) => served.get(`/v1${'/'.repeat(n)}x`), [404, 'not-found']],
    ])('twice as many %s make twice the calls at most', async (_, count, work, wanted) => {
      // The first call may make what is kept: a plan, a set of values. What was asked before is kept too.
      await work(count - 1)
      const [once, twice] = [await counted(() => work(count)), await counted(() => work(2 * count))]
      for (const { answer } of [once, twice])
        expect(
          typeof wanted === 'number' ? answer.status : answer.refusal,
          answer.text.slice(0, 300),
        ).toEqual(wanted)
      expect(callsInAll(twice.calls)).toBeLessThan(2.1 * callsInAll(once.calls) + 500)
    })

    test('an include of thousands of steps is counted without a text for each parent', async () => {
      const slice = vi.spyOn(String.prototype, 'slice')
      const { json } = await find(`include=${many(4_000, () => 'a').join('.')}`)
      const characters = slice.mock.results.reduce((sum, { value }) => sum + String(value).length, 0)
      slice.mockRestore()
      expect(json).toMatchObject({ count: 4_000, limit: 10 })
      expect(characters).toBeLessThan(100_000)
    })

    // A label of other letters than a-z takes the parser of URLs quadratic time.
    test.each([
      [`https://${'語'.repeat(63)}.example/`, 201],
      [`https://${'語'.repeat(64)}.example/`, 422],
      [`https://ada@${encodeURIComponent('語'.repeat(63))}.example:8080/`, 201],
      [`https://ada@${encodeURIComponent('語'.repeat(64))}.example:8080/`, 422],
      [`https:\\\\${'語'.repeat(64)}/`, 422],
      [`https://${'語.'.repeat(130)}example`, 422],
      [`https://${'%e8%aa'}/`, 422],
      [`https://${'a'.repeat(100)}.example/${'語'.repeat(500)}`, 201],
      [`mailto:${'語'.repeat(500)}@example.com`, 201],
      [`urn:example:${'語'.repeat(500)}`, 201],
    ])('a host name has labels of 63 characters at most: %s', async (link, status) => {
      expect((await create({ links: [link] })).status).toBe(status)
    })

    test('a refusal is short, however long the names of what is wrong', async () => {
      const inner = many(50_000, () => 'x')
      for (const body of [
        { notes: { ['k'.repeat(500_000)]: inner } },
        { ['k'.repeat(900_000)]: 1 },
        { facts: inner },
      ]) {
        const answer = await create(body)
        expect(answer.refusal).toEqual([422, 'validation-failed'])
        expect(answer.text.length).toBeLessThan(60_000)
      }
    })
  },
  { declaration: api('sky', { resources: [planets, moons], rate: { perSecond: 100_000 } }) },
  walkedStores,
)
