import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testApi } from '../../src/testing.ts'
import { whenOver } from '../support/clean-up.ts'
import { jobsApi } from '../support/jobs-api.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores } from '../support/stores.ts'

const runs = process.env.NOUNKIT_NIGHTLY ? 300 : 25
const retriesMs = [0, 1_000, 5_000]

/** A job as the naive model has it. `fails` is how many attempts throw. */
interface Known {
  readonly text: string
  due: number
  attempts: number
  readonly fails: number
  readonly unique: string | null
  hasFailed: boolean
}

/** What the service must do, on one list. */
class NaiveJobs {
  readonly jobs: Known[] = []

  add(text: string, due: number, fails: number, unique: string | null): void {
    const isThere = this.jobs.some((one) => unique !== null && one.unique === unique && one.attempts === 0)
    if (!isThere) this.jobs.push({ text, due, attempts: 0, fails, unique, hasFailed: false })
  }

  /** The texts and attempts of what runs, in order. */
  run(now: number): readonly (readonly [string, number])[] {
    const ran: (readonly [string, number])[] = []
    for (;;) {
      // Of those that are due at the same time, the one that was handed over first.
      const next = this.jobs
        .filter(({ due, hasFailed }) => due <= now && !hasFailed)
        .reduce<Known | null>((first, one) => (first && first.due <= one.due ? first : one), null)
      if (!next) return ran
      next.attempts++
      ran.push([next.text, next.attempts])
      const wait = retriesMs[next.attempts - 1]
      if (next.attempts > next.fails) this.jobs.splice(this.jobs.indexOf(next), 1)
      else if (wait === undefined) next.hasFailed = true
      else next.due = now + wait
    }
  }
}

const row = fc.record({
  fails: fc.nat({ max: 5 }),
  inMs: fc.option(fc.integer({ min: -5_000, max: 20_000 }), { nil: null }),
  unique: fc.option(fc.constantFrom('a', 'b'), { nil: null }),
  isUndone: fc.boolean(),
})
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('make' as const),
      rows: fc.array(row, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat({ max: 12_000 }) }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'run' as const }) },
)

describeStores('jobs', (store) => {
  test('run as a list of them would say: when, in which order, how often, and none that was undone', async () => {
    const given = jobsApi(['0s', '1s', '5s'])
    const clock = setClock('2026-03-01T09:00:00Z')
    const served = await testApi(given.declaration, { databaseUrl: await store.url(), clock })
    whenOver(() => served.close())
    const { store: db } = served.service
    const acme = await served.client('acme')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        await db.writeOne('DELETE FROM "nounkit_jobs"', [])
        const naive = new NaiveJobs()
        let made = 0
        for (const one of [...steps, { kind: 'wait' as const, ms: 20_000 }, { kind: 'run' as const }]) {
          if (one.kind === 'wait') clock.pass(one.ms)
          else if (one.kind === 'make') {
            const rows = one.rows.map((wanted) => ({ ...wanted, text: `${made++}` }))
            for (const { text, fails } of rows)
              given.runs[text] = ({ attempt }) => {
                if (attempt <= fails) throw new Error('no')
              }
            const bodies = rows.map(({ text, inMs, unique, isUndone }) => ({
              text,
              ...(inMs !== null && { at: new Date(clock.now() + inMs).toISOString() }),
              ...(unique !== null && { unique }),
              ...(isUndone && { wrong: 'rejected' }),
            }))
            const isUndone = rows.some((one) => one.isUndone)
            const outcome = await acme.loans.createMany(bodies).then(
              () => 'made',
              () => 'undone',
            )
            expect(outcome).toBe(isUndone ? 'undone' : 'made')
            if (!isUndone)
              for (const { text, fails, inMs, unique } of rows)
                naive.add(text, clock.now() + (inMs ?? 0), fails, unique)
          } else {
            given.seen.length = 0
            await served.runJobs()
            const ran = given.seen
              .filter(({ name }) => name === 'remind')
              .map(({ text, attempt }) => [text, attempt])
            expect(ran).toEqual(naive.run(clock.now()))
          }
        }
        const left = await db.all(
          `SELECT "status", count(*) FROM "nounkit_jobs" WHERE "account_id" <> '' GROUP BY "status"`,
          [],
        )
        expect(new Map(left.map(([status, count]) => [status, Number(count)])).get('failed') ?? 0).toBe(
          naive.jobs.filter(({ hasFailed }) => hasFailed).length,
        )
      }),
      { numRuns: runs },
    )
  })
})
