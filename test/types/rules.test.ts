import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  allOf,
  anyOf,
  api,
  belongsTo,
  hasMany,
  immutable,
  needsScope,
  not,
  now,
  resource,
  states,
} from '../../src/index.ts'

const branches = resource('branches', { fields: { city: z.string() } })
const copies = resource('copies', {
  fields: { shelf: z.int() },
  relations: { branch: belongsTo(branches) },
})
const fields = {
  title: z.string(),
  days: z.int(),
  lost: z.boolean().optional(),
  tags: z.array(z.string()),
  due_at: z.iso.datetime(),
  status: states('reserved', { reserved: ['active'] }),
}
const relations = { copy: belongsTo(copies), member: belongsTo('members'), fines: hasMany('fines') }

test('a rule knows the fields of its row, and of the rows that it belongs to', () => {
  resource('loans', {
    fields,
    relations,
    rules: {
      read: ({ row, caller }) =>
        anyOf(
          row.member_id.is(caller.claim('member_id')),
          row.copy.branch.city.is(caller.claim('city')),
          row.copy.shelf.lt(row.days),
          // The target is named, not given: what it has is checked when it is compiled.
          row.member.name.is(caller.subject),
          row.member.branch.city.in(['Ulm', caller.claim('city')]),
        ),
      update: ({ row }) =>
        allOf(row.status.in(['reserved', 'active']), row.due_at.gt(now()), row.tags.isNotNull()),
      delete: ({ row, caller }) => not(caller.claim('branches').includes(row.copy.branch_id)),
    },
  })
})

test('misspelt fields, wrong types and operators that a field does not have are refused', () => {
  resource('loans', {
    fields,
    relations,
    rules: {
      read: ({ row, caller }) =>
        anyOf(
          // @ts-expect-error there is no such field
          row.titel.is('a'),
          // @ts-expect-error there is no such field in the target's target
          row.copy.branch.town.is('a'),
          // @ts-expect-error a has-many is no path
          row.fines.amount.is(1),
          // @ts-expect-error a path has at most two relations, and branches has none
          row.copy.branch.country.name.is('a'),
          // @ts-expect-error a text is no number
          row.days.is('3'),
          // @ts-expect-error it is no state
          row.status.is('actve'),
          // @ts-expect-error one of them is no state
          row.status.in(['active', 'actve']),
          // @ts-expect-error a number and a text
          row.days.is(row.title),
          // @ts-expect-error a list cannot be compared
          row.tags.is(['a']),
          // @ts-expect-error null is asked for with isNull
          row.lost.is(null),
          // @ts-expect-error what a claim is not cannot be known
          caller.claim('x').isNull(),
        ),
      // @ts-expect-error it must return a condition
      update: () => 'yes',
      // @ts-expect-error there is no such rule
      write: ({ caller }) => caller.has('loans:all'),
    },
  })
})

test('what JavaScript makes of conditions is refused where types can tell', () => {
  resource('loans', {
    fields,
    rules: {
      // @ts-expect-error a term is no text
      read: ({ row }) => row.title === 'a',
      // @ts-expect-error a term is no number
      create: ({ row }) => row.days < 3,
      // @ts-expect-error a comparison of conditions is a boolean
      update: ({ row, caller }) => row.title.is('a') === caller.has('loans:all'),
      // @ts-expect-error the condition is not returned
      delete: ({ row }) => {
        row.title.is('a')
      },
    },
  })
  resource('loans', {
    fields,
    rules: {
      // @ts-expect-error whether there is a term is a boolean
      read: ({ row }) => Boolean(row.lost),
      // @ts-expect-error nothing is returned where the condition does not hold
      create: ({ row, caller }) => (caller.has('loans:all') ? row.title.is('a') : undefined),
      // @ts-expect-error a term is no condition
      update: ({ row }) => row.lost,
      // @ts-expect-error a promise is no condition
      delete: async ({ row }) => row.title.is('a'),
    },
  })
  resource('loans', { fields, rules: { update: () => true, delete: () => false } })
})

test('a scope that a rule asks for is declared, or one that every resource has', () => {
  const loans = resource('loans', {
    fields: { title: z.string() },
    rules: {
      read: ({ row, caller }) => anyOf(caller.has('loans:all'), row.title.is('a')),
      update: ({ caller }) => caller.has('fines:write'),
      delete: ({ row }) => row.title.is('b'),
    },
  })
  const fines = resource('fines', { fields: { amount: z.int() } })
  expectTypeOf(
    api('a', { resources: [loans, fines], scopes: { 'loans:all': 'See every loan.' } }),
  ).toBeObject()
  // @ts-expect-error "loans:all" is missing in scopes
  api('a', { resources: [loans, fines] })
  // @ts-expect-error "loans:al" is another scope
  api('a', { resources: [loans, fines], scopes: { 'loans:al': 'See every loan.' } })
  // @ts-expect-error there is no resource "fines", so "fines:write" is missing
  api('a', { resources: [loans], scopes: { 'loans:all': 'See every loan.' } })
  // @ts-expect-error a scope has a sentence
  api('a', { resources: [loans, fines], scopes: { 'loans:all': true } })
})

test('a scope that a field needs is declared, or one that every resource has', () => {
  const loans = resource('loans', {
    fields: {
      title: z.string(),
      cost: immutable(needsScope('loans:costs', z.int())),
      state: needsScope('loans:write', states('a', { a: ['b'] })),
    },
    hooks: {
      beforeCreate: (row) => {
        expectTypeOf(row.cost).toEqualTypeOf<number>()
        expectTypeOf(row.state).toEqualTypeOf<'a' | 'b'>()
      },
    },
  })
  expectTypeOf(api('a', { resources: [loans], scopes: { 'loans:costs': 'See costs.' } })).toBeObject()
  // @ts-expect-error "loans:costs" is missing in scopes
  api('a', { resources: [loans] })
  // @ts-expect-error "loans:cost" is another scope
  api('a', { resources: [loans], scopes: { 'loans:cost': 'See costs.' } })
})
