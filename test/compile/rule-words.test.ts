import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { effective } from '../../src/compile/rules/checked-rule.ts'
import { ruleWords } from '../../src/compile/rules/words.ts'
import {
  allOf,
  anyOf,
  api,
  belongsTo,
  type Condition,
  changeType,
  mapValues,
  not,
  now,
  renameField,
  renameRelation,
  resource,
  states,
  version,
} from '../../src/index.ts'

const branches = resource('branches', { fields: { city: z.string() } })
const copies = resource('copies', {
  fields: { shelf: z.string() },
  relations: { branch: belongsTo(branches) },
})

/** A resource with the rule, in v2 and, under other names and values, in v1. */
const wordsOf = (rule: (of: Given) => Condition, name: 'v1' | 'v2' = 'v2'): string | null => {
  const loans = resource('loans', {
    fields: {
      member_id: z.string(),
      status: states('reserved', { reserved: ['active'], active: ['returned'] }),
      due_at: z.iso.datetime().optional(),
      fee: z.int(),
    },
    relations: { copy: belongsTo(copies) },
    rules: { read: rule as never },
  })
  const changes = [
    renameField('loans', 'person', 'member_id'),
    mapValues('loans', 'status', { open: 'reserved' }),
    changeType('loans', 'fee', { was: z.string(), codec: 'cents-as-decimal-string' }),
    renameRelation('loans', 'volume', 'copy'),
    renameField('branches', 'town', 'city'),
  ]
  const model = compileApi(
    api('words', {
      resources: [branches, copies, loans],
      scopes: { 'loans:all': 'See every loan.', 'loans:none': 'Nothing.' },
      versions: [version('v2'), version('v1', { changes })],
    }),
  )
  const view = model.versions.find((one) => one.name === name)?.viewOf.get('loans')
  return view ? ruleWords(view, 'read') : null
}

// biome-ignore lint/suspicious/noExplicitAny: what the types of rules allow is tested with them
type Given = { readonly row: any; readonly caller: any }

describe('a rule in words', () => {
  test.each<[string, (of: Given) => Condition]>([
    ['the caller has the scope `loans:all`', ({ caller }) => caller.has('loans:all')],
    ['the caller lacks the scope `loans:all`', ({ caller }) => not(caller.has('loans:all'))],
    [
      '`member_id` is the claim `member.id`',
      ({ row, caller }) => row.member_id.is(caller.claim('member.id')),
    ],
    [
      '`member_id` is not the subject of the caller',
      ({ row, caller }) => not(row.member_id.is(caller.subject)),
    ],
    ['`member_id` is the consumer of the caller', ({ row, caller }) => row.member_id.is(caller.consumer)],
    ['`due_at` is greater than the present time', ({ row }) => row.due_at.gt(now())],
    ['`due_at` is at most the present time', ({ row }) => not(row.due_at.gt(now()))],
    ['`fee` is less than `500`', ({ row }) => row.fee.lt(500)],
    ['`fee` is at least `500`', ({ row }) => row.fee.gte(500)],
    ['`status` is one of `"active"`, `"reserved"`', ({ row }) => row.status.in(['reserved', 'active'])],
    ['`status` is none of `"active"`, `"reserved"`', ({ row }) => not(row.status.in(['active', 'reserved']))],
    ['`due_at` is null', ({ row }) => row.due_at.isNull()],
    ['`due_at` is not null', ({ row }) => not(row.due_at.isNull())],
    [
      '`copy.branch.city` is in the claim `cities`',
      ({ row, caller }) => caller.claim('cities').includes(row.copy.branch.city),
    ],
    ['`"admin"` is not in the claim `roles`', ({ caller }) => not(caller.claim('roles').includes('admin'))],
    [
      '(`fee` is `1` and the caller has the scope `loans:all`) or `fee` is `2` or `fee` is `3`',
      ({ row, caller }) =>
        anyOf(row.fee.is(3), anyOf(row.fee.is(2), allOf(caller.has('loans:all'), row.fee.is(1)))),
    ],
  ])('%s', (words, rule) => {
    expect(wordsOf(rule)).toBe(words)
  })

  test('is the same for rules of the same meaning by form', () => {
    const one = ({ row, caller }: Given) => not(anyOf(row.fee.is(1), caller.has('loans:all')))
    const other = ({ row, caller }: Given) => allOf(not(caller.has('loans:all')), row.fee.isNot(1))
    expect(wordsOf(one)).toBe(wordsOf(other))
  })

  test('has the names and the values of an older version', () => {
    const rule = ({ row }: Given) =>
      allOf(row.member_id.is('x'), row.status.is('reserved'), row.fee.is(250), row.copy.branch.city.is('Ulm'))
    expect(wordsOf(rule, 'v1')).toBe(
      '`fee` is `"2.50"` and `person` is `"x"` and `status` is `"open"` and `volume.branch.town` is `"Ulm"`',
    )
  })

  test('the rule that decides is its own, or the one in its place', () => {
    const rules = { read: 'r', update: 'u' }
    expect(['read', 'create', 'update', 'delete'].map((kind) => effective(rules, kind as never))).toEqual([
      'r',
      'r',
      'u',
      'u',
    ])
    expect(effective({ create: 'c' }, 'delete')).toBeNull()
  })
})
