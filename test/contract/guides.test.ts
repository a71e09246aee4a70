import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import type { Model } from '../../src/compile/model.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { explainDifference } from '../../src/contract/guide/explain-difference.ts'
import { guideOf } from '../../src/contract/guide/guide.ts'
import {
  custom,
  mapValues,
  removeFilter,
  removeInclude,
  removeMethod,
  removeSort,
  renameField,
  renameResource,
  requireIdempotencyKey,
} from '../../src/declare/change.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { olderOf, pairOf } from '../support/pair.ts'
import { threeVersions } from '../support/three-versions.ts'

const phone = z.string().regex(/^\+\d+$/)

/** Members may be without a phone; registrations have paths below workshops only. */
const workshops = pairOf(
  [
    resource('members', { fields: { name: z.string(), phone: phone.optional() } }),
    resource('workshops', {
      fields: { title: z.string() },
      relations: { registrations: hasMany('registrations') },
    }),
    resource('registrations', {
      owner: 'workshop',
      relations: { workshop: belongsTo('workshops'), member: belongsTo('members') },
      fields: { settled: z.boolean(), seat: z.int() },
      methods: ['GET', 'POST', 'PATCH'],
      idempotencyKey: 'required',
    }),
  ],
  [
    renameResource('signups', 'registrations'),
    renameField('registrations', 'paid', 'settled'),
    removeFilter('registrations', 'settled'),
    removeSort('registrations', 'seat'),
    removeInclude('registrations', 'member'),
    removeMethod('registrations', 'DELETE'),
    requireIdempotencyKey('registrations'),
    custom('members', {
      fields: { phone },
      replaces: ['phone'],
      up: ({ phone }) => ({ phone: phone === '+0' ? null : phone }),
      down: ({ phone }) => ({ phone: phone ?? '+0' }),
      samples: [
        { older: { phone: '+4912' }, newer: { phone: '+4912' } },
        { older: { phone: '+0' }, newer: { phone: null } },
      ],
    }),
  ],
)

/** The paths in a guide that its versions do not have, with their methods where the guide names one. */
const unknownPaths = (model: Model, guide: string): readonly string[] =>
  [...guide.matchAll(/`(?:([A-Z]+) )?\/(v\d+)(\/[^`?]*)/g)].flatMap(([text, method, name, path = '']) => {
    const version = model.versions.find((one) => one.name === name)
    const operations = version && contractOf(model, version).paths[path]
    return operations && (method === undefined || method in operations) ? [] : [text]
  })

describe('a migration guide', () => {
  test.each([
    ['the shop', compileApi(shop)],
    ['every kind of change', compileApi(threeVersions)],
    ['sub-resources without a path of their own', workshops],
  ])('names paths that exist: %s', (_, model) => {
    expect(unknownPaths(model, guideOf(olderOf(model), model.head))).toEqual([])
  })

  test('names the paths of a sub-resource below its owner, with the names of the older version', () => {
    const guide = guideOf(olderOf(workshops), workshops.head)
    for (const call of [
      'GET /v1/workshops/{id}/registrations?filter[paid]=…',
      'GET /v1/workshops/{id}/registrations?sort=seat',
      'GET /v1/workshops/{id}/registrations?include=member',
      'DELETE /v1/workshops/{id}/registrations/{sub_id}',
      'POST /v1/workshops/{id}/registrations',
    ])
      expect(guide).toContain(`| \`${call}\` |`)
  })

  test('says that a field may be unset, and shows a sample of it', () => {
    const guide = guideOf(olderOf(workshops), workshops.head)
    const [, entry = ''] = guide.split(/^## 8\. /m)
    expect(entry).toContain('`phone` of `members` may be unset\n')
    expect(entry).toContain('| `phone` | `phone` or `null` |')
    expect(entry).toContain('In v2, `phone` may be null, and `phone` may be left out of requests.')
    const [before, after] = [...entry.matchAll(/```json\n([^`]*)```/g)].map(
      ([, text = '']) => JSON.parse(text).data,
    )
    expect([before.phone, after.phone]).toEqual(['+0', null])
  })

  test('has no table where a field gained values and no value became another one', () => {
    const pens = resource('pens', { fields: { size: z.enum(['s', 'm', 'l']) } })
    const model = pairOf(
      [pens],
      [mapValues('pens', 'size', {}, { onlyInNewer: { l: 'm' }, why: 'Large pens.' })],
    )
    const guide = guideOf(olderOf(model), model.head)
    expect(guide).toContain('changed\n\nLarge pens.\n\nNew values to expect: `l` (until now shown as `m`).')
    expect(guide).not.toContain('| v1 | v2 |')
  })

  test('agrees with the list of differences', () => {
    const lines = explainDifference(workshops, olderOf(workshops), workshops.head)
    expect(lines.find(({ change }) => change === 'custom')).toMatchObject({
      where: 'members.phone → phone',
      what: 'converted by code; in v2 phone may be null; in v2 phone may be left out of requests',
    })
  })
})
