import { expect, test } from 'vitest'
import { testApi } from '../../src/testing.ts'
import { AccountBound } from '../support/account-bound.ts'
import { whenOver } from '../support/clean-up.ts'
import { storeForms, storeKinds } from '../support/databases.ts'
import { jobsApi } from '../support/jobs-api.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores, type StoreUnderTest } from '../support/stores.ts'

async function open(store: StoreUnderTest, given = jobsApi()) {
  const clock = setClock('2026-03-01T09:00:00Z')
  const logged: string[] = []
  const accountBound = new AccountBound()
  const options = { watchStore: accountBound.watchStore }
  const served = await testApi(given.declaration, {
    ...options,
    databaseUrl: await store.url(),
    clock,
    warn: (message, error) => void logged.push(`${message} ${error}`),
  })
  whenOver(async () => {
    await served.close()
    expect(accountBound.mistakes(served.service.model)).toEqual([])
  })
  const key = await served.key('acme')
  const send = async (method: string, path: string, body?: object) => {
    const response = await served.fetch(path, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }
  const jobs = async () =>
    (
      await served.service.store.all(
        `SELECT "name", "status", "due_at", "attempts", "last_error" FROM "nounkit_jobs" WHERE "account_id" <> '' ORDER BY "due_at", "id"`,
        [],
      )
    ).map(([name, status, dueAt, attempts, error]) => ({
      name,
      status,
      dueAt: Number(dueAt),
      attempts: Number(attempts),
      error,
    }))
  return { ...given, served, clock, logged, send, jobs, run: () => served.runJobs() }
}

describeStores(
  'jobs that hooks hand over',
  (store) => {
    test('a job is committed with the row, runs once, and is gone', async () => {
      const { send, jobs, run, seen } = await open(store)
      expect((await send('POST', '/v1/loans', { text: 'Emma' })).status).toBe(201)
      expect(await jobs()).toMatchObject([{ name: 'remind', status: 'waiting', attempts: 0 }])
      expect(await run()).toMatchObject([{ name: 'remind', account: 'acme', attempt: 1, error: null }])
      expect(seen).toMatchObject([{ text: 'Emma', account: 'acme', attempt: 1 }])
      expect(await jobs()).toEqual([])
      expect(await run()).toEqual([])
    })

    test('an update, a delete and each row of a list hand jobs over too', async () => {
      const { send, run, seen } = await open(store)
      const list = await send('POST', '/v1/loans', {
        data: [{ text: 'a' }, { text: 'b', wrong: 'not awaited' }],
      })
      const { id } = list.body.data[0]
      expect((await send('PATCH', `/v1/loans/${id}`, { text: 'c' })).status).toBe(200)
      expect((await send('DELETE', `/v1/loans/${id}`)).status).toBe(204)
      await run()
      expect(seen.map(({ text }) => text)).toEqual(['a', 'b', 'updated c', 'deleted c'])
    })

    test('a write that is undone leaves no job', async () => {
      const { send, jobs } = await open(store)
      expect((await send('POST', '/v1/loans', { text: 'a', wrong: 'rejected' })).status).toBe(409)
      expect((await send('POST', '/v1/loans', { text: 'a', wrong: 'broken' })).status).toBe(500)
      expect(
        (await send('POST', '/v1/loans', { data: [{ text: 'a' }, { text: 'b', wrong: 'rejected' }] })).status,
      ).toBe(409)
      expect(await jobs()).toEqual([])
    })

    test('what is handed over wrongly is refused with what to write, and nothing is written', async () => {
      const { send, jobs, logged } = await open(store)
      const bad: readonly (readonly [object, string])[] = [
        [{ wrong: 'name' }, `later('remnd', …): there is no such job. Did you mean "remind"?`],
        [{ wrong: 'payload' }, "later('remind', …): the payload does not fit: text:"],
        [{ wrong: 'date', text: 'x' }, ''],
        [{ wrong: 'every' }, "later('tidy', …): it runs at regular times"],
        [{ at: 'tomorrow' }, "at must be a Date, or a text such as '2026-03-01T09:00:00Z'."],
        [{ unique: 'x'.repeat(201) }, 'unique must be a text of 1 to 200 characters.'],
      ]
      for (const [wrong, message] of bad) {
        const { status } = await send('POST', '/v1/loans', { text: 'x', ...wrong })
        expect([wrong, status]).toEqual([wrong, message === '' ? 201 : 500])
        if (message !== '') expect(logged.at(-1)).toContain(message)
        if (message !== '') expect(logged.at(-1)).toContain('(hook afterCreate of loans)')
      }
      // A Date is a text in JSON, and that is what the job gets.
      expect(await jobs()).toHaveLength(1)
    })

    test('a job with a time waits for it, and jobs run in the order of their times', async () => {
      const { send, run, seen, clock } = await open(store)
      await send('POST', '/v1/loans', { text: 'late', at: '2026-03-01T10:30:00+01:00' })
      await send('POST', '/v1/loans', { text: 'past', at: '2020-01-01T00:00:00Z' })
      await send('POST', '/v1/loans', { text: 'now' })
      await run()
      expect(seen.map(({ text }) => text)).toEqual(['past', 'now'])
      clock.set('2026-03-01T09:29:59.999Z')
      expect((await run()).filter(({ name }) => name === 'remind')).toEqual([])
      clock.pass(1)
      await run()
      expect(seen.at(-1)).toMatchObject({ text: 'late' })
    })

    test('of unique jobs that have not begun there is one', async () => {
      const { send, run, seen, runs, jobs } = await open(store)
      const again = () => send('POST', '/v1/loans', { text: 'once', unique: 'emma' })
      await again()
      await again()
      await send('POST', '/v1/loans', {
        data: [
          { text: 'once', unique: 'emma' },
          { text: 'once', unique: 'emma' },
          { text: 'other', unique: 'noa' },
        ],
      })
      expect(await jobs()).toHaveLength(2)
      // One that has begun does not count.
      runs.once = async () => {
        if (seen.length === 1) await again()
      }
      await run()
      expect(seen.map(({ text }) => text).sort()).toEqual(['once', 'once', 'other'])
    })

    test('a job that throws runs again after each wait, with the same id, and then has failed for seven days', async () => {
      const { send, run, seen, runs, jobs, clock, served } = await open(store, jobsApi(['5s', '1m']))
      runs.bad = () => {
        throw seen.length === 2 ? 'a text\0' : new Error('no')
      }
      await send('POST', '/v1/loans', { text: 'bad' })
      expect(await run()).toMatchObject([{ attempt: 1, error: 'Error: no' }])
      expect(await run()).toEqual([])
      clock.pass(5_000)
      expect(await run()).toMatchObject([{ attempt: 2, error: 'a text ' }])
      clock.pass(59_000)
      expect(await run()).toEqual([])
      clock.pass(1_000)
      expect(await run()).toMatchObject([{ attempt: 3, error: 'Error: no' }])
      expect(new Set(seen.map(({ id }) => id)).size).toBe(1)
      expect(await jobs()).toMatchObject([{ status: 'failed', attempts: 3, error: 'Error: no' }])
      const { sweepJobs } = await import('../../src/jobs/sweep-jobs.ts')
      clock.pass(7 * 86_400_000)
      await sweepJobs(served.service.store, clock)
      expect(await jobs()).toHaveLength(1)
      clock.pass(1)
      await sweepJobs(served.service.store, clock)
      expect(await jobs()).toEqual([])
    })

    test('a payload that does not fit any more has failed with the reason, and is not lost', async () => {
      const { send, run, jobs, served } = await open(store)
      await send('POST', '/v1/loans', { text: 'x' })
      await served.service.store.writeOne(
        `UPDATE "nounkit_jobs" SET "payload" = '{"txt":1}' WHERE "name" = 'remind'`,
        [],
      )
      await run()
      expect(await jobs()).toMatchObject([
        {
          status: 'failed',
          attempts: 1,
          error: expect.stringContaining('Its payload does not fit the job any more: text:'),
        },
      ])
    })

    test('a job that no process knows waits', async () => {
      const { send, run, jobs, served, seen } = await open(store)
      await send('POST', '/v1/loans', { text: 'x' })
      const { store: db } = served.service
      await db.writeOne(`UPDATE "nounkit_jobs" SET "name" = 'renamed' WHERE "name" = 'remind'`, [])
      expect(await run()).toEqual([])
      expect(await jobs()).toMatchObject([{ name: 'renamed', status: 'waiting', attempts: 0 }])
      await db.writeOne(`UPDATE "nounkit_jobs" SET "name" = 'remind' WHERE "name" = 'renamed'`, [])
      await run()
      expect(seen).toHaveLength(1)
    })

    test('a job reads any row of its account, and writes as its account', async () => {
      const { send, run, runs, served } = await open(store)
      const { body } = await send('POST', '/v1/loans', { text: 'write' })
      const other = await served.client('globex')
      const foreign = await other.notes.create({ text: 'globex' })
      const found: unknown[] = []
      runs.write = async ({ as, find }) => {
        found.push(
          (await find('loans', body.data.id))?.text,
          await find('notes', foreign.id),
          await as().notes.find(foreign.id),
        )
        await as().notes.create({ text: 'from a job' })
        await as({ scopes: ['notes:read'] })
          .notes.create({ text: 'x' })
          .catch((error: Error) => found.push(error.message))
      }
      expect(await run()).toMatchObject([{ error: null }])
      expect(found).toEqual(['write', null, null, expect.stringContaining('scope')])
      expect((await send('GET', '/v1/notes')).body.data).toMatchObject([{ text: 'from a job' }])
    })

    test('work at regular times runs once when it is late, and after that at its next time', async () => {
      const { run, seen, clock, runs } = await open(store)
      expect(await run()).toEqual([])
      clock.pass(3_600_000)
      expect(await run()).toMatchObject([{ name: 'tidy', account: '', attempt: 1, error: null }])
      clock.pass(5.5 * 3_600_000)
      runs.tidy = async ({ as }) => {
        await as().notes.create({ text: 'x' })
        throw new Error('no')
      }
      expect(await run()).toMatchObject([{ name: 'tidy', error: 'Error: no' }])
      clock.pass(0.4 * 3_600_000)
      expect(await run()).toEqual([])
      clock.pass(0.1 * 3_600_000)
      expect(await run()).toHaveLength(1)
      expect(seen.map(({ id, attempt }) => [id, attempt])).toEqual([
        ['tidy 2026-03-01T10:00:00.000Z', 1],
        ['tidy 2026-03-01T11:00:00.000Z', 1],
        ['tidy 2026-03-01T16:00:00.000Z', 1],
      ])
    })

    test('a clock that jumps ahead and back loses no job and stops no regular work', async () => {
      const { send, run, seen, clock } = await open(store)
      await run()
      clock.pass(365 * 86_400_000)
      await send('POST', '/v1/loans', { text: 'ahead' })
      clock.set('2026-03-01T09:00:00Z')
      await send('POST', '/v1/loans', { text: 'back' })
      expect((await run()).map(({ name }) => name)).toEqual(['remind'])
      expect(seen).toMatchObject([{ text: 'back' }])
      clock.pass(365 * 86_400_000)
      expect((await run()).map(({ name }) => name)).toEqual(['tidy', 'remind'])
      clock.set('2026-03-01T09:00:00Z')
      expect(await run()).toEqual([])
      clock.pass(3_600_000)
      expect((await run()).map(({ name }) => name)).toEqual(['tidy'])
    })
  },
  // What Citus gets is also tried on a cluster.
  process.env.NOUNKIT_NIGHTLY === '1' ? storeForms : storeKinds,
)
