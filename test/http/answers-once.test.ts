import { beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { readOnly } from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import { type Answer, type Serving, serve } from '../support/serving.ts'
import { setClock } from '../support/set-clock.ts'
import { unique } from '../support/shop-rows.ts'
import { describeStores } from '../support/stores.ts'
import { until } from '../support/until.ts'

interface Run {
  readonly text: string
  readonly idempotencyKey: string | null
}

/** The runs of the code in the current test, and what a run does. */
let runs: Run[] = []
let work: (run: Run) => unknown = () => undefined

const payments = resource('payments', {
  fields: { text: z.string().max(20), run: readOnly(z.int()) },
  problems: { declined: { status: 409, title: 'Declined' } },
  answers: {
    async create(input, { idempotencyKey, reject }) {
      const run = { text: input.text, idempotencyKey }
      runs.push(run)
      const number = runs.length
      await work(run)
      if (input.text === 'declined' && number === 1) reject({ code: 'declined', detail: 'No.' })
      if (input.text === 'broken' && number === 1) return { ...input, run: 'one' as never }
      return { ...input, run: number }
    },
  },
  answerWithin: '60s',
})
const hasty = resource('hasty-payments', {
  fields: { text: z.string() },
  answers: {
    async create(input, { idempotencyKey }) {
      runs.push({ text: input.text, idempotencyKey })
      return runs.length === 1 ? new Promise<never>(() => {}) : input
    },
  },
  answerWithin: '20ms',
})
const declaration = api('paying', { resources: [payments, hasty] })

const post = (served: Serving, text: string, key: string, as = 'acme', path = '/v1/payments') =>
  served.call('POST', path, { body: { text }, headers: { 'Idempotency-Key': key }, as })
const isReplay = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'

describeStores('creates of code under an Idempotency-Key', (store) => {
  const clock = setClock('2026-06-01T00:00:00Z')
  let both: readonly [Serving, Serving] | undefined
  beforeAll(async () => {
    const url = await store.url()
    const one = await serve(store.kind, url, { declaration, clock })
    both = [one, await serve(store.kind, url, { declaration, clock })]
  })
  const servers = () => {
    if (!both) throw new Error('they are served only while a test runs')
    return both
  }
  const waitFor = async (served: Serving, ms: number) =>
    void Object.assign(served.api.service.engine.writer, { keyWaitMs: ms })

  beforeEach(() => {
    runs = []
    work = () => undefined
  })

  test('twenty at once over two servers run the code once; the others replay its answer', async () => {
    const all = servers()
    for (const served of all) await waitFor(served, 60_000)
    const key = unique()
    const calls = all.flatMap((served) => Array.from({ length: 10 }, () => post(served, 'twice', key)))
    const answers = await Promise.all(calls)
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
    expect(runs).toHaveLength(1)
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.filter(isReplay)).toHaveLength(19)
    expect(new Set(answers.map(({ etag }) => etag)).size).toBe(1)
    expect((await post(all[1], 'other', key)).refusal).toEqual([422, 'idempotency-key-reused'])
    for (const served of all) await waitFor(served, 5_000)
  })

  test('the key that the code gets is ours: the same for a retry, another for everybody else', async () => {
    const [served] = servers()
    const key = unique()
    await post(served, 'a', key)
    await post(served, 'a', key, 'globex')
    await post(served, 'a', unique())
    await served.call('POST', '/v1/payments', { body: { text: 'a' } })
    const keys = runs.map(({ idempotencyKey }) => idempotencyKey)
    expect(keys.map((one) => typeof one)).toEqual(['string', 'string', 'string', 'object'])
    expect(new Set(keys).size).toBe(4)
    expect(keys.join()).not.toContain(key)
  })

  test('a failure frees the key: a refusal, a wrong row, and a time-out', async () => {
    const [served, other] = servers()
    for (const [text, status] of [
      ['declined', 409],
      ['broken', 500],
    ] as const) {
      runs = []
      const key = unique()
      expect((await post(served, text, key)).status).toBe(status)
      const again = await post(other, text, key)
      expect([again.status, isReplay(again)]).toEqual([201, false])
      expect(runs[0]?.idempotencyKey).toBe(runs[1]?.idempotencyKey)
    }
    runs = []
    const key = unique()
    expect((await post(served, 'slow', key, 'acme', '/v1/hasty-payments')).refusal).toEqual([
      504,
      'answer-timed-out',
    ])
    expect((await post(other, 'slow', key, 'acme', '/v1/hasty-payments')).status).toBe(201)
    expect(runs[0]?.idempotencyKey).toBe(runs[1]?.idempotencyKey)
  })

  test('invalid input claims nothing', async () => {
    const [served] = servers()
    const key = unique()
    expect((await post(served, 'x'.repeat(30), key)).refusal).toEqual([422, 'validation-failed'])
    expect((await post(served, 'right', key)).status).toBe(201)
  })

  test('while the code runs, a retry waits and is then 409; the claim of a process that died lapses', async () => {
    const [served, other] = servers()
    const key = unique()
    const { promise, resolve } = Promise.withResolvers<void>()
    work = () => (runs.length === 1 ? promise : undefined)
    const first = post(served, 'long', key)
    await until(() => runs.length === 1)
    for (const one of [served, other]) {
      await waitFor(one, 20)
      const late = await post(one, 'long', key)
      expect(late.refusal).toEqual([409, 'idempotency-in-progress'])
      expect(late.headers.get('retry-after')).toBe('1')
      expect((await post(one, 'else', key)).refusal).toEqual([422, 'idempotency-key-reused'])
      await waitFor(one, 5_000)
    }
    // For the other process, the first one is as good as dead.
    clock.pass(59_000)
    await waitFor(other, 20)
    expect((await post(other, 'long', key)).refusal).toEqual([409, 'idempotency-in-progress'])
    await waitFor(other, 5_000)
    clock.pass(3_000)
    const second = await post(other, 'long', key)
    expect([second.status, second.data.run, isReplay(second)]).toEqual([201, 2, false])
    expect(runs[0]?.idempotencyKey).toBe(runs[1]?.idempotencyKey)
    // The first one ends all the same, and leaves the answer of the second.
    resolve()
    expect((await first).data.run).toBe(1)
    const replay = await post(served, 'long', key)
    expect([replay.data.run, isReplay(replay)]).toEqual([2, true])
  })

  test('an answer is kept as long as any', async () => {
    const [served] = servers()
    const key = unique()
    await post(served, 'kept', key)
    clock.pass(23 * 3_600_000)
    expect(isReplay(await post(served, 'kept', key))).toBe(true)
    clock.pass(2 * 3_600_000)
    const anew = await post(served, 'kept', key)
    expect([anew.status, isReplay(anew)]).toEqual([201, false])
  })
})
