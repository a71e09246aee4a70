import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { api } from '../../src/declare/api.ts'
import * as change from '../../src/declare/change.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { lineagesOf } from '../../src/store/schema/lineage.ts'
import { cyclesOf, movesOf } from '../../src/store/schema/name-moves.ts'

const model = compileApi(
  api('club', {
    resources: [
      resource('members', {
        fields: { name: z.string(), level: z.enum(['basic', 'gold']), since: z.string().optional() },
        relations: { visits: hasMany('club-visits') },
      }),
      resource('club-visits', {
        fields: { paid: z.boolean().default(false) },
        relations: { member: belongsTo('members') },
      }),
    ],
    versions: [
      version('v3'),
      version('v2', {
        changes: [
          change.renameResource('people', 'members'),
          change.renameField('members', 'title', 'name'),
          change.renameRelation('club-visits', 'person', 'member'),
          change.renameRelation('members', 'calls', 'visits'),
          change.mapValues('members', 'level', { silver: 'gold' }),
          change.removeField('members', 'fax', { was: z.string().optional() }),
        ],
      }),
      version('v1', {
        changes: [
          change.renameResource('calls', 'club-visits'),
          change.renameField('people', 'full_name', 'title'),
          change.renameField('people', 'telefax', 'fax'),
          change.mapValues('people', 'level', { plain: 'basic', shiny: 'silver' }),
        ],
      }),
    ],
  }),
)

test('every table, column and value has its name in each version, in the head’s terms', () => {
  const [members, visits] = lineagesOf(model)
  expect(members?.former.map(({ version: name, table }) => [name, table])).toEqual([
    ['v2', 'people'],
    ['v1', 'people'],
  ])
  const names = (column: string) => members?.former.map(({ columns }) => columns.get(column))
  expect(names('name')).toEqual(['title', 'full_name'])
  expect(names('since')).toEqual(['since', 'since'])
  // A removed field keeps its last name.
  expect(names('fax')).toEqual(['fax', 'telefax'])
  expect(members?.former.map(({ values }) => Object.fromEntries(values.get('level') ?? []))).toEqual([
    { basic: 'basic', silver: 'gold' },
    { plain: 'basic', shiny: 'gold' },
  ])
  expect(visits?.former.map(({ table, columns }) => [table, columns.get('member_id')])).toEqual([
    ['club_visits', 'person_id'],
    ['calls', 'person_id'],
  ])
})

test('a name that is taken up again by another field is not traced into what had it before', () => {
  const reused = compileApi(
    api('club', {
      resources: [resource('members', { fields: { name: z.string(), title: z.string() } })],
      versions: [
        version('v3'),
        version('v2', {
          changes: [
            change.renameField('members', 'title', 'name'),
            change.addRequiredField('members', 'title', { whenAbsent: '' }),
          ],
        }),
        version('v1', { changes: [change.renameField('members', 'full_name', 'title')] }),
      ],
    }),
  )
  const [members] = lineagesOf(reused)
  expect(members?.former.map(({ columns }) => [columns.get('name'), columns.get('title')])).toEqual([
    ['title', undefined],
    ['full_name', undefined],
  ])
})

test('a name moves where it is missing and an older one is there, the newest of them', () => {
  const wanted = [{ name: 'c', former: ['b', 'a'] }]
  expect(movesOf(wanted, ['a'])).toEqual([{ from: 'a', to: 'c' }])
  expect(movesOf(wanted, ['a', 'b'])).toEqual([{ from: 'b', to: 'c' }])
  expect(movesOf(wanted, ['a', 'b', 'c'])).toEqual([])
  expect(movesOf(wanted, [])).toEqual([])
})

test('names that follow each other move in an order in which each is free', () => {
  const wanted = [
    { name: 'b', former: ['a'] },
    { name: 'c', former: ['b'] },
  ]
  const moves = [
    { from: 'b', to: 'c' },
    { from: 'a', to: 'b' },
  ]
  expect(movesOf(wanted, ['a', 'b'])).toEqual(moves)
  expect(movesOf(wanted, ['a', 'c'])).toEqual(moves.slice(1))
  expect(movesOf(wanted, ['b', 'c'])).toEqual([])
})

test('names that were swapped form a ring, and a chain of renames does not', () => {
  const places = { a: 'b', b: 'a', c: 'd', e: 'f', f: 'g', g: 'e', h: 'h' }
  expect(cyclesOf(new Map(Object.entries(places)))).toEqual([
    ['a', 'b'],
    ['e', 'f', 'g'],
  ])
})
