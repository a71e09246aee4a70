import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import type { Contract } from '../../src/compile/contract-format.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { compareContracts } from '../../src/contract/diff/diff.ts'
import { type ApiLimits, api } from '../../src/declare/api.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'

const notes = resource('notes', {
  fields: { text: z.string().max(100) },
  relations: { author: belongsTo('authors') },
  include: ['author'],
})
const authors = resource('authors', {
  fields: { name: z.string().max(100) },
  relations: { notes: hasMany('notes'), home: belongsTo('places') },
  include: ['home', 'notes'],
})
const places = resource('places', { fields: { name: z.string().max(100) } })

const declared = (limits: ApiLimits) =>
  api('journal', {
    resources: [notes, authors, places],
    limits,
    versions: [version('v2'), version('v1', { published: '2026-01-01' })],
  })

const now = (limits: ApiLimits): Contract => {
  const model = compileApi(declared(limits))
  return contractOf(model, model.head)
}

/** As contracts were before answers had a limit: without its name. */
const published = (rowsPerRequest: number): Contract =>
  JSON.parse(
    JSON.stringify(now({ rowsPerRequest }), (key, value) => (key === 'responseBytes' ? undefined : value)),
  )

const differences = (older: Contract, limits: ApiLimits): readonly string[] =>
  compareContracts(older, { ...now(limits) })
    .filter(({ where }) => where !== 'limits.rows_per_request')
    .map(({ verdict, where, what }) => `${verdict} ${where} ${what}`)

test('a contract without a limit on answers counts as one with the default', () => {
  expect(differences(published(15_000), {})).toEqual([])
  expect(differences(published(15_000), { responseBytes: 9000 })).toContain(
    'breaking notes.limits.responseBytes 8000000 was lowered to 9000',
  )
  expect(differences(published(15_000), { responseBytes: 9_000_000 })).toContain(
    'additive notes.limits.responseBytes 8000000 was raised to 9000000',
  )
})

test('an older version without the limit keeps the default where the limit is raised', () => {
  const frozen = { ...published(15_000), version: 'v1' }
  const { versions } = compileApi(declared({ responseBytes: 9_000_000 }), {
    contracts: new Map([['v1', frozen]]),
  })
  const limits = versions.map(({ viewOf }) => viewOf.get('notes')?.limits.responseBytes)
  expect(limits).toEqual([9_000_000, 8_000_000])
})

test('its rows of to-ones did not count: a call that they make too large now breaks', () => {
  expect(differences(published(5_000), { rowsPerRequest: 5_100 })).toEqual([])
  expect(differences(published(5_000), { rowsPerRequest: 5_000 })).toEqual([
    'breaking authors include=home,notes with limit=100 was allowed and is now refused: it could return 5100 rows of at most 5000',
  ])
})
