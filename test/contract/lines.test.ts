import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { refusalText } from '../../src/contract/gate-refusal.ts'
import { api } from '../../src/declare/api.ts'
import * as change from '../../src/declare/change.ts'
import * as field from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import type { CallerTerms } from '../../src/declare/rule.ts'
import { version } from '../../src/declare/version.ts'

type Loose = { readonly [option: string]: unknown }
type Changes = readonly change.Change[]

const things = (options: Loose, name = 'things') =>
  resource(name, { ...options, fields: { title: z.string(), ...(options.fields ?? {}) } } as never)
const v1 = (changes: Changes = []) => version('v1', { published: '2026-01-01', changes })
const first = (options: Loose) => compileApi(api('small', { resources: [things(options)], versions: [v1()] }))

const refusals = (older: Loose, newer: ReturnType<typeof resource>, changes?: Changes) => {
  const model = first(older)
  const contracts = new Map([['v1', contractOf(model, model.head)]])
  const versions = changes ? [version('v2'), v1(changes)] : [v1()]
  const later = compileApi(api('small', { resources: [newer], versions } as never), { contracts })
  return checkContracts(later, contracts).refusals
}

/** Runs lines as a person would paste them, with each `…` replaced by its value. */
const pasted = (lines: readonly string[], filled: readonly string[]): Changes => {
  const left = [...filled]
  const source = lines.map((line) => line.replaceAll(/'…'|…/g, () => left.shift() ?? '…')).join('\n')
  const names = { ...change, ...field, z }
  return new Function(...Object.keys(names), `return [${source}\n]`)(...Object.values(names))
}

const extra = (schema: unknown, more: Loose = {}) => ({ fields: { extra: schema }, ...more })
const int = z.int().optional()
const same = ['(x) => x', '(x) => x', '{ older: { extra: 1 }, newer: { extra: 1 } }']
const orNone = ['({ extra }) => ({ extra: extra ?? 1 })', ...same.slice(1)]

test.each<[string, Loose, Loose, readonly string[], readonly string[]]>([
  [
    'optional became required',
    extra(int),
    extra(z.int()),
    ["makeRequired('things', 'extra', { whenAbsent: …, why: '…' }),"],
    ['1', "'x'"],
  ],
  [
    'a default became required',
    extra(z.int().default(3)),
    extra(z.int()),
    ["changeDefault('things', 'extra', { was: 3 }),"],
    [],
  ],
  [
    'optional became a default',
    extra(int),
    extra(z.int().default(1)),
    [
      "custom('things', { fields: { extra: z.int().optional() }, replaces: ['extra'], up: …, down: …, samples: […] }),",
    ],
    orNone,
  ],
  [
    'a default became optional',
    extra(z.int().default(1)),
    extra(int),
    [
      "custom('things', { fields: { extra: z.int().default(1) }, replaces: ['extra'], up: …, down: …, samples: […] }),",
    ],
    ['(x) => x', orNone[0] ?? '', same[2] ?? ''],
  ],
  [
    'another default',
    extra(z.string().default("it's")),
    extra(z.string().default('b')),
    ["changeDefault('things', 'extra', { was: 'it\\'s' }),"],
    [],
  ],
  [
    'values removed',
    extra(z.enum(['a-b', 'c d', 'e'])),
    extra(z.enum(['e'])),
    ["mapValues('things', 'extra', { 'a-b': '…', 'c d': '…', e: 'e' }, { why: '…' }),"],
    ["'e'", "'e'", "'x'"],
  ],
  [
    'values removed and others added',
    extra(z.enum(['a', 'b', 'e'])),
    extra(z.enum(['c', 'e'])),
    [
      `mapValues('things', 'extra', { a: '…', b: '…', e: 'e' }, { onlyInNewer: { c: '…' }, why: '…' }), // "c" has no image in the older version`,
    ],
    ["'e'", "'e'", "'a'", "'x'"],
  ],
  [
    'values added',
    extra(z.enum(['e'])),
    extra(z.enum(['a-b', 'c', 'e'])),
    [
      `mapValues('things', 'extra', {}, { onlyInNewer: { 'a-b': '…', c: '…' }, why: '…' }), // "a-b", "c" have no image in the older version`,
    ],
    ["'e'", "'e'", "'x'"],
  ],
  [
    'a value renamed',
    extra(z.enum(['a', "it's"])),
    extra(z.enum(['a', '\\'])),
    ["mapValues('things', 'extra', { 'it\\'s': '\\\\' }),"],
    [],
  ],
  [
    'a value renamed that is the default',
    extra(z.enum(['a', 'b']).default('a')),
    extra(z.enum(['a new', 'b']).default('a new')),
    ["mapValues('things', 'extra', { a: 'a new' }),"],
    [],
  ],
  [
    'a field removed that was never null',
    extra(field.immutable(z.int())),
    {},
    ["removeField('things', 'extra', { was: immutable(z.int()), whenAbsent: … }),"],
    ['1'],
  ],
  [
    'a field removed that needed a scope',
    extra(field.needsScope('things:write', z.int().optional())),
    {},
    ["removeField('things', 'extra', { was: needsScope('things:write', z.int().optional()) }),"],
    [],
  ],
  [
    'a field that needs a scope',
    extra(int),
    extra(field.needsScope('things:write', int)),
    ["changeFieldScope('things', 'extra', { why: '…' }),"],
    ["'x'"],
  ],
  [
    'a rule',
    {},
    { rules: { delete: ({ caller }: { caller: CallerTerms }) => caller.has('things:read') } },
    ["changeRule('things', 'delete', { why: '…' }),"],
    ["'x'"],
  ],
  [
    'other steps',
    extra(z.number().gt(0).multipleOf(0.5)),
    extra(z.number().gt(0).multipleOf(0.25)),
    [
      "custom('things', { fields: { extra: z.number().gt(0).multipleOf(0.5) }, replaces: ['extra'], up: …, down: …, samples: […] }),",
    ],
    same,
  ],
  [
    'another type, of a field that is only sent',
    extra(field.writeOnly(z.int().max(9))),
    extra(field.writeOnly(z.int().max(5))),
    [
      "custom('things', { fields: { extra: writeOnly(z.int().max(9)) }, replaces: ['extra'], up: …, down: …, samples: […] }),",
    ],
    same,
  ],
])('a line can be pasted, and then the check passes: %s', (_, older, newer, lines, filled) => {
  const [refusal, ...more] = refusals(older, things(newer))
  expect([refusal?.lines, more]).toEqual([lines, []])
  expect(refusals(older, things(newer), pasted(lines, filled)).map(refusalText)).toEqual([])
})

test('lines for a version that already renames use the newer names', () => {
  const older = extra(int, { filter: ['extra'], sort: ['title'], methods: ['GET', 'POST'] })
  const newer = resource('items', { fields: { title: z.string(), count: int }, methods: ['GET'] } as never)
  const renames = [change.renameResource('things', 'items'), change.renameField('items', 'extra', 'count')]
  const lines = refusals(older, newer, renames).flatMap((one) => one.lines)
  expect(lines.toSorted()).toEqual([
    "removeFilter('items', 'count'),",
    "removeMethod('items', 'POST'),",
    "removeSort('items', 'title'),",
  ])
  expect(refusals(older, newer, [...renames, ...pasted(lines, [])])).toEqual([])
})

test('what no change can declare is said to be so, and the hint leads to no line', () => {
  const [refusal] = refusals({}, things({ idPrefix: 'th_' }))
  expect(refusal?.hint).toBe('No change declares them by itself:')
  expect(refusal?.lines.length).toBeGreaterThan(0)
  for (const line of refusal?.lines ?? [])
    expect(line).toMatch(/^\/\/ things\.id: .*; no change can declare this: undo it$/)
})

const listed = z.enum(['draft', 'paid', 'placed'])
const moving = field.states('draft', { draft: ['placed'], placed: ['paid'] })
const keepStates =
  '// things.extra: is no longer a field of states; no change can declare this: keep it one, with moves from each state to every other, or add a new field'
const keepPlain =
  '// things.extra: became a field of states; no change can declare this: keep the plain values, or add a new field'

test.each<[string, unknown, unknown, string]>([
  ['states became values with a default', moving, listed.default('draft'), keepStates],
  ['states became values that must be sent', moving, listed, keepStates],
  ['states became values that may be absent', moving, listed.optional(), keepStates],
  ['values with a default became states', listed.default('draft'), moving, keepPlain],
  ['values with another default became states', listed.default('paid'), moving, keepPlain],
  ['values that must be sent became states', listed, moving, keepPlain],
  ['values that may be absent became states', listed.optional(), moving, keepPlain],
  ['text became states', z.string(), moving, keepPlain],
  [
    'states were removed',
    moving,
    undefined,
    '// things.extra: field of states was removed; no change can declare this: keep it',
  ],
])('no line is offered that could not be pasted: %s', (_, older, newer, remark) => {
  for (const changes of [undefined, []]) {
    const [refusal, ...more] = refusals(extra(older), newer ? things(extra(newer)) : things({}), changes)
    expect([refusal?.lines, more]).toEqual([[remark], []])
  }
})

test('states with moves from each to every other are what such a remark leads to', () => {
  const free = { draft: ['paid', 'placed'], paid: ['draft', 'placed'], placed: ['draft', 'paid'] }
  const newer = things(extra(field.states('draft', free as never)))
  for (const changes of [undefined, []]) expect(refusals(extra(moving), newer, changes)).toEqual([])
})

test('a filter and a sort by a field that no line brings back go with it', () => {
  const [refusal] = refusals(extra(moving, { filter: ['extra'], sort: ['extra'] }), things({}))
  expect(refusal?.lines).toEqual([
    '// things.extra: field of states was removed; no change can declare this: keep it',
  ])
})
