import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { api } from '../../src/declare/api.ts'
import { resource } from '../../src/declare/resource.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import type { Session, Store } from '../../src/store/store.ts'
import { emptyDatabase } from '../support/databases.ts'
import { serve } from '../support/serving.ts'
import { openForTest } from '../support/stores.ts'
import { until } from '../support/until.ts'

const notes = (fields: { [name: string]: z.ZodType } = {}, unique: readonly 'text'[] = []) =>
  api('desk', { resources: [resource('notes', { fields: { text: z.string(), ...fields }, unique })] })

/** Runs `work` while another session is within a transaction that has read the table: a long report. */
const duringReport = <T>(store: Store, work: (end: () => Promise<void>) => Promise<T>): Promise<T> =>
  store.session(async (report: Session) => {
    await report.script('BEGIN; SELECT count(*) FROM "notes"')
    return work(() => report.script('COMMIT'))
  })

/** A statement that waits for a lock on the table which no other statement can share. */
const waits = `SELECT 1 FROM pg_locks WHERE relation = '"notes"'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted`

test('a new column waits for a long report without holding up requests, says so, and is added once the report has ended', async () => {
  const url = await emptyDatabase('postgres')
  // A request that waited for a lock for two seconds would be 503.
  const served = await serve('postgres', `${url}?lock_timeout=2000`, { declaration: notes() })
  const store = await openForTest(url)
  const told: string[] = []
  const larger = compileApi(notes({ size: z.int().optional() }))
  await duringReport(store, async (end) => {
    const migration = migrateStore(store, larger, { waiting: (sentence) => told.push(sentence) })
    for (let turn = 0; turn < 2; turn++) {
      await until(async () => (await store.all(waits, [])).length > 0, { every: 5 })
      const answers = await Promise.all([
        served.get('/v1/notes'),
        served.call('POST', '/v1/notes', { body: { text: 'meanwhile' } }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([200, 201])
      await until(async () => (await store.all(waits, [])).length === 0, { every: 5 })
    }
    expect(told[0]).toMatch(
      /^Waiting for a lock on notes \(notes\.size is new\)\. Session \d+ of nounkit is in a transaction since \d+ s: BEGIN; SELECT count.*Trying again for up to 10 minutes\.$/,
    )
    await end()
    expect((await migration).steps.map(({ why }) => why)).toEqual(['notes.size is new'])
  })
  expect((await migrateStore(store, larger)).steps).toEqual([])
  expect((await served.get('/v1/notes')).rows).toHaveLength(2)
})

test('a step that is refused after others were applied says which, and the next migration goes on', async () => {
  const store = await openForTest(await emptyDatabase('postgres'))
  await migrateStore(store, compileApi(notes()))
  const insert = `INSERT INTO "notes" ("account_id", "id", "text", "created_at", "updated_at") SELECT 'a', n::text, 'same', now(), now() FROM generate_series(1, 2) AS n`
  await store.session((session) => session.script(insert))
  const larger = compileApi(notes({ size: z.int().optional() }, ['text']))
  const refused = await migrateStore(store, larger).catch((error: Error) => error.message)
  expect(refused).toMatch(
    /These steps were applied before it and stay, .*: notes\.size is new\. .*rows of notes share values of text/s,
  )
  expect(refused).not.toContain('Nothing was changed')
  await store.session((session) => session.script(`UPDATE "notes" SET "text" = "id"`))
  expect((await migrateStore(store, larger)).steps.map(({ why }) => why)).toEqual([
    'index notes__account_id__text__key is new',
  ])
})
