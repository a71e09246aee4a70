import { expect, test } from 'vitest'
import { z } from 'zod'
import { type Caller, noClaims } from '../../src/call/caller.ts'
import { noInclude } from '../../src/call/included.ts'
import type { Target } from '../../src/call/target.ts'
import { api, belongsTo, hasMany, resource } from '../../src/index.ts'
import { readListQuery } from '../../src/request/read-query.ts'
import { accountScans, derived, explained, setStatistics } from '../support/explained.ts'
import { describeServing } from '../support/serving.ts'
import { noId } from '../support/shop-rows.ts'
import { includeOf, toldAll } from '../support/told-all.ts'

const tags = resource('tags', {
  fields: { name: z.string() },
  sort: ['name'],
  filter: ['name'],
  count: true,
})
const notes = resource('notes', {
  fields: {},
  relations: { tags: hasMany(tags, { through: 'taggings' }) },
  include: ['tags'],
})
const taggings = resource('taggings', {
  fields: {},
  relations: { note: belongsTo(notes), tag: belongsTo(tags) },
})

const caller: Caller = {
  account: 'acme',
  consumer: { id: 'key', name: 'key', kind: 'external' },
  scopes: new Set(['*']),
  subject: null,
  claims: noClaims,
}

describeServing(
  'rows that a join links',
  (served) => {
    test('are found by an index on the links of the owner, and then by their ids', async () => {
      const { model, engine } = served.api.service
      const { planner } = engine.writer
      const view = model.head.views.get('tags')
      const owner = model.head.views.get('notes')
      const [sub] = view?.under ?? []
      if (!view || !owner || !sub) throw new Error('there are no tags below notes')
      const target = (given: Partial<Target>): Target => ({
        version: model.head,
        view,
        sub,
        ownerId: noId,
        id: null,
        unversioned: false,
        template: '',
        ...given,
      })
      const lists = ['', 'sort=-name', 'count=true', 'filter[name][gt]=a'].map((query) => {
        const { list } = readListQuery(query, view, 5000, toldAll)
        return [`tags ${query}`, planner.list(target({}), list, null, caller.scopes)] as const
      })
      const statements = [
        ...lists,
        ['one tag', planner.one(target({ id: noId }), noInclude, caller.scopes)] as const,
        [
          'note with tags',
          planner.one(
            target({ view: owner, sub: null, ownerId: null, id: noId }),
            includeOf('tags', owner),
            caller.scopes,
          ),
        ] as const,
      ]
      const states = served.kind === 'sqlite' ? (['none', 'one row', 'many rows'] as const) : [null]
      for (const state of states) {
        if (state) await setStatistics(served, state)
        for (const [what, { text, slots }] of statements) {
          const bound = {
            account: 'acme',
            asked: { by: caller, at: 0 },
            id: noId,
            owner: noId,
            limit: 26,
            values: ['a'],
          }
          const steps = await explained(served, text, bound, slots)
          const said = `${what}, statistics: ${state}\n${steps.join('\n')}\n${text}`
          const whole = accountScans(served, steps).filter((step) => !derived.test(step))
          expect(whole, said).toEqual([])
          expect(steps.join('\n'), said).toMatch(
            served.kind === 'sqlite' ? /note_id=\?/ : /taggings[^\n]*note_id|note_id = /,
          )
        }
      }
    })
  },
  { declaration: api('notes', { resources: [tags, notes, taggings] }) },
)
