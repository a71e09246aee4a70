import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { sum } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { changeRows } from '../../src/write/change-rows.ts'
import { newRow } from '../../src/write/new-row.ts'
import { byNobody } from '../support/by-nobody.ts'
import { describeServing } from '../support/serving.ts'

const shelves = resource('shelves', {
  fields: { name: z.string() },
  relations: { boxes: hasMany('boxes') },
  hooks: {
    async beforeUpdate(shelf, _, { find, list, remove }) {
      if (shelf.name !== 'empty') return
      for (const { id } of await list('boxes', { shelf_id: shelf.id }, { limit: 1 })) {
        await find('boxes', id, { lock: true })
        await remove('boxes', id)
      }
    },
  },
})
const boxes = resource('boxes', {
  fields: { weight: sum('letters', 'weight') },
  relations: {
    shelf: belongsTo('shelves', { onTargetDelete: 'cascade' }),
    letters: hasMany('letters'),
  },
})
const letters = resource('letters', {
  fields: { text: z.string(), weight: z.int() },
  relations: { box: belongsTo('boxes', { onTargetDelete: 'cascade' }) },
  filter: ['box_id'],
  count: true,
})
const most = 120
const declaration = api('archive', {
  resources: [shelves, boxes, letters],
  limits: { cascadeRows: most },
  events: { keepDays: 1 },
})

describeServing(
  'a delete that takes other rows along',
  (served) => {
    const shelf = () => served.make('/v1/shelves', { name: 'A' })
    const boxOf = (shelf_id: string) => served.make('/v1/boxes', { shelf_id })
    const fill = async (box_id: string, count: number, text = 'x') => {
      const { model, engine } = served.api.service
      const of = model.resources.get('letters')
      if (!of) throw new Error('no letters')
      const rows = Array.from({ length: count }, () => ({
        row: newRow(of, { box_id, text, weight: 1 }, Date.now()),
        version: 1,
      }))
      await changeRows(engine.writer, byNobody('acme'), (changes) =>
        changes.insertMany(of, rows, () => false),
      )
    }
    const remove = (path: string) => served.call('DELETE', `/v1/${path}`)
    const left = async (box: string) =>
      (await served.get(`/v1/letters?count=true&limit=1&filter[box_id]=${box}`)).page.total

    test('takes as many as the limit says, of all levels together, and tells of each', async () => {
      const { id } = await shelf()
      const [one, two] = [await boxOf(id), await boxOf(id)]
      await fill(one.id, 49)
      await fill(two.id, 70)
      const refused = await remove(`shelves/${id}`)
      expect(refused.refusal).toEqual([409, 'still-referenced'])
      expect(refused.problem).toMatchObject({
        referenced_by: ['letters'],
        detail:
          'More rows of letters would be deleted along with it than one request may delete (120, and fewer where they are long). Delete some of them first.',
      })
      expect([await left(one.id), await left(two.id)]).toEqual([49, 70])
      const [letter] = (await served.get('/v1/letters?limit=1')).rows
      expect((await remove(`letters/${letter?.id}`)).status).toBe(204)
      expect((await remove(`shelves/${id}`)).status).toBe(204)
      expect([await left(one.id), await left(two.id)]).toEqual([0, 0])
      const told = await served.get('/v1/events?limit=100&sort=-id&filter[type]=letters.deleted')
      expect([told.rows.length, told.page.has_more]).toEqual([100, true])
    })

    test('reads no more rows than it needs to know that there are too many', async () => {
      const { id } = await boxOf((await shelf()).id)
      await fill(id, most + 1)
      const read: number[] = []
      const { store } = served
      const transaction = store.transaction.bind(store)
      store.transaction = (run, account) =>
        transaction(
          (tx) =>
            run({
              dialect: tx.dialect,
              first: (sql, values) => tx.first(sql, values),
              all: async (sql, values) => {
                const rows = await tx.all(sql, values)
                read.push(rows.length)
                return rows
              },
            }),
          account,
        )
      try {
        expect((await remove(`boxes/${id}`)).refusal).toEqual([409, 'still-referenced'])
      } finally {
        store.transaction = transaction
      }
      expect(Math.max(...read)).toBe(50)
      expect(await left(id)).toBe(most + 1)
    })

    test('takes fewer rows where they are long: 64 MB of them', async () => {
      const { id } = await boxOf((await shelf()).id)
      for (let at = 0; at < 7; at++) await fill(id, 10, 'x'.repeat(999_000))
      expect((await remove(`boxes/${id}`)).refusal).toEqual([409, 'still-referenced'])
      expect(await left(id)).toBe(70)
      expect((await served.get(`/v1/boxes/${id}`)).data.weight).toBe(70)
    })

    test('is an error of a hook that makes it, and nothing is written', async () => {
      const { id } = await shelf()
      const box = await boxOf(id)
      await fill(box.id, most + 1)
      const answer = await served.call('PATCH', `/v1/shelves/${id}`, { body: { name: 'empty' } })
      expect(answer.status).toBe(500)
      expect((await served.get(`/v1/shelves/${id}`)).data.name).toBe('A')
      expect(await left(box.id)).toBe(most + 1)
    })
  },
  { declaration },
)
