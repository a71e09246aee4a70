import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import type { Contract } from '../../src/compile/contract-format.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { guideOf } from '../../src/contract/guide/guide.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import type { Change } from '../../src/declare/change.ts'
import {
  anyOf,
  api,
  changeFieldScope,
  changeRule,
  needsScope,
  renameField,
  resource,
  version,
} from '../../src/index.ts'
import { gateVerdict } from '../support/gate-verdict.ts'

type Options = Extract<Parameters<typeof resource>[1], { readonly rules?: unknown }>
type Rules = NonNullable<Options['rules']>
type Fields = Options['fields']

const own: Rules['read'] = ({ row, caller }) => (row as never as Row).member.is(caller.claim('member'))
const ownOrAll: Rules['read'] = (given) => anyOf(given.caller.has('loans:all'), own(given as never))
type Row = { readonly member: { is(other: unknown): ReturnType<typeof anyOf> } }

const scopes = { 'loans:all': 'See every loan.', 'loans:notes': 'See and write notes.' }
const base = { member: z.string(), note: z.string().optional() }

/** The library with the changes of each older version, newest first. */
const library = (
  rules: Rules | undefined,
  changes: readonly (readonly Change[])[] = [],
  fields: Fields = base,
  more: object = { scopes },
) =>
  api('library', {
    resources: [resource('loans', { fields, ...(rules ? { rules } : {}) } as never)] as never,
    versions: [
      version(`v${changes.length + 1}`, { published: '2026-03-01' }),
      ...changes.map((one, index) =>
        version(`v${changes.length - index}`, { published: `2026-02-0${9 - index}`, changes: one }),
      ),
    ],
    ...more,
  })

const published = (declaration: ReturnType<typeof library>): ReadonlyMap<string, Contract> => {
  const model = compileApi(declaration)
  return new Map([[model.head.name, contractOf(model, model.head)]])
}

const checked = (declaration: ReturnType<typeof library>, contracts: ReadonlyMap<string, Contract>) => {
  const model = compileApi(declaration, { contracts })
  // The newest version is published along with the change.
  const all = new Map([...contracts, [model.head.name, contractOf(model, model.head)]])
  return { model, refusals: checkContracts(model, all).refusals, contracts: all }
}

const why = 'Members asked for it.'

describe('the contract', () => {
  test('has rules, scopes of fields and declared scopes only where they are declared', () => {
    const plain = published(library(undefined, [], base, {})).get('v1')
    expect(JSON.stringify(plain)).not.toMatch(/row_rules|needs_scopes|"scopes"/)
    const fields = { ...base, note: needsScope('loans:notes', z.string().optional()) }
    const whole = published(library({ read: ownOrAll, delete: own }, [], fields)).get('v1')
    expect(whole?.service.scopes).toEqual(scopes)
    expect(whole?.resources.loans?.row_rules).toEqual({
      read: '`member` is the claim `member` or the caller has the scope `loans:all`',
      delete: '`member` is the claim `member`',
    })
    expect(whole?.resources.loans?.fields.note?.needs_scopes).toEqual(['loans:notes'])
    expect(whole?.resources.loans?.fields.member).not.toHaveProperty('needs_scopes')
  })
})

describe('the verdict on an edit of a published version', () => {
  test.each<[string, Rules | undefined, Rules | undefined, 'none' | 'additive' | 'breaking', string]>([
    ['a new rule', undefined, { read: own }, 'breaking', 'loans.rules.read: rule is new: `member` is'],
    [
      'a wider rule',
      { read: own },
      { read: ownOrAll },
      'breaking',
      'loans.rules.read: rule changed: `member` is',
    ],
    ['a narrower rule', { read: ownOrAll }, { read: own }, 'breaking', 'loans.rules.read: rule changed'],
    ['a rule that went', { read: own }, undefined, 'additive', 'loans.rules.read: rule went'],
    [
      'a rule beside another',
      { read: own },
      { read: own, create: ownOrAll },
      'breaking',
      'rules.create: rule is new',
    ],
    ['a rule that is spelled out', { read: own }, { read: own, create: own }, 'none', ''],
    [
      'a rule for updates that went',
      { read: own, update: ownOrAll },
      { read: own },
      'additive',
      'rules.update: rule went',
    ],
    [
      'a rule for creates whose place another takes',
      { read: own, create: ownOrAll },
      { read: own },
      'breaking',
      'loans.rules.create: rule went, and another takes its place: `member` is the claim `member`',
    ],
  ])('%s', (_, before, after, verdict, says) => {
    const found = gateVerdict(library(before), library(after))
    expect(found.verdict).toBe(verdict)
    expect(found.text).toContain(says)
  })

  const notes = (...needed: readonly string[]): Fields => ({
    ...base,
    note: needed.reduce((field, scope) => needsScope(scope, field), base.note),
  })
  test.each<[string, Fields, Fields, 'additive' | 'breaking', string]>([
    [
      'a field that needs a scope',
      base,
      notes('loans:notes'),
      'breaking',
      'loans.note: now needs the scope loans:notes',
    ],
    [
      'another scope',
      notes('loans:notes'),
      notes('loans:all'),
      'breaking',
      'loans.note: now needs the scope loans:all',
    ],
    // A PUT of callers without the scope kept the field.
    ['no scope any more', notes('loans:notes'), base, 'breaking', 'a PUT without it kept it'],
    [
      'one scope less',
      notes('loans:notes', 'loans:all'),
      notes('loans:notes'),
      'additive',
      'no longer needs the scope loans:all',
    ],
    [
      'a new field',
      { member: z.string() },
      notes('loans:notes'),
      'additive',
      'loans.note: optional field was added',
    ],
  ])('%s', (_, before, after, verdict, says) => {
    const found = gateVerdict(library(undefined, [], before), library(undefined, [], after))
    expect(found.verdict).toBe(verdict)
    expect(found.text).toContain(says)
  })

  test('a declared scope, another sentence and one that went are additive', () => {
    const edits = [{ scopes: { ...scopes, 'loans:more': 'More.' } }, { scopes: { 'loans:all': 'All.' } }]
    for (const edit of edits)
      expect(gateVerdict(library(undefined), library(undefined, [], base, edit)).verdict).toBe('additive')
  })
})

describe('changeRule', () => {
  test('is the line that the gate asks for, and with it the older version is kept', () => {
    const contracts = published(library(undefined))
    const { refusals } = checked(library({ read: own }, [[]]), contracts)
    expect(refusals.flatMap((one) => one.lines)).toEqual(["changeRule('loans', 'read', { why: '…' }),"])
    const declared = checked(library({ read: own }, [[changeRule('loans', 'read', { why })]]), contracts)
    expect(declared.refusals).toEqual([])
  })

  test('declares one kind of rule: the others are still asked for', () => {
    const contracts = published(library(undefined))
    const rules = { read: own, delete: ownOrAll }
    const { refusals } = checked(library(rules, [[changeRule('loans', 'read', { why })]]), contracts)
    expect(refusals.flatMap((one) => one.lines)).toEqual(["changeRule('loans', 'delete', { why: '…' }),"])
  })

  test('covers older versions too, each with the rule it was published with', () => {
    const first = published(library({ read: own }))
    const second = checked(library({ read: ownOrAll }, [[changeRule('loans', 'read', { why })]]), first)
    const none = library({ read: ({ caller }) => caller.has('loans:all') }, [
      [changeRule('loans', 'read', { why })],
      [changeRule('loans', 'read', { why })],
    ])
    const third = checked(none, second.contracts)
    expect(third.refusals).toEqual([])
    const rules = [...third.contracts.values()].map((one) => one.resources.loans?.row_rules?.read)
    expect(rules).toEqual([
      '`member` is the claim `member`',
      '`member` is the claim `member` or the caller has the scope `loans:all`',
      'the caller has the scope `loans:all`',
    ])
  })

  test('an unchanged rule needs no line, whatever its fields are called', () => {
    const contracts = published(library({ read: own }))
    const rule: Rules['read'] = ({ row, caller }) =>
      (row as never as { person: Row['member'] }).person.is(caller.claim('member'))
    const fields = { person: base.member, note: base.note }
    const renamed = library({ read: rule }, [[renameField('loans', 'member', 'person')]], fields)
    expect(checked(renamed, contracts).refusals).toEqual([])
  })

  test('is refused where the rule is the same', () => {
    const contracts = published(library({ read: own }))
    const { refusals } = checked(library({ read: own }, [[changeRule('loans', 'read', { why })]]), contracts)
    expect(refusals.map(({ what }) => what)).toEqual([
      'the changes of v1 say it breaks, but no consumer of v2 could tell.',
    ])
  })

  test('a rule that went needs no line either', () => {
    const contracts = published(library({ read: own }))
    expect(checked(library(undefined, [[]]), contracts).refusals).toEqual([])
  })

  test('is told in the guide and in the documents of the older version, where the rule holds too', () => {
    const contracts = published(library(undefined))
    const declaration = library({ read: own }, [[changeRule('loans', 'read', { why })]])
    const { model } = checked(declaration, contracts)
    const [newer, older] = model.versions
    if (!newer || !older) throw new Error('there are two versions')
    const guide = guideOf(older, newer)
    expect(guide).toContain('The rule for reading `loans` changed')
    expect(guide).toContain(why)
    expect(guide).toContain('| all rows | `member` is the claim `member` |')
    expect(guide).toContain('It holds in v1 too.')
    for (const one of [newer, older])
      expect(JSON.stringify(openapiOf(one, model))).toContain(
        'Shows only rows where `member` is the claim `member`.',
      )
  })

  test.each<[string, Change, string]>([
    [
      'a kind that does not exist',
      changeRule('loans', 'raed' as never, { why }),
      '"raed" is not a kind of rule. Did you mean "read"?',
    ],
    ['no rule', changeRule('loans', 'read', { why }), 'loans has no rule for "read" in the newer version.'],
    [
      'no scope',
      changeFieldScope('loans', 'note', { why }),
      'loans.note needs no scope in the newer version.',
    ],
  ])('a mistake: %s', (_, change, says) => {
    expect(() => compileApi(library(undefined, [[change]]))).toThrow(says)
  })

  test('a mistake: no reason', () => {
    const change = changeRule('loans', 'read', {} as never)
    expect(() => compileApi(library({ read: own }, [[change]]))).toThrow('it does not say why')
  })
})

describe('changeFieldScope', () => {
  const scoped = { ...base, note: needsScope('loans:notes', base.note) }

  test('is the line that the gate asks for, and with it the older version is kept', () => {
    const contracts = published(library(undefined))
    const { refusals } = checked(library(undefined, [[]], scoped), contracts)
    expect(refusals.flatMap((one) => one.lines)).toEqual(["changeFieldScope('loans', 'note', { why: '…' }),"])
    const changes = [[changeFieldScope('loans', 'note', { why })]]
    const declared = checked(library(undefined, changes, scoped), contracts)
    expect(declared.refusals).toEqual([])
    const [newer, older] = declared.model.versions
    if (!newer || !older) throw new Error('there are two versions')
    expect(older.viewOf.get('loans')?.field.get('note')?.needsScopes).toEqual(['loans:notes'])
    expect(guideOf(older, newer)).toContain('| no scope | `loans:notes` |')
  })

  test('a scope that is no longer needed stays needed in the older version', () => {
    const contracts = published(library(undefined, [], scoped))
    const { model, refusals } = checked(library(undefined, [[]]), contracts)
    expect(refusals).toEqual([])
    const needed = model.versions.map((one) => one.viewOf.get('loans')?.field.get('note')?.needsScopes)
    expect(needed).toEqual([[], ['loans:notes']])
    expect(model.resources.get('loans')?.asks).toEqual(['loans:notes'])
  })
})
