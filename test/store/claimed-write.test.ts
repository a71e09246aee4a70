import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { resource } from '../../src/declare/resource.ts'
import type { Store } from '../../src/store/store.ts'
import { emptyDatabase } from '../support/databases.ts'
import { serve } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'
import { storeUnderTest } from '../support/stores.ts'

const insert = (table: string, value: string) => ({
  sql: `INSERT INTO "${table}" ("value") VALUES ($1)`,
  values: [value],
})
const claimed = (claim: string, write: string, also: string) => ({
  claim: insert('claims', claim),
  write: insert('rows', write),
  also: [insert('told', also)],
})

describe('writes with a claim, as on Citus', () => {
  let store: Store
  const tables = ['claims', 'rows', 'told']

  beforeAll(async () => {
    store = await storeUnderTest('postgres as on Citus').open()
    const text = tables.map((name) => `CREATE TABLE "${name}" ("value" text PRIMARY KEY)`).join(';')
    await store.session((session) => session.script(text))
  })
  beforeEach(async () => {
    for (const name of tables) await store.writeOne(`DELETE FROM "${name}"`, [])
  })

  const stored = async () => {
    const all = tables.map((name) => store.all(`SELECT "value" FROM "${name}" ORDER BY 1`, []))
    return (await Promise.all(all)).map((rows) => rows.map(([value]) => value).join(''))
  }
  const write = (claim: string, row: string, told: string) =>
    Promise.resolve(store.writeClaimed?.(claimed(claim, row, told)))

  test('all are written, or none where the claim is taken, which fails no other write', async () => {
    expect(await write('a', 'a', 'a')).toBe(true)
    expect(await write('a', 'b', 'b')).toBe(false)
    expect(await write('c', 'c', 'c')).toBe(true)
    expect(await stored()).toEqual(['ac', 'ac', 'ac'])
  })

  test('where one fails none is written, its error is told, and the claim stays free', async () => {
    await write('a', 'a', 'a')
    await expect(write('b', 'a', 'b')).rejects.toMatchObject({ kind: 'unique', table: 'rows' })
    await expect(write('b', 'b', 'a')).rejects.toMatchObject({ kind: 'unique', table: 'told' })
    expect(await stored()).toEqual(['a', 'a', 'a'])
    expect(await write('b', 'b', 'b')).toBe(true)
  })

  test('of many at once with one claim one is written', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, at) => write('a', `${at}`, `${at}`)))
    expect(outcomes.filter(Boolean)).toHaveLength(1)
    expect((await stored()).map((values) => values.length > 0)).toEqual([true, true, true])
  })
})

const notes = resource('notes', { fields: { text: z.string() } })

test('a create on Citus is an insert each for its key, its row and its event', async () => {
  const declaration = api('desk', { resources: [notes], events: { keepDays: 1 } })
  const served = await serve('postgres', await emptyDatabase('postgres as on Citus'), { declaration })
  const create = () => served.make('/v1/notes', { text: 'x' }, { headers: { 'Idempotency-Key': unique() } })
  await create()
  expect(await served.counted(create)).toBe(3)
})
