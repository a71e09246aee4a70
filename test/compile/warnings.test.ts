import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { warningsOf } from '../../src/compile/warnings.ts'
import { api } from '../../src/declare/api.ts'
import { states } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'

const warned = (initial: string, moves: { readonly [from: string]: readonly string[] }) =>
  warningsOf(
    compileApi(
      api('library', {
        resources: [resource('loans', { fields: { note: z.string(), status: states(initial, moves) } })],
      }),
    ),
  )

test('a state that no move leaves and whose name is one letter off another one is warned of', () => {
  const warning = (final: string, other: string) =>
    `loans.fields.status: no move leaves the state "${final}", whose name is nearly "${other}". If they are the same state, write it alike everywhere.`
  expect(warned('out', { out: ['retured', 'lost'], lost: ['returned'] })).toEqual([
    warning('retured', 'returned'),
  ])
  expect(warned('open', { open: ['shiped', 'shipped'], shipped: ['delivered'] })).toEqual([
    warning('shiped', 'shipped'),
  ])
})

test('states that differ by a number, by more than a letter, or in short names are not warned of', () => {
  expect(warned('level-1', { 'level-1': ['level-2'], 'level-2': ['level-3'] })).toEqual([])
  expect(warned('unpaid', { unpaid: ['sent', 'spent'], sent: ['prepaid'] })).toEqual([])
  expect(warned('waiting', { waiting: ['waitind'], waitind: ['waiting'] })).toEqual([])
})

/** People with appointments, each with treatments. */
const clinic = (biography: z.ZodString, treatments: number, rowsPerRequest?: number) =>
  warningsOf(
    compileApi(
      api('clinic', {
        limits: rowsPerRequest === undefined ? {} : { rowsPerRequest },
        resources: [
          resource('people', {
            fields: { biography },
            relations: { appointments: hasMany('appointments') },
            include: ['appointments', 'appointments.treatments'],
          }),
          resource('appointments', {
            fields: { reason: z.string().max(200) },
            relations: {
              person: belongsTo('people'),
              treatments: hasMany('treatments', { cap: treatments }),
            },
            include: ['person', 'treatments'],
          }),
          resource('treatments', {
            fields: { name: z.string().max(200) },
            relations: { appointment: belongsTo('appointments') },
          }),
        ],
      }),
    ),
  )

test('an include that no page of ten rows can have is warned of, with the largest page that can', () => {
  expect(clinic(z.string().max(200), 50)).toEqual([
    'people.include: "appointments.treatments" may add 2550 rows to each row of a list, so a list with it has at most limit=5; any other is refused, because limits.rowsPerRequest is 15000. Lower the cap of its relations, or raise limits.rowsPerRequest to 25500.',
  ])
  expect(clinic(z.string().max(200), 50, 25_500)).toEqual([])
  expect(clinic(z.string().max(200), 29)).toEqual([])
})

test('a text without a max in a resource that others include is warned of', () => {
  expect(clinic(z.string(), 5)).toEqual([
    'people.fields.biography: the text has no max, and appointments (include=person) may repeat it with every row, so that answers become too large. Give it one, such as z.string().max(2000).',
  ])
})
