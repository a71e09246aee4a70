import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { warningsOf } from '../../src/compile/warnings.ts'
import { api } from '../../src/declare/api.ts'
import { states } from '../../src/declare/field.ts'
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
