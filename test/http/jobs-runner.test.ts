import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { every } from '../../src/declare/job.ts'
import { resource } from '../../src/declare/resource.ts'
import type { RunnerSettings } from '../../src/jobs/runner.ts'
import { type TestApi, type TestOptions, testApi } from '../../src/testing.ts'
import { writeJobs } from '../../src/write/job-inserts.ts'
import { newJob } from '../../src/write/new-job.ts'
import { whenOver } from '../support/clean-up.ts'
import { jobsApi } from '../support/jobs-api.ts'
import { setClock } from '../support/set-clock.ts'
import { describeWalked } from '../support/stores.ts'
import { until } from '../support/until.ts'

const never = 3_600_000
const isNightly = Boolean(process.env.NOUNKIT_NIGHTLY)
const many = isNightly ? 10_000 : 1_500

/** A service that runs jobs by itself, and looks for them only when it starts, unless said. */
async function start(
  databaseUrl: string,
  given: ReturnType<typeof jobsApi>,
  jobSettings: Partial<RunnerSettings> = {},
  more: TestOptions = {},
) {
  const served = await testApi(given.declaration, {
    databaseUrl,
    jobs: 'on',
    jobSettings: { lookEveryMs: never, ...jobSettings },
    ...more,
  })
  whenOver(() => served.close())
  const { store } = served.service
  const acme = await served.client('acme', { name: randomUUID() })
  const rows = async () =>
    (
      await store.all(
        `SELECT "status", "attempts", "last_error" FROM "nounkit_jobs" WHERE "account_id" <> '' ORDER BY "id"`,
        [],
      )
    ).map(([status, attempts, error]) => [status, Number(attempts), error])
  return { ...given, served, store, acme, rows }
}

describeWalked('a process that runs jobs', (tested) => {
  test('a job that it hands over itself begins at once, without a look at the store', async () => {
    const { acme, seen, rows, served } = await start(await tested.url(), jobsApi())
    await acme.loans.create({ text: 'a' })
    await acme.loans.createMany(Array.from({ length: 100 }, (_, at) => ({ text: `${at}` })))
    await until(() => seen.length === 101)
    await until(async () => (await rows()).length === 0)
    await until(() => served.service.jobs.counts.done === 101)
  })

  test('a job of another process is found by looking, and runs in one of them', async () => {
    const url = await tested.url()
    const web = await testApi(jobsApi().declaration, { databaseUrl: url })
    whenOver(() => web.close())
    const given = jobsApi()
    const settings = { lookEveryMs: 20 }
    const one = await start(url, given, settings)
    await start(url, given, settings)
    const acme = await web.client('acme', { name: randomUUID() })
    for (let at = 0; at < 30; at++) await acme.loans.create({ text: `${at}` })
    await until(async () => (await one.rows()).length === 0)
    expect(given.seen.map(({ text }) => Number(text)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 30 }, (_, at) => at),
    )
  })

  test('one that hangs has failed when its time is over, and its place is free', async () => {
    const given = jobsApi([])
    const declared = given.declaration.jobs?.remind
    const declaration = {
      ...given.declaration,
      jobs: { ...given.declaration.jobs, remind: { ...declared, within: '1s' } },
    }
    const hanging = { ...given, declaration: declaration as typeof given.declaration }
    const { acme, runs, rows, seen } = await start(await tested.url(), hanging, { places: 1 })
    const aborted: unknown[] = []
    runs.hang = ({ signal }) => {
      signal.addEventListener('abort', () => aborted.push(signal.reason))
      return new Promise(() => {})
    }
    // The hook names the job, so it finds the one with another time.
    await acme.loans.create({ text: 'hang', wrong: 'by name' })
    await acme.loans.create({ text: 'next', wrong: 'by name' })
    await until(() => seen.some(({ text }) => text === 'next'))
    await until(async () => (await rows()).length === 1)
    expect(await rows()).toEqual([['failed', 1, 'TimeoutError: It did not end within 1 seconds.']])
    expect(String(aborted)).toContain('TimeoutError')
  })

  test('a process that stops lets its jobs end, and gives back those that do not', async () => {
    const url = await tested.url()
    const given = jobsApi()
    const { acme, runs, served, seen } = await start(url, given, { stopMs: 300 })
    let isAborted = false
    runs.short = () => sleep(50)
    runs.long = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          isAborted = true
          reject(signal.reason)
        })
      })
    runs.deaf = () => new Promise(() => {})
    for (const text of ['short', 'long', 'deaf']) await acme.loans.create({ text })
    await until(() => seen.length === 3)
    await served.close()
    expect(isAborted).toBe(true)
    for (const text of ['long', 'deaf']) runs[text] = () => {}
    const next = await start(url, given, { lookEveryMs: 20 })
    await until(async () => (await next.rows()).length === 0)
    expect(
      seen
        .map(({ text, attempt }) => [text, attempt])
        .slice(3)
        .sort(),
    ).toEqual([
      ['deaf', 1],
      ['long', 1],
    ])
  })

  test('jobs of a process that is silent are taken over, and it ends its own runs before', async () => {
    const url = await tested.url()
    const given = jobsApi()
    const settings = { lookEveryMs: 50, silenceMs: 1_000 }
    const mute = await start(url, given, settings, {
      warn: () => {},
    })
    const aborted: string[] = []
    given.runs.long = ({ signal, attempt }) => {
      if (attempt > 1) return
      signal.addEventListener('abort', () => aborted.push(String(signal.reason)))
      return new Promise(() => {})
    }
    await mute.acme.loans.create({ text: 'long' })
    await until(() => given.seen.length === 1)
    // As if another process had taken it for gone.
    await mute.store.writeOne('DELETE FROM "nounkit_job_runners"', [])
    await until(() => given.seen.length === 2)
    await until(async () => (await mute.rows()).length === 0)
    expect(aborted).toEqual([expect.stringContaining('Another process takes this job over.')])
    const [first, second] = given.seen
    expect(second).toEqual({ ...first, attempt: 2 })
    // A process that never says again that it lives.
    await mute.store.writeOne(`INSERT INTO "nounkit_job_runners" ("id", "beats") VALUES ('gone', 7)`, [])
    const web = await testApi(given.declaration, { databaseUrl: url })
    whenOver(() => web.close())
    const acme = await web.client('acme', { name: randomUUID() })
    await acme.loans.create({ text: 'orphan', at: '2999-01-01T00:00:00Z' })
    await mute.store.writeOne(
      `UPDATE "nounkit_jobs" SET "status" = 'running', "runner" = 'gone', "attempts" = 1, "due_at" = 1 WHERE "account_id" <> ''`,
      [],
    )
    await until(() => given.seen.at(-1)?.text === 'orphan')
    expect(given.seen.at(-1)).toMatchObject({ attempt: 2 })
  })

  test('a job whose process is killed in each attempt has failed', async () => {
    const url = await tested.url()
    const given = jobsApi(['0s', '0s'])
    const web = await testApi(given.declaration, { databaseUrl: url })
    whenOver(() => web.close())
    await (await web.client('acme', { name: randomUUID() })).loans.create({ text: 'x' })
    // What is left of processes that were killed three times.
    await web.service.store.writeOne(
      `UPDATE "nounkit_jobs" SET "status" = 'running', "runner" = 'gone', "attempts" = 3 WHERE "account_id" <> ''`,
      [],
    )
    const { rows } = await start(url, given, { lookEveryMs: 20 })
    await until(async () => (await rows())[0]?.[0] === 'failed')
    expect(await rows()).toEqual([
      ['failed', 4, 'Error: The process that ran it ended in the last of 3 attempts.'],
    ])
    expect(given.seen).toEqual([])
  })

  test(`${many} jobs that are due at once begin in the order of their times, while requests go on`, {
    timeout: 120_000,
  }, async () => {
    const clock = setClock('2026-03-01T00:00:00Z')
    const given = jobsApi()
    const { acme, seen, served, store } = await start(await tested.url(), given, {}, { clock })
    const { model, engine } = served.service
    const minuteOf = (at: number) => (at * 7_919) % many
    const jobs = await Promise.all(
      Array.from({ length: many }, (_, at) => {
        const minute = minuteOf(at)
        const due = new Date(clock.now() + (minute + 1) * 60_000)
        return newJob({ model, now: clock.now }, 'remind', { text: `${minute}` }, { at: due })
      }),
    )
    await store.transaction((tx) => writeJobs(tx, 'acme', jobs), 'acme')
    const isOver = () => served.service.jobs.counts.done >= many
    /** The times of requests of two callers, in milliseconds, the longest one last. */
    const request = async (until: () => boolean): Promise<readonly number[]> => {
      const times: number[] = []
      const caller = async () => {
        while (!until()) {
          const begin = performance.now()
          if (times.length % 5 === 0) await acme.notes.create({ text: 'x' })
          else await acme.notes.list({ limit: 5 })
          times.push(performance.now() - begin)
        }
      }
      await Promise.all([caller(), caller()])
      return times.sort((one, other) => one - other)
    }
    const quietUntil = performance.now() + (isNightly ? 3_000 : 0)
    const quiet = await request(() => performance.now() > quietUntil)
    expect(seen).toEqual([])
    clock.pass((many + 1) * 60_000)
    engine.writer.jobs.committed('acme')
    const begin = performance.now()
    const beside = await request(isOver)
    const seconds = (performance.now() - begin) / 1_000
    expect(beside.length).toBeGreaterThan(10)
    const order = seen.filter(({ name }) => name === 'remind').map(({ text }) => Number(text))
    expect(order).toEqual(Array.from({ length: many }, (_, at) => at))
    await until(
      async () =>
        (await store.all('SELECT 1 FROM "nounkit_jobs" WHERE "name" = \'remind\'', [])).length === 0,
    )
    if (!isNightly) return
    const p99 = (times: readonly number[]) => times[Math.floor(times.length * 0.99)] ?? 0
    console.log(
      `${tested.kind}: ${many} jobs in ${seconds.toFixed(1)} s beside ${beside.length} requests; p99 ${p99(quiet).toFixed(1)} ms without jobs, ${p99(beside).toFixed(1)} ms with them`,
    )
    expect(p99(beside)).toBeLessThan(Math.max(5 * p99(quiet), 50))
  })

  test('of a unique job that two processes hand over at once there is one', async () => {
    const url = await tested.url()
    const given = jobsApi()
    const services = await Promise.all([0, 1].map(() => testApi(given.declaration, { databaseUrl: url })))
    for (const served of services) whenOver(() => served.close())
    const clients = await Promise.all(services.map((served) => served.client('acme', { name: randomUUID() })))
    const [one] = services
    for (let round = 0; round < 3; round++) {
      await Promise.all(
        clients.flatMap((acme) =>
          Array.from({ length: 10 }, () => acme.loans.create({ text: `${round}`, unique: 'emma' })),
        ),
      )
      expect(await one?.runJobs()).toMatchObject([{ name: 'remind', attempt: 1, error: null }])
    }
    expect(given.seen.map(({ text }) => text)).toEqual(['0', '1', '2'])
  })

  test('regular work whose process is killed five times gives that run up, and waits for its next time', async () => {
    const url = await tested.url()
    const given = jobsApi()
    const clock = setClock('2026-03-01T09:00:00Z')
    const web = await testApi(given.declaration, { databaseUrl: url, clock })
    whenOver(() => web.close())
    await web.runJobs()
    const { store } = web.service
    await store.writeOne(
      `UPDATE "nounkit_jobs" SET "status" = 'running', "runner" = 'gone', "attempts" = 5 WHERE "account_id" = ''`,
      [],
    )
    const row = async () =>
      (await store.all(`SELECT "status", "due_at", "attempts", "last_error" FROM "nounkit_jobs"`, []))[0]
    clock.pass(3_600_000)
    await start(url, given, { lookEveryMs: 20 }, { clock })
    // Taken over, and then given up instead of run once more.
    await until(async () => Number((await row())?.[2]) === 0)
    const [, dueAt, attempts, error] = (await row()) ?? []
    expect([new Date(Number(dueAt)).toISOString(), Number(attempts), error]).toEqual([
      '2026-03-01T11:00:00.000Z',
      0,
      'Error: The process that ran it ended in the last of 5 attempts.',
    ])
    expect(given.seen).toEqual([])
  })

  test('work at regular times runs in one process at a time', async () => {
    const clock = setClock('2026-03-01T00:00:00Z')
    const running = new Set<string>()
    const ran: string[] = []
    const declaration = api('regular', {
      resources: [resource('notes', { fields: { text: z.string().max(9) } })],
      jobs: {
        nightly: every({ cron: '0 3 * * *', zone: 'Europe/Berlin' }, async ({ id }) => {
          expect(running.has('nightly')).toBe(false)
          running.add('nightly')
          ran.push(id)
          await sleep(30)
          running.delete('nightly')
        }),
      },
    })
    const url = await tested.url()
    const services: TestApi[] = []
    for (let at = 0; at < 3; at++) {
      const served = await testApi(declaration, {
        databaseUrl: url,
        clock,
        jobs: 'on',
        jobSettings: { lookEveryMs: 10 },
      })
      whenOver(() => served.close())
      services.push(served)
    }
    const { store: db } = services[0]?.service ?? expect.unreachable()
    const waiting = async () =>
      (await db.all(`SELECT 1 FROM "nounkit_jobs" WHERE "status" = 'waiting'`, [])).length
    await until(async () => (await waiting()) === 1)
    clock.set('2026-03-03T12:00:00Z')
    await until(async () => ran.length === 1 && (await waiting()) === 1)
    clock.set('2026-03-04T02:00:00Z')
    await until(() => ran.length === 2)
    expect(ran).toEqual(['nightly 2026-03-01T02:00:00.000Z', 'nightly 2026-03-04T02:00:00.000Z'])
  })
})
