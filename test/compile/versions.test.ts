import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import type { View } from '../../src/compile/model.ts'
import { monthsAfter } from '../../src/compile/versions/dates.ts'
import { contractOf } from '../../src/contract/contract.ts'
import * as change from '../../src/declare/change.ts'
import { states } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { olderOf, pairOf, viewIn } from '../support/pair.ts'

const people = resource('people', {
  nameIsPluralBecause: 'it is the plural of person',
  fields: {
    name: z.string().max(50),
    email: z.email().optional(),
    role: z.enum(['admin', 'editor', 'reader']).default('reader'),
    level: z.int(),
  },
  relations: { letters: hasMany('letters') },
  filter: ['name', 'role'],
  sort: ['name'],
  include: ['letters'],
})
const letters = resource('letters', {
  fields: { text: z.string(), stage: states('new', { new: ['read', 'binned'], read: ['binned', 'filed'] }) },
  relations: { writer: belongsTo('people'), stamps: hasMany('stamps') },
  filter: ['writer_id', 'stage'],
  include: ['writer', 'stamps'],
  methods: ['GET', 'POST', 'PATCH'],
  idempotencyKey: 'required',
  limits: { pageMax: 50 },
})
const stamps = resource('stamps', {
  owner: 'letter',
  fields: { worth: z.int() },
  relations: { letter: belongsTo('letters') },
  include: ['letter', 'letter.writer'],
})
const all = [people, letters, stamps]

const v1With = (...changes: change.Change[]) => olderOf(pairOf(all, changes))
const names = (view: View) => view.fields.map((field) => field.name)

describe('one change taken back', () => {
  test('without changes the older version shows what the newer does', () => {
    const model = pairOf(all, [])
    for (const [name, view] of model.head.views) {
      const older = viewIn(olderOf(model), name)
      expect(names(older)).toEqual(names(view))
      expect(older.includePaths).toEqual(view.includePaths)
      expect(older.under.map((sub) => sub.segment)).toEqual(view.under.map((sub) => sub.segment))
      expect(older.under.map((sub) => sub.owner().version.name)).toEqual(view.under.map(() => 'v1'))
    }
  })

  test('a renamed resource has its old name in paths, scopes and references', () => {
    const v1 = v1With(change.renameResource('persons', 'people'))
    expect([...v1.views.keys()]).toEqual(['persons', 'letters', 'stamps'])
    expect(viewIn(v1, 'persons').scopes.GET).toBe('persons:read')
    expect(viewIn(v1, 'letters').field.get('writer_id')?.target?.().name).toBe('persons')
    expect(viewIn(v1, 'letters').under[0]?.owner().name).toBe('persons')
  })

  test('a renamed field has its old name in filters and sorts, and the same column', () => {
    const view = viewIn(v1With(change.renameField('people', 'full_name', 'name')), 'people')
    expect(names(view)).toEqual(['id', 'full_name', 'email', 'role', 'level', 'created_at', 'updated_at'])
    expect(view.field.get('full_name')?.field?.column).toBe('name')
    expect([...view.filters]).toEqual(['full_name', 'role'])
    expect([...view.sorts]).toEqual(['full_name'])
  })

  test('fields can follow each other in their names, and not change places', () => {
    const email = change.renameField('people', 'name', 'email')
    const view = viewIn(v1With(change.renameField('people', 'full_name', 'name'), email), 'people')
    expect(view.field.get('name')?.field?.name).toBe('email')
    expect(view.field.get('full_name')?.field?.name).toBe('name')
    expect(() => v1With(email, change.renameField('people', 'email', 'name'))).toThrow('change places')
  })

  test('a renamed belongs-to takes its id and every include path through it along', () => {
    const v1 = v1With(change.renameRelation('letters', 'author', 'writer'))
    const view = viewIn(v1, 'letters')
    expect(names(view).slice(0, 2)).toEqual(['id', 'author_id'])
    expect(view.includePaths).toEqual(['author', 'stamps'])
    expect([...view.filters]).toEqual(['author_id', 'stage'])
    expect(viewIn(v1, 'stamps').includePaths).toEqual(['letter', 'letter.author'])
    expect([...(viewIn(v1, 'stamps').include.get('letter')?.children.keys() ?? [])]).toEqual(['author'])
  })

  test('a renamed has-many takes its sub-collection along', () => {
    const v1 = v1With(change.renameRelation('letters', 'postage_marks', 'stamps'))
    expect(viewIn(v1, 'stamps').under.map((sub) => sub.segment)).toEqual(['postage-marks'])
  })

  test('mapped values reach the schema, the default, and both directions of the map', () => {
    const view = viewIn(v1With(change.mapValues('people', 'role', { guest: 'reader' })), 'people')
    const role = view.field.get('role')
    expect(role?.schema.enum).toEqual(['admin', 'editor', 'guest'])
    expect(role?.default).toBe('guest')
    expect(role?.values?.down.get('reader')).toBe('guest')
    expect(role?.values?.up.get('guest')).toBe('reader')
    expect(role?.values?.up.get('admin')).toBe('admin')
  })

  test('a value only the newer version has is read as another and never written', () => {
    const options = { onlyInNewer: { filed: 'binned' }, why: 'v1 had no archive' }
    const stage = viewIn(
      v1With(change.mapValues('letters', 'stage', { fresh: 'new' }, options)),
      'letters',
    ).field.get('stage')
    expect(stage?.schema.enum).toEqual(['fresh', 'read', 'binned'])
    expect(stage?.values?.down.get('filed')).toBe('binned')
    expect(stage?.values?.up.get('binned')).toBe('binned')
    expect([...(stage?.values?.up.keys() ?? [])]).toEqual(['fresh', 'read', 'binned'])
    expect(stage?.states).toEqual({
      kind: 'states',
      initial: 'fresh',
      moves: { fresh: ['read', 'binned'], read: ['binned'] },
    })
  })

  test('a changed type is shown through its codec', () => {
    const was = z.string().regex(/^-?\d+$/)
    const level = viewIn(
      v1With(change.changeType('people', 'level', { was, codec: 'integer-as-string' })),
      'people',
    ).field.get('level')
    expect(level).toMatchObject({ kind: 'string', codec: 'integer-as-string', required: true })
    expect(level?.schema.pattern).toBe('^-?\\d+$')
  })

  test('a removed field is kept in the store and shown before the times', () => {
    const v1 = v1With(change.removeField('people', 'fax', { was: z.string().max(9).optional() }))
    const view = viewIn(v1, 'people')
    expect(names(view).slice(-3)).toEqual(['fax', 'created_at', 'updated_at'])
    expect(view.field.get('fax')).toMatchObject({ required: false, nullable: true })
    expect(view.resource.field.get('fax')).toMatchObject({ kept: true, nullable: true })
    expect(viewIn(v1.successor ?? v1, 'people').field.has('fax')).toBe(false)
  })

  test('a removed field that was never null has a value in rows of newer versions', () => {
    const model = pairOf(all, [change.removeField('people', 'code', { was: z.string(), whenAbsent: 'none' })])
    expect(viewIn(olderOf(model), 'people').field.get('code')).toMatchObject({
      required: true,
      nullable: false,
    })
    expect(viewIn(model.head, 'people').whenAbsent.get('code')).toBe('none')
  })

  test('a filter and a sort on a removed field come back with it', () => {
    const v1 = v1With(
      change.removeFilter('people', 'fax'),
      change.removeSort('people', 'fax'),
      change.removeField('people', 'fax', { was: z.string().optional() }),
    )
    expect([...viewIn(v1, 'people').filters]).toEqual(['name', 'role', 'fax'])
    expect([...viewIn(v1, 'people').sorts]).toEqual(['name', 'fax'])
  })

  test('an added required field is hidden, and its absence means a value', () => {
    const view = viewIn(v1With(change.addRequiredField('people', 'level', { whenAbsent: 3 })), 'people')
    expect(view.field.has('level')).toBe(false)
    expect(view.whenAbsent.get('level')).toBe(3)
  })

  test('a field made required is optional before, and its absence means a value', () => {
    const made = change.makeRequired('people', 'level', { whenAbsent: 3, why: 'all have one' })
    const view = viewIn(v1With(made), 'people')
    expect(view.field.get('level')).toMatchObject({ required: false, nullable: true })
    expect(view.whenAbsent.get('level')).toBe(3)
  })

  test('what was taken off the include, filter and sort lists is offered before', () => {
    const v1 = v1With(
      change.removeInclude('people', 'letters.stamps'),
      change.removeFilter('people', 'level'),
      change.removeSort('people', 'level'),
    )
    expect(viewIn(v1, 'people').includePaths).toEqual(['letters', 'letters.stamps'])
    expect(viewIn(v1, 'people').filters.has('level')).toBe(true)
    expect(viewIn(v1, 'people').sorts.has('level')).toBe(true)
  })

  test('a filter or sort that only an older version offers has its index', () => {
    const model = pairOf(all, [change.removeFilter('people', 'level'), change.removeSort('people', 'email')])
    expect(model.resources.get('people')?.indexes.flat()).toEqual(expect.arrayContaining(['level', 'email']))
  })

  test('rules are as they were: limit, key, scope, method, default', () => {
    const v1 = v1With(
      change.changeLimit('letters', 'pageMax', { was: 100 }),
      change.changeLimit('people', 'includeRows', { was: 9 }),
      change.requireIdempotencyKey('letters'),
      change.requireScope('letters', 'POST', { was: 'authenticated' }),
      change.removeMethod('letters', 'DELETE'),
      change.changeDefault('people', 'role', { was: 'editor' }),
    )
    const view = viewIn(v1, 'letters')
    expect(view.limits.pageMax).toBe(100)
    expect(viewIn(v1, 'people').relations.get('letters')?.cap).toBe(9)
    expect(view.idempotency.mode).toBe('optional')
    expect(view.scopes.POST).toBe('authenticated')
    expect(view.methods.has('DELETE')).toBe(true)
    expect(viewIn(v1, 'people').field.get('role')?.default).toBe('editor')
  })

  test('a default is written in the older values, wherever it stands in the list', () => {
    const map = change.mapValues('people', 'role', { guest: 'reader' })
    const was = change.changeDefault('people', 'role', { was: 'guest' })
    for (const list of [
      [map, was],
      [was, map],
    ])
      expect(viewIn(v1With(...list), 'people').field.get('role')?.default).toBe('guest')
  })

  test('a resource that the newest version dropped is served by the older one alone', () => {
    const dropped = resource('faxes', {
      fields: { text: z.string() },
      relations: { person: belongsTo('people') },
      methods: [],
    })
    const people2 = resource('people', {
      nameIsPluralBecause: 'it is the plural of person',
      fields: { name: z.string() },
      relations: { faxes: hasMany('faxes') },
    })
    const model = pairOf(
      [people2, dropped],
      [change.removeMethod('faxes', 'GET'), change.removeMethod('faxes', 'POST')],
    )
    const [before, after] = [olderOf(model), model.head].map((version) => viewIn(version, 'faxes'))
    expect(after).toMatchObject({ topLevel: false, under: [] })
    expect(before?.topLevel).toBe(true)
    expect(before?.under.map((sub) => sub.segment)).toEqual(['faxes'])
    expect([...(before?.methods ?? [])]).toEqual(['GET', 'POST'])
    expect(Object.keys(contractOf(model, model.head).paths).join()).not.toContain('faxes')
  })

  test('the fields of a custom change stand at the position of those it replaces', () => {
    const view = viewIn(
      v1With(
        change.custom('people', {
          fields: { first: z.string(), last: z.string() },
          replaces: ['name'],
          up: ({ first, last }) => ({ name: `${first} ${last}` }),
          down: ({ name }) =>
            Object.fromEntries(
              String(name)
                .split(' ')
                .map((part, at) => [['first', 'last'][at], part]),
            ),
          samples: [{ older: { first: 'Ada', last: 'Byron' }, newer: { name: 'Ada Byron' } }],
        }),
      ),
      'people',
    )
    expect(names(view)).toEqual(['id', 'first', 'last', 'email', 'role', 'level', 'created_at', 'updated_at'])
    expect(view.field.get('last')?.made).toEqual({ step: 0, key: 'last' })
    expect(view.customs[0]?.newer.map((field) => field.name)).toEqual(['name'])
    expect([...view.filters, ...view.sorts]).toEqual(['role'])
  })
})

test('the order of a list does not matter: names in it are the newer ones', () => {
  const list = shop.versions?.[1]?.changes ?? []
  const compiled = [list, list.toReversed()].map((changes) => {
    const v1 = shop.versions?.[1]
    const versions = [shop.versions?.[0], v1 && { ...v1, changes }].filter((one) => one !== undefined)
    return compileApi({ ...shop, versions }).versions[1]
  })
  const shapes = compiled.map((version) =>
    [...(version?.views.values() ?? [])].map((view) => [
      view.name,
      names(view),
      view.includePaths,
      [...view.filters],
    ]),
  )
  expect(shapes[0]).toEqual(shapes[1])
})

test('dates are days; a sunset is the last second of its day', () => {
  const [, v1] = compileApi(shop).versions
  expect(v1?.published).toEqual({ date: '2025-01-15', seconds: 1736899200 })
  expect(v1?.deprecated).toEqual({ date: '2026-06-01', seconds: 1780272000 })
  expect(v1?.sunset).toEqual({ date: '2026-12-31', seconds: 1798761599 })
})

test.each([
  ['2026-06-01', '2026-12-01'],
  ['2026-08-31', '2027-02-28'],
  ['2027-08-31', '2028-02-29'],
  ['2026-03-31', '2026-09-30'],
])('six calendar months after %s is %s', (from, to) => {
  expect(monthsAfter(from, 6)).toBe(to)
})
