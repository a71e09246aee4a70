import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { readOnly, states, sum } from '../../src/declare/field.ts'
import type { HookContext } from '../../src/declare/hooks.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { decimal } from '../../src/index.ts'
import { describeServing } from '../support/serving.ts'

type Row = { readonly [field: string]: unknown }
type Hook = (row: Row, context: HookContext) => unknown

const nothing: Hook = () => undefined
/** What the hooks of tasks do in the current test. */
let beforeCreate = nothing
let beforeUpdate = nothing
let afterCreate = nothing

const tasks = resource('tasks', {
  fields: {
    title: z.string().min(2).max(20).default('a task'),
    code: z.string().trim().toLowerCase().optional(),
    size: z.enum(['small', 'large']).default('small'),
    status: states('open', { open: ['closed'] }),
    due: z.iso.datetime().optional(),
    day: z.iso.date().optional(),
    points: z.int().max(100).default(1),
    weight: z.number().optional(),
    price: decimal({ scale: 2 }).default('0.00'),
    urgent: z.boolean().default(false),
    tags: z.array(z.string().max(5)).default([]),
    place: z.object({ town: z.string(), cost: decimal({ scale: 2 }).optional() }).optional(),
    links: z.record(z.string(), z.string()).optional(),
    number: readOnly(z.int()),
    minutes: sum('steps', 'minutes'),
  },
  relations: { parent: belongsTo('tasks', { optional: true }), steps: hasMany('steps') },
  hooks: {
    beforeCreate: async (row, context) => {
      const set = await beforeCreate(row, context)
      return set === 'no number' ? undefined : { number: 1, ...(set as object) }
    },
    afterCreate: async (row, context) => void (await afterCreate(row, context)),
    beforeUpdate: async (next, _, context) => (await beforeUpdate(next, context)) as undefined,
  },
})
const steps = resource('steps', {
  fields: { minutes: z.int().max(60), note: z.string().max(10).optional() },
  relations: { task: belongsTo('tasks') },
})
const declaration = api('tasks', { resources: [tasks, steps] })

/** A value that does not fit, and how the log names its kind and what the field takes. */
const misfits: readonly (readonly [field: string, value: unknown, told: string])[] = [
  ['size', 'dragon', '"size" got a string, and must be one of "small", "large"'],
  ['status', 'lost', '"status" got a string, and must be one of "open", "closed"'],
  ['due', 'tomorrow', '"due" got a string, and must be a time such as 2026-06-01T12:00:00Z'],
  ['due', new Date(0), '"due" got a Date, and must be a string'],
  ['day', '2026-02-30', '"day" got a string, and must be a date such as 2026-06-01'],
  ['title', 'x'.repeat(21), '"title" got a string, and must have at most 20 characters'],
  ['title', 'secret\0', '"title" got a string, and must not contain a NUL character'],
  ['title', 7, '"title" got a number, and must be a string'],
  ['title', null, '"title" got null, and must not be null'],
  ['points', 1.5, '"points" got a number, and must be an integer'],
  ['points', 101, '"points" got a number, and must be at most 100'],
  ['points', '5', '"points" got a string, and must be an integer'],
  ['points', 2 ** 53, '"points" got a number, and must lie between -(2^53 - 1) and 2^53 - 1'],
  ['points', 5n, '"points" got a bigint, and must be an integer'],
  ['weight', Number.NaN, '"weight" got a number, and must be a number'],
  ['price', 0.5, '"price" got a number, and must be a string'],
  ['price', '0.001', '"price" got a string, and must be a decimal'],
  ['urgent', 1, '"urgent" got a number, and must be a boolean'],
  ['tags', ['secret'], '"tags" got an array, and within it a value must have at most 5 characters'],
  ['tags', 'a', '"tags" got a string, and must be an array'],
  ['place', {}, '"place" got an object, and within it a value is required'],
  ['place', { town: 'x', cost: 7.25 }, '"place" got an object, and within it a value must be a string'],
  ['links', 1n, '"links" got a bigint, and cannot be written as JSON'],
  ['links', () => 1, '"links" got a function, and cannot be written as JSON'],
  ['links', JSON.parse('{"__proto__":"secret"}'), '"links" got an object, and has the key "__proto__"'],
  ['parent_id', 'nobody', '"parent_id" got a string, and must be a UUID'],
  ['created_at', 'now', '"created_at" got a string, and must be a time'],
]

/** Lines that the service logs. */
const logged: Error[] = []

describeServing(
  'a value that a hook sets and its field cannot hold',
  (served) => {
    beforeEach(() => {
      beforeCreate = nothing
      beforeUpdate = nothing
      afterCreate = nothing
      logged.length = 0
    })
    const post = (body: object = {}) => served.call('POST', '/v1/tasks', { body })
    const count = async () => (await served.get('/v1/tasks?limit=100')).rows.length

    /** Does it, and gives what the log says, with the name of the hook. */
    const refused = async (call: () => Promise<{ refusal: unknown; text: string }>): Promise<string> => {
      logged.length = 0
      const answer = await call()
      expect(answer.refusal).toEqual([500, 'unexpected'])
      expect(answer.text).not.toMatch(/tasks|hook|secret/)
      expect(logged).toHaveLength(1)
      return logged[0]?.message ?? ''
    }

    test('before a create is a 500, nothing is written, and the log names hook, field and kind of value', async () => {
      const { id } = (await post()).data
      const before = await count()
      for (const [field, value, told] of misfits) {
        beforeCreate = async (_, { create }) => {
          await create('steps', { task_id: id, minutes: 1 })
          return { [field]: value }
        }
        const message = await refused(() => post())
        expect(message).toContain(told)
        expect(message).toMatch(/^hook beforeCreate of tasks: /)
        expect(message).not.toMatch(/secret|dragon|tomorrow|7\.25/)
      }
      expect(await count()).toBe(before)
      expect((await served.get(`/v1/tasks/${id}/steps`)).rows).toEqual([])
    })

    test('before an update is refused alike', async () => {
      const { id } = (await post({ title: 'stays' })).data
      for (const [field, value, told] of misfits) {
        beforeUpdate = () => ({ [field]: value })
        const message = await refused(() =>
          served.call('PATCH', `/v1/tasks/${id}`, { body: { title: 'changed' } }),
        )
        expect(message).toContain(told)
        expect(message).toMatch(/^hook beforeUpdate of tasks: /)
      }
      expect((await served.get(`/v1/tasks/${id}`)).data.title).toBe('stays')
    })

    test('of another row is refused alike, also where the hook catches the error or does not wait', async () => {
      const { id } = (await post()).data
      const before = await count()
      for (const [field, value, told] of misfits) {
        afterCreate = ({ title }, { create }) =>
          title === 'outer' ? create('tasks', { number: 2, [field]: value }) : undefined
        expect(await refused(() => post({ title: 'outer' }))).toContain(`create('tasks', …): ${told}`)
        afterCreate = (_, { update }) => update('tasks', id, { [field]: value }).catch(() => undefined)
        expect(await refused(() => post())).toContain(`update('tasks', …): ${told}`)
        afterCreate = (_, { update }) => void update('tasks', id, { [field]: value })
        expect(await refused(() => post())).toMatch(/ \(hook afterCreate of tasks\)$/)
      }
      afterCreate = nothing
      expect(await count()).toBe(before)
    })

    test('is refused where it was changed in place', async () => {
      beforeCreate = (row) => void Object.assign(row, { size: 'dragon' })
      expect(await refused(() => post())).toContain('"size" got a string')
      beforeCreate = (row) => void Object.assign(row, { sise: 'small' })
      expect(await refused(() => post())).toContain('set "sise", which is not a field. Did you mean "size"?')
    })

    test('is told where it is missing', async () => {
      const { id } = (await post()).data
      beforeCreate = () => 'no number'
      expect(await refused(() => post())).toContain('"number" is required, and is not set')
      beforeCreate = nothing
      afterCreate = (_, { create }) => create('steps', { minutes: 1 })
      expect(await refused(() => post())).toContain(`create('steps', …): "task_id" is required`)
      afterCreate = (_, { create }) => create('steps', { task_id: id, minutes: null })
      expect(await refused(() => post())).toContain('"minutes" got null, and must not be null')
    })

    test('is refused where it is the id, or the time of a change', async () => {
      beforeCreate = () => ({ id: '01980000-0000-7000-8000-000000000042' })
      expect(await refused(() => post())).toContain('"id" is set by the server. Leave it out.')
      beforeCreate = nothing
      const { id } = (await post()).data
      beforeUpdate = () => ({ updated_at: '2020-01-01T00:00:00.000Z' })
      const patch = () => served.call('PATCH', `/v1/tasks/${id}`, { body: { title: 'other' } })
      expect(await refused(patch)).toContain('"updated_at" is set by the server')
      beforeUpdate = nothing
      afterCreate = (task, { update }) => update('tasks', String(task.id), { id })
      expect(await refused(() => post())).toContain(
        `update('tasks', …): "id" is set by the server. Leave it out.`,
      )
    })

    test('is one that the database would read as another: nothing is converted, and forms are made one', async () => {
      const set = {
        code: ' ABC ',
        due: '2026-06-01T12:00:00+02:00',
        price: '7',
        points: -0,
        created_at: '2020-01-01T00:00:00Z',
        links: { when: new Date(0), left: undefined },
      }
      const stored = {
        code: 'abc',
        due: '2026-06-01T10:00:00.000Z',
        price: '7.00',
        points: 0,
        created_at: '2020-01-01T00:00:00.000Z',
        links: { when: '1970-01-01T00:00:00.000Z' },
      }
      beforeCreate = () => set
      const made = await post()
      expect(made.data).toMatchObject(stored)
      expect((await served.get(`/v1/tasks/${made.data.id}`)).text).toBe(made.text)
      beforeCreate = nothing
      beforeUpdate = () => set
      const path = `/v1/tasks/${(await post()).data.id}`
      expect((await served.call('PATCH', path, { body: {} })).data).toMatchObject(stored)
      // The same in another form changes nothing.
      const again = await served.call('PATCH', path, { body: {} })
      expect([again.status, again.rowVersion]).toEqual([200, 2])
    })

    test('is left as it is where a hook says undefined, and what it says of a sum is left out', async () => {
      beforeCreate = () => ({ title: undefined, minutes: 5 })
      const { data } = await post({ title: 'said' })
      expect(data).toMatchObject({ title: 'said', minutes: 0 })
      beforeCreate = nothing
      beforeUpdate = (next) => ({ ...next, title: undefined, minutes: 5, urgent: true })
      const changed = await served.call('PATCH', `/v1/tasks/${data.id}`, { body: { title: 'again' } })
      expect(changed.data).toMatchObject({ title: 'again', minutes: 0, urgent: true })
    })

    test('stays stored where it was before, though the schema no longer allows it', async () => {
      const { id } = (await post({ title: 'long ago' })).data
      const dialect = served.kind === 'sqlite' ? '?1' : '$1'
      await served.store.writeOne(`UPDATE "tasks" SET "title" = 'x' WHERE "id" = ${dialect}`, [id])
      beforeUpdate = (next) => ({ ...next, urgent: true })
      const patched = await served.call('PATCH', `/v1/tasks/${id}`, { body: { points: 2 } })
      expect(patched.data).toMatchObject({ title: 'x', points: 2, urgent: true })
    })
  },
  { declaration, warn: (_, error) => void logged.push(error as Error) },
)
