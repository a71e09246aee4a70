import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { unindexedRules } from '../../src/compile/rules/rule-indexes.ts'
import { api } from '../../src/declare/api.ts'
import { allOf, anyOf, type Condition, not } from '../../src/declare/condition.ts'
import { belongsTo } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import type { CallerTerms, RowTerms } from '../../src/declare/rule.ts'

const groups = resource('groups', { fields: { code: z.string().max(20) } })
const fields = {
  owner: z.string().max(50),
  level: z.int(),
  tag: z.string().max(50).optional(),
  meta: z.object({ a: z.int() }).optional(),
}
const relations = { group: belongsTo(groups) }
type Terms = { readonly row: RowTerms<typeof fields, typeof relations>; readonly caller: CallerTerms }

/** The fields that are indexed for a rule, and those that it asks for in vain. */
const indexesOf = (read: (of: Terms) => Condition<'notes:all'>) => {
  const notes = resource('notes', { fields, relations, rules: { read } })
  const model = compileApi(api('notes', { resources: [groups, notes], scopes: { 'notes:all': 'See all.' } }))
  const indexed = model.resources
    .get('notes')
    ?.indexes.flat()
    .filter((name) => name !== 'group_id')
  return {
    indexed,
    unserved: unindexedRules(model).map((text) => /row\.([\w.]+)/.exec(text)?.[1] ?? 'the caller alone'),
  }
}

test.each<[string, (of: Terms) => Condition<'notes:all'>, readonly string[]]>([
  ['is', ({ row, caller }) => row.owner.is(caller.subject), ['owner']],
  ['in', ({ row }) => row.level.in([1, 2]), ['level']],
  ['gte', ({ row, caller }) => row.level.gte(caller.claim('level')), ['level']],
  ['includes', ({ row, caller }) => caller.claim('owners').includes(row.owner), ['owner']],
  ['isNull', ({ row }) => row.tag.isNull(), ['tag']],
  ['not', ({ row }) => not(row.level.gt(3)), ['level']],
  ['an id', ({ row, caller }) => row.id.is(caller.claim('id')), []],
  ['a reference', ({ row, caller }) => row.group_id.is(caller.claim('group')), []],
  ['a scope', ({ caller }) => caller.has('notes:all'), []],
  [
    'alternatives that are all indexed',
    ({ row, caller }) => anyOf(caller.has('notes:all'), row.owner.is(caller.subject), row.level.is(0)),
    ['owner', 'level'],
  ],
  [
    'conditions of which one is indexed',
    ({ row, caller }) => allOf(row.owner.is(caller.subject), row.group.code.is(caller.claim('code'))),
    ['owner'],
  ],
])('the field that a rule asks for by %s gets an index', (_, read, indexed) => {
  expect(indexesOf(read)).toEqual({ indexed, unserved: [] })
})

test.each<[string, (of: Terms) => Condition<'notes:all'>, readonly string[]]>([
  ['a relation', ({ row, caller }) => row.group.code.is(caller.claim('code')), ['group.code']],
  ['isNot', ({ row, caller }) => row.owner.isNot(caller.subject), ['owner']],
  ['another field', ({ row }) => row.owner.is(row.tag), ['owner']],
  ['an object', ({ row }) => row.meta.isNull(), ['meta']],
  [
    'a relation in an alternative',
    ({ row, caller }) => anyOf(row.owner.is(caller.subject), row.group.code.is(caller.claim('code'))),
    ['group.code'],
  ],
  [
    'a relation for callers with a scope',
    ({ row, caller }) => allOf(caller.has('notes:all'), row.group.code.is(caller.claim('code'))),
    ['group.code'],
  ],
  [
    'a claim alone in an alternative',
    ({ row, caller }) => anyOf(caller.claim('role').is('clerk'), row.owner.is(caller.subject)),
    ['the caller alone'],
  ],
])('a rule that asks by %s is warned of: no index serves it', (_, read, unserved) => {
  expect(indexesOf(read).unserved).toEqual(unserved)
})
