import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { belongsTo } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { emptyDatabase } from '../support/databases.ts'
import { serve } from '../support/serving.ts'

test('on PostgreSQL, rows that name one that is being changed are created meanwhile', async () => {
  const hookReached = Promise.withResolvers<void>()
  const mayGoOn = Promise.withResolvers<void>()
  const boxes = resource('boxes', {
    fields: { label: z.string().max(50) },
    hooks: {
      async beforeUpdate() {
        hookReached.resolve()
        await mayGoOn.promise
      },
    },
  })
  const things = resource('things', { fields: { grams: z.int() }, relations: { box: belongsTo('boxes') } })
  const declaration = api('boxes', { resources: [boxes, things] })
  const served = await serve('postgres', `${await emptyDatabase('postgres')}?lock_timeout=1000`, {
    declaration,
  })
  const box = await served.make('/v1/boxes', { label: 'old' })
  const change = served.call('PATCH', `/v1/boxes/${box.id}`, { body: { label: 'new' } })
  await hookReached.promise
  const thing = await served.call('POST', '/v1/things', { body: { box_id: box.id, grams: 1 } })
  expect(thing.status, thing.text).toBe(201)
  mayGoOn.resolve()
  expect((await change).status).toBe(200)
})
