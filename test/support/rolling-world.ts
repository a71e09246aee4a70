import { z } from 'zod'
import { changeKinds } from '../../src/compile/change-kinds/change-kinds.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { type ApiDeclaration, api } from '../../src/declare/api.ts'
import * as change from '../../src/declare/change.ts'
import * as field from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'

/** Kinds of changes that convert what is stored, so that older processes must have ended: `mapValues` only where it joins two values. */
const needStop: ReadonlySet<change.Change['kind']> = new Set(['change-type', 'custom'])

/** Every kind of change that needs no stop, and additions. The list is that of the engine, so that a new kind cannot be left out. */
export const edits: readonly string[] = [
  ...Object.keys(changeKinds).filter((kind) => !needStop.has(kind as change.Change['kind'])),
  'add-field',
  'add-resource',
  'add-sort',
]

/** The words in which a version speaks of the world's rows. */
export interface Words {
  readonly clients: string
  readonly name: string
  readonly low: string
  readonly client: string
}
export const olderWords: Words = { clients: 'clients', name: 'full_name', low: 'low', client: 'client' }

export const wordsOf = (made: ReadonlySet<string>): Words => ({
  clients: made.has('rename-resource') ? 'customers' : 'clients',
  name: made.has('rename-field') ? 'name' : 'full_name',
  low: made.has('map-values') ? 'basic' : 'low',
  client: made.has('rename-relation') ? 'buyer' : 'client',
})

/** What a version shows where a row has no value. */
export const whenAbsent = { code: 'none', currency: 'EUR', phone: 'unknown' } as const

/** The declaration before any edit; v1 is published. */
export const olderWorld = (): ApiDeclaration =>
  worldWith(new Set(), [version('v1', { published: '2025-01-01' })])

/** The contract with which v1 was published. */
export function contractsOfWorld(): ReadonlyMap<string, unknown> {
  const model = compileApi(olderWorld())
  return new Map([['v1', contractOf(model, model.head)]])
}

/** The declaration after these edits, with v1 as it was published. */
export const newerWorld = (made: ReadonlySet<string>): ApiDeclaration =>
  worldWith(made, [version('v2'), version('v1', { published: '2025-01-01', changes: changesOf(made) })])

function worldWith(
  made: ReadonlySet<string>,
  versions: readonly ReturnType<typeof version>[],
): ApiDeclaration {
  const visits = resource('visits', { fields: { place: z.string() } })
  return api('world', {
    events: { keepDays: 1 },
    scopes: { 'hints:see': 'See hints', 'orders:place': 'Place orders' },
    resources: [clientsOf(made), ordersOf(made), ...(made.has('add-resource') ? [visits] : [])],
    versions,
  } as never)
}

const clientsOf = (made: ReadonlySet<string>) => {
  const { clients, name, low } = wordsOf(made)
  const without = <T>(edit: string, ...values: T[]): T[] => (made.has(edit) ? [] : values)
  const hidden = z.string().default('x')
  return resource(clients, {
    fields: {
      [name]: z.string().max(60),
      grade: z.enum([low, 'high', ...(made.has('map-values') ? ['gold'] : [])]).default(low),
      ...(!made.has('remove-field') && { code: z.string().max(20) }),
      ...(made.has('add-required-field') && { currency: z.string().max(3) }),
      phone: made.has('make-required') ? z.string().max(20) : z.string().max(20).optional(),
      note: z.string().default(made.has('change-default') ? 'b' : 'a'),
      hint: made.has('change-field-scope') ? field.needsScope('hints:see', hidden) : hidden,
      ...(made.has('add-field') && { extra: z.int().optional() }),
    },
    relations: { orders: hasMany('orders') },
    filter: [
      'grade',
      'phone',
      ...without('remove-filter', 'note'),
      ...(made.has('add-required-field') ? ['currency'] : []),
    ],
    sort: [name, 'phone', ...without('remove-sort', 'note'), ...(made.has('add-sort') ? ['grade'] : [])],
    include: without('remove-include', 'orders'),
    search: [name, ...without('remove-search', 'note')],
    ...(!made.has('remove-count') && { count: true }),
    ...(!made.has('remove-bulk') && { bulk: true }),
    limits: { pageMax: made.has('change-limit') ? 40 : 50 },
  } as never)
}

/** Every row passes the rule, so that answers stay the same where the older declaration has none. */
const seesOrders = ({
  row,
}: {
  readonly row: { readonly status: { in(values: readonly string[]): unknown } }
}) => row.status.in(['open', 'paid'])

const ordersOf = (made: ReadonlySet<string>) => {
  const { clients, client } = wordsOf(made)
  return resource('orders', {
    fields: { status: field.states('open', { open: ['paid'] }) },
    relations: { [client]: belongsTo(clients) },
    filter: ['status', `${client}_id`],
    include: [client],
    ...(made.has('change-rule') && { rules: { read: seesOrders } }),
    ...(made.has('require-idempotency-key') && { idempotencyKey: 'required' }),
    ...(made.has('require-scope') && { scopes: { POST: 'orders:place' } }),
    ...(made.has('remove-method') && { methods: ['GET', 'POST', 'PATCH'] }),
  } as never)
}

function changesOf(made: ReadonlySet<string>): readonly change.Change[] {
  const { clients } = wordsOf(made)
  const why = 'It was decided.'
  const all: { readonly [kind: string]: readonly change.Change[] } = {
    'rename-resource': [change.renameResource('clients', 'customers')],
    'rename-field': [change.renameField(clients, 'full_name', 'name')],
    'rename-relation': [change.renameRelation('orders', 'client', 'buyer')],
    'map-values': [
      change.mapValues(clients, 'grade', { low: 'basic' }, { onlyInNewer: { gold: 'high' }, why }),
    ],
    'remove-field': [
      change.removeField(clients, 'code', { was: z.string().max(20), whenAbsent: whenAbsent.code, why }),
    ],
    'add-required-field': [change.addRequiredField(clients, 'currency', { whenAbsent: whenAbsent.currency })],
    'make-required': [change.makeRequired(clients, 'phone', { whenAbsent: whenAbsent.phone, why })],
    'remove-include': [change.removeInclude(clients, 'orders', { why })],
    'remove-filter': [change.removeFilter(clients, 'note', { why })],
    'remove-sort': [change.removeSort(clients, 'note', { why })],
    'remove-search': [change.removeSearch(clients, 'note', { why })],
    'remove-count': [change.removeCount(clients, { why })],
    'remove-bulk': [change.removeBulk(clients, { why })],
    'change-limit': [change.changeLimit(clients, 'pageMax', { was: 50 })],
    'require-idempotency-key': [change.requireIdempotencyKey('orders')],
    'require-scope': [change.requireScope('orders', 'POST', { was: 'orders:write' })],
    'remove-method': [
      change.removeMethod('orders', 'DELETE', { why }),
      change.removeMethod('orders', 'PUT', { why }),
    ],
    'change-default': [change.changeDefault(clients, 'note', { was: 'a' })],
    'change-rule': [change.changeRule('orders', 'read', { why })],
    'change-field-scope': [change.changeFieldScope(clients, 'hint', { why })],
  }
  return Object.keys(all)
    .filter((kind) => made.has(kind))
    .flatMap((kind) => all[kind] ?? [])
}
