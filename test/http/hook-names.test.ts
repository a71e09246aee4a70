import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { readOnly } from '../../src/declare/field.ts'
import type { HookContext } from '../../src/declare/hooks.ts'
import { belongsTo } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { describeServing } from '../support/serving.ts'
import { noId } from '../support/shop-rows.ts'

/** What the hooks do in the current test. */
let before: (context: HookContext) => unknown = () => undefined
let after: (context: HookContext) => unknown = () => undefined
const run = (does: typeof before) => (_: unknown, context: HookContext) => does(context) as undefined

const loans = resource('loans', {
  fields: { title: z.string().max(20), slug: readOnly(z.string().max(20).optional()) },
  relations: { member: belongsTo('members', { optional: true }) },
  problems: { full: { status: 409, title: 'Full' } },
  hooks: {
    beforeCreate: (row, context) => run(before)(row, context),
    afterUpdate: (row, _, context) => run(after)(row, context),
  },
})
const members = resource('members', { fields: { name: z.string().max(20), fines: z.int().default(0) } })
const declaration = api('library', { resources: [loans, members] })

/** Lines that the service logs. */
const logged: Error[] = []

describeServing(
  'a name that a hook uses and nobody declared',
  (served) => {
    const slips: readonly (readonly [(context: HookContext) => unknown, string])[] = [
      [
        ({ find }) => find('membres', noId),
        `find('membres', …): there is no resource "membres". Did you mean "members"?`,
      ],
      [
        ({ list }) => list('member', {}),
        `list('member', …): there is no resource "member". Did you mean "members"?`,
      ],
      [
        ({ sum }) => sum('fines', 'amount', {}),
        `sum('fines', …): there is no resource "fines". There is "loans", "members".`,
      ],
      [
        ({ create }) => create('loan', {}),
        `create('loan', …): there is no resource "loan". Did you mean "loans"?`,
      ],
      [
        ({ update }) => update('laons', noId, {}),
        `update('laons', …): there is no resource "laons". Did you mean "loans"?`,
      ],
      [
        ({ remove }) => remove('Loans', noId),
        `remove('Loans', …): there is no resource "Loans". Did you mean "loans"?`,
      ],
      [
        ({ list }) => list('members', { nmae: 'x' }),
        `list('members', …): "nmae" is not a field of members. Did you mean "name"?`,
      ],
      [
        ({ sum }) => sum('members', 'fine', {}),
        `sum('members', 'fine', …): "fine" is not a field of members that can be summed. Did you mean "fines"?`,
      ],
      [
        ({ sum }) => sum('members', 'name', {}),
        `sum('members', 'name', …): "name" is not a field of members that can be summed. There is "fines".`,
      ],
      [
        ({ sum }) => sum('members', 'fines', { nam: null }),
        `sum('members', …): "nam" is not a field of members. Did you mean "name"?`,
      ],
      [
        ({ create }) => create('members', { name: 'x', fine: 1 }),
        `create('members', …): "fine" is not a field of members. Did you mean "fines"?`,
      ],
      [
        ({ update }) => update('members', noId, { constructor: 1 }),
        `update('members', …): "constructor" is not a field of members.`,
      ],
      [
        ({ reject }) => reject({ code: 'full', detail: 'Full.', field: 'titel' }),
        `reject({ code: 'full' }): "titel" is not a field of loans. Did you mean "title"?`,
      ],
    ]

    test('is a 500 that writes nothing, and the log says where it is and what was meant', async () => {
      for (const [slip, message] of slips) {
        before = async (context) => {
          await context.create('members', { name: 'undone' })
          await slip(context)
        }
        logged.length = 0
        const answer = await served.call('POST', '/v1/loans', { body: { title: 'x' } })
        expect(answer.refusal, message).toEqual([500, 'unexpected'])
        expect(answer.text).not.toMatch(/members|loans|hook/)
        expect(logged).toHaveLength(1)
        expect(logged[0]?.message).toContain(message)
        expect(logged[0]?.message).toMatch(/ \(hook beforeCreate of loans\)$/)
      }
      expect((await served.get('/v1/members')).rows).toEqual([])
    })

    test('is logged with the hook that used it', async () => {
      before = () => undefined
      const { id } = await served.make('/v1/loans', { title: 'x' })
      after = ({ find }) => find('membres', noId)
      logged.length = 0
      const answer = await served.call('PATCH', `/v1/loans/${id}`, { body: { title: 'y' } })
      expect(answer.status).toBe(500)
      expect(logged[0]?.message).toMatch(/\(hook afterUpdate of loans\)$/)
      expect((await served.get(`/v1/loans/${id}`)).data.title).toBe('x')
    })

    test('is not lost where it is a field to set', async () => {
      before = () => ({ slgu: 'x' })
      logged.length = 0
      expect((await served.call('POST', '/v1/loans', { body: { title: 'x' } })).status).toBe(500)
      expect(logged[0]?.message).toBe(
        'hook beforeCreate of loans set "slgu", which is not a field. Did you mean "slug"?',
      )
      before = () => ({ slug: 's' })
      expect((await served.make('/v1/loans', { title: 'x' })).slug).toBe('s')
    })
  },
  { declaration, warn: (_, error) => void logged.push(error as Error) },
)
