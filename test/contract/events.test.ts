import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import type { Contract } from '../../src/compile/contract-format.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { compareContracts } from '../../src/contract/diff/diff.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { guideOf } from '../../src/contract/guide/guide.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import type { VersionDeclaration } from '../../src/declare/version.ts'
import { api, renameResource, resource, version } from '../../src/index.ts'

interface Wish {
  readonly keepDays?: number | null
  readonly notes?: boolean
  readonly more?: boolean
}

const v1 = version('v1', { published: '2025-01-01', changes: [renameResource('pads', 'notes')] })

const desk = (
  { keepDays = 30, notes = true, more = false }: Wish = {},
  versions: readonly VersionDeclaration[] = [version('v2')],
) =>
  api('desk', {
    ...(keepDays === null ? {} : { events: { keepDays } }),
    resources: [
      resource('notes', { fields: { text: z.string() }, ...(notes ? {} : { events: false }) }),
      resource('words', { fields: { text: z.string() }, shared: true }),
      ...(more ? [resource('lists', { fields: { title: z.string() } })] : []),
    ],
    versions,
  })

const contract = (wish: Wish = {}): Contract => {
  const model = compileApi(desk(wish))
  return contractOf(model, model.head)
}
const verdicts = (from: Wish, to: Wish): readonly string[] =>
  compareContracts(contract(from), contract(to))
    .filter(({ where }) => where.startsWith('events'))
    .map(({ verdict, where, what }) => `${verdict}: ${where} ${what}`)

describe('events in the contract', () => {
  test('are listed by type, without shared resources', () => {
    expect(contract().events).toEqual({
      types: ['notes.created', 'notes.updated', 'notes.deleted'],
      keep_days: 30,
    })
    expect(contract().resources.events?.filters).toHaveProperty('type')
    expect(contract({ keepDays: null })).not.toHaveProperty('events')
    expect(contract({ keepDays: null }).resources).not.toHaveProperty('events')
  })

  test('a new type is additive, a lost one breaks', () => {
    expect(verdicts({}, { more: true })).toEqual([
      'additive: events.type value "lists.created" was added',
      'additive: events.type value "lists.updated" was added',
      'additive: events.type value "lists.deleted" was added',
      'additive: events event type lists.created was added',
      'additive: events event type lists.updated was added',
      'additive: events event type lists.deleted was added',
    ])
    expect(verdicts({ more: true }, { more: true, notes: false })).toEqual(
      expect.arrayContaining(['breaking: events event type notes.created was removed']),
    )
    expect(verdicts({}, { keepDays: null })).toEqual(
      expect.arrayContaining([
        'breaking: events resource and its endpoints were removed, renamed or re-rooted',
      ]),
    )
  })

  test('fewer days break, more are additive', () => {
    expect(verdicts({}, { keepDays: 29 })).toEqual(['breaking: events.keep_days 30 was lowered to 29'])
    expect(verdicts({}, { keepDays: 31 })).toEqual(['additive: events.keep_days 30 was raised to 31'])
  })

  test('a version that was frozen without events has none, and one that has them keeps to its types', () => {
    const frozen = (wish: Wish) => {
      const model = compileApi(desk(wish, [version('v2'), v1]))
      return contractOf(model, model.versions[1] ?? model.head)
    }
    const typesIn = (promise: Contract): readonly string[] | undefined => {
      const contracts = new Map([['v1', promise]])
      const model = compileApi(desk({ more: true }, [version('v2'), v1]), { contracts })
      expect(checkContracts(model, contracts).refusals).toEqual([])
      const [, older = model.head] = model.versions
      return contractOf(model, older).events?.types
    }
    expect(typesIn(frozen({ keepDays: null }))).toBeUndefined()
    expect(typesIn(frozen({}))).toEqual(['pads.created', 'pads.updated', 'pads.deleted'])
  })

  test('are refused when a published version would lose them', () => {
    const published = [version('v2', { published: '2026-01-01' })]
    const before = compileApi(desk({}, published))
    const contracts = new Map([['v2', contractOf(before, before.head)]])
    const after = compileApi(desk({ notes: false, more: true }, published), { contracts })
    const [refusal] = checkContracts(after, contracts).refusals
    expect(refusal?.differences.map(({ what }) => what)).toContain('event type notes.created was removed')
  })
})

describe('events in documents', () => {
  const model = compileApi(desk({ more: true }, [version('v2'), v1]))
  const [head, older] = model.versions

  test('have paths, a schema for each resource, and an entry for each type under webhooks', () => {
    if (!older) throw new Error('There is no v1')
    const document = openapiOf(older, model) as {
      paths: object
      webhooks: object
      components: { schemas: { [name: string]: unknown } }
    }
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/events', '/events/{id}']))
    expect(Object.keys(document.webhooks)).toEqual([
      'pads.created',
      'pads.updated',
      'pads.deleted',
      'lists.created',
      'lists.updated',
      'lists.deleted',
    ])
    expect(document.components.schemas.PadEvent).toMatchObject({
      properties: { type: { enum: ['pads.created', 'pads.updated', 'pads.deleted'] } },
    })
  })

  test('are renamed with their resource, which the guide says', () => {
    if (!head || !older) throw new Error('There are no versions')
    const guide = guideOf(older, head)
    expect(guide).toContain('| `pads.created` | `notes.created` |')
    expect(guide).not.toContain('the field `events.')
  })
})
