import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { warningsOf } from '../../src/compile/warnings.ts'
import { api } from '../../src/declare/api.ts'
import { removeBulk, removeCount } from '../../src/declare/change.ts'
import type { Change } from '../../src/declare/change-data.ts'
import { states } from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'

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

test('a limit that bounds nothing in any version is warned of', () => {
  const warnedOf = (options: object, limits = {}, changes: readonly Change[] = []) => {
    const books = resource('books', { fields: { title: z.string().max(60) }, filter: ['title'], ...options })
    const sold = resource('book-totals', { totals: { of: 'books', by: ['title'] }, limits: { totalRows: 9 } })
    const versions = [version('v2'), version('v1', { changes })]
    return warningsOf(compileApi(api('library', { resources: [books, sold], limits, versions })))
  }
  const all = { countRows: 50, bulkRows: 50, totalRows: 50 }
  expect(warnedOf({ limits: all }, { countRows: 60, bulkRows: 60, totalRows: 60, pageMax: 50 })).toEqual([
    'limits.countRows: no resource counts its rows (`count: true`), so the limit bounds nothing.',
    'limits.bulkRows: no resource takes lists of rows (`bulk: true`), so the limit bounds nothing.',
    'books.limits.countRows: no version of books counts its rows (`count: true`), so the limit bounds nothing.',
    'books.limits.bulkRows: no version of books takes lists of rows (`bulk: true`), so the limit bounds nothing.',
    'books.limits.totalRows: no version of books has totals (`totals: { … }`), so the limit bounds nothing.',
  ])
  expect(warnedOf({ bulk: true, limits: { bulkRows: 50 } }, { bulkRows: 60 })).toEqual([])
  const older = [
    removeBulk('books', { why: 'Lists are gone.' }),
    removeCount('books', { why: 'So are counts.' }),
  ]
  expect(warnedOf({ limits: { bulkRows: 50 } }, { countRows: 50 }, older)).toEqual([])
})
