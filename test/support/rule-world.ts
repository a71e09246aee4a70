import fc from 'fast-check'
import { z } from 'zod'
import { type ApiDeclaration, api } from '../../src/declare/api.ts'
import type { RuleData } from '../../src/declare/condition.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import type { RuleKind } from '../../src/declare/rule.ts'
import { decimal } from '../../src/kinds/decimal-field.ts'
import { declaredRule, domain, type Reach, randomRule, ruleScopes } from './random-rules.ts'
import type { RuleKindOfValue } from './rule-model.ts'

export type Ruled = 'shelves' | 'boxes' | 'items'
export type Rules = { readonly [R in Ruled]: { readonly [K in RuleKind]?: RuleData } }

/** Every field may be null. */
export const kindsOfFields: { readonly [field: string]: RuleKindOfValue } = {
  count: 'integer',
  ratio: 'number',
  word: 'string',
  flag: 'boolean',
  day: 'date',
  at: 'datetime',
  price: 'decimal',
  colour: 'enum',
}

const fields = {
  count: z.int().optional(),
  ratio: z.number().optional(),
  word: z.string().max(10).optional(),
  flag: z.boolean().optional(),
  day: z.iso.date().optional(),
  at: z.iso.datetime().optional(),
  price: decimal({ scale: 1 }).optional(),
  colour: z.enum(['red', 'green', 'blue']).optional(),
}

/** To-one relations, by resource. */
export const toOne: { readonly [resource: string]: { readonly [relation: string]: string } } = {
  groups: {},
  shelves: { group: 'groups' },
  boxes: { shelf: 'shelves' },
  items: { box: 'boxes', twin: 'items' },
}
/** To-many relations, by resource: the target, and its to-one that leads back. */
export const toMany: {
  readonly [resource: string]: { readonly [relation: string]: readonly [target: Ruled, by: string] }
} = {
  groups: {},
  shelves: { boxes: ['boxes', 'shelf'] },
  boxes: { items: ['items', 'box'] },
  items: {},
}
export const includes = {
  shelves: ['boxes', 'boxes.items', 'group'],
  boxes: ['items', 'items.twin', 'shelf', 'shelf.group'],
  items: ['box', 'box.shelf', 'twin', 'twin.box'],
} as const satisfies { readonly [R in Ruled]: readonly string[] }
/** The most rows of a to-many include. */
export const cap = 2

/** An API whose rules are these, or that has none. Its tables are always the same. */
export function ruledApi(rules: Rules | null): ApiDeclaration {
  const rulesOf = (name: Ruled) => ({
    rules: Object.fromEntries(
      Object.entries(rules?.[name] ?? {}).map(([kind, rule]) => [kind, declaredRule(rule)]),
    ),
  })
  const optional = { optional: true } as const
  const queried = Object.keys(fields) as (keyof typeof fields)[]
  const common = { fields, sort: [...queried, 'created_at' as const], bulk: true }
  const groups = resource('groups', { fields, shared: true })
  const shelves = resource('shelves', {
    ...common,
    relations: { group: belongsTo('groups', optional), boxes: hasMany('boxes', { cap }) },
    filter: [...queried, 'group_id'],
    include: includes.shelves,
    ...rulesOf('shelves'),
  })
  const boxes = resource('boxes', {
    ...common,
    relations: { shelf: belongsTo('shelves', optional), items: hasMany('items', { cap, by: 'box' }) },
    filter: [...queried, 'shelf_id'],
    include: includes.boxes,
    ...rulesOf('boxes'),
  })
  const items = resource('items', {
    ...common,
    relations: { box: belongsTo('boxes', optional), twin: belongsTo('items', optional) },
    filter: [...queried, 'box_id', 'twin_id'],
    include: includes.items,
    ...rulesOf('items'),
  })
  const scopes = Object.fromEntries(ruleScopes.map((scope) => [scope, 'See more.']))
  return api('ruled', { resources: [groups, shelves, boxes, items], scopes })
}

/** Every field that a rule of the resource can name, up to two relations away. */
function reachOf(from: string, path: readonly string[] = []): readonly Reach[] {
  const relations = Object.entries(toOne[from] ?? {})
  const own = [
    ...Object.entries(kindsOfFields),
    ...relations.map(([name]) => [`${name}_id`, 'id'] as const),
  ].map(([field, kind]): Reach => ({ path, field, kind }))
  if (path.length === 2) return own
  return [...own, ...relations.flatMap(([name, target]) => reachOf(target, [...path, name]))]
}

const rulesFor = (name: Ruled): fc.Arbitrary<Rules[Ruled]> => {
  const rule = randomRule(reachOf(name))
  const sometimes = fc.option(rule, { freq: 2, nil: undefined })
  return fc
    .record({
      read: fc.option(rule, { freq: 6, nil: undefined }),
      create: sometimes,
      update: sometimes,
      delete: sometimes,
    })
    .map((kinds) => Object.fromEntries(Object.entries(kinds).filter(([, one]) => one !== undefined)))
}

export const randomRules: fc.Arbitrary<Rules> = fc.record({
  shelves: rulesFor('shelves'),
  boxes: rulesFor('boxes'),
  items: rulesFor('items'),
})

export type Values = { readonly [field: string]: unknown }

export const randomValues: fc.Arbitrary<Values> = fc.record(
  Object.fromEntries(
    Object.entries(kindsOfFields).map(([name, kind]) => [
      name,
      fc.option(fc.constantFrom<unknown>(...domain[kind]), { freq: 4 }),
    ]),
  ),
)
