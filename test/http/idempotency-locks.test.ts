import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { sum } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { emptyDatabase, type StoreForm } from '../support/databases.ts'
import { serve } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'

const boxes = resource('boxes', {
  fields: { label: z.string().max(50), weight: sum('things', 'grams') },
  relations: { things: hasMany('things') },
  unique: ['label'],
})
const things = resource('things', { fields: { grams: z.int() }, relations: { box: belongsTo('boxes') } })
const declaration = api('boxes', { resources: [boxes, things] })

/** Another session of PostgreSQL has a statement behind it that it has not committed. */
async function servedOn(form: StoreForm) {
  const url = await emptyDatabase(form)
  const serving = await serve('postgres', `${url}?lock_timeout=200`, { declaration })
  const box = await serving.make('/v1/boxes', { label: unique() })
  return {
    post: (path: string, body: object, key: string | null) =>
      serving.call('POST', path, { body, headers: { 'Idempotency-Key': key } }),
    box: box.id,
    behind: <T>(sql: string, work: () => Promise<T>): Promise<T> =>
      serving.store.session(async (session) => {
        await session.script(`BEGIN; ${sql}`)
        try {
          return await work()
        } finally {
          await session.script('ROLLBACK')
        }
      }),
  }
}

const held = (key: string) =>
  `INSERT INTO "nounkit_idempotency" SELECT (json_populate_record("k", '{"key":"${key}"}')).* FROM "nounkit_idempotency" AS "k" LIMIT 1`

const forms: readonly StoreForm[] = ['postgres', 'postgres as on Citus']

describe.each(forms)('on %s', (form) => {
  let served: Awaited<ReturnType<typeof servedOn>>
  beforeAll(async () => {
    served = await servedOn(form)
  })

  test('a keyed create that waits in vain for a row that somebody holds is 503, as one without a key is', async () => {
    const { post, box, behind } = served
    const body = { box_id: box, grams: 5 }
    const key = unique()
    await behind(`SELECT 1 FROM "boxes" WHERE "id" = '${box}' FOR UPDATE`, async () => {
      const [keyless, keyed] = await Promise.all([
        post('/v1/things', body, null),
        post('/v1/things', body, key),
      ])
      expect(keyless.status, keyless.text).toBe(503)
      expect(keyed.refusal).toEqual(keyless.refusal)
      expect(keyed.headers.get('retry-after')).toBe(keyless.headers.get('retry-after'))
    })
    expect((await post('/v1/things', body, key)).headers.get('idempotent-replayed')).toBeNull()
  })

  test('so is one that waits for a value that somebody is about to take', async () => {
    const { post, box, behind } = served
    const label = unique()
    await behind(`UPDATE "boxes" SET "label" = '${label}' WHERE "id" = '${box}'`, async () => {
      const [keyless, keyed] = await Promise.all([
        post('/v1/boxes', { label }, null),
        post('/v1/boxes', { label }, unique()),
      ])
      expect(keyless.status, keyless.text).toBe(503)
      expect(keyed.refusal).toEqual(keyless.refusal)
    })
  })

  test('one that waits for its key is 409, whatever is created', async () => {
    const { post, box, behind } = served
    await post('/v1/boxes', { label: unique() }, unique())
    for (const [path, body] of [
      ['/v1/boxes', { label: unique() }],
      ['/v1/things', { box_id: box, grams: 5 }],
    ] as const) {
      const key = unique()
      const answer = await behind(held(key), () => post(path, body, key))
      expect(answer.refusal).toEqual([409, 'idempotency-in-progress'])
      expect((await post(path, body, key)).status).toBe(201)
    }
  })
})
