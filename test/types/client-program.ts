import { root } from './typed-folder.ts'

/** A declaration with all that the types of a client depend on. */
export const declaration = `
import { anyOf, api, belongsTo, decimal, hasMany, immutable, needsScope, open, readOnly, resource, states, sum, version, writeOnly } from 'nounkit'
import { z } from 'zod'

const countries = resource('countries', {
  fields: { code: z.string(), name: z.string() },
  shared: true, filter: ['code'], sort: ['name'], methods: ['GET'],
})
const people = resource('people', {
  fields: {
    name: z.string(), email: z.email(), nick: z.string().optional(), born: z.iso.date().nullable(),
    seen_at: z.iso.datetime().optional(), password: writeOnly(z.string()), risk: readOnly(z.int().optional()),
    plan: open(z.enum(['free', 'paid'])), notes: needsScope('people:notes', z.string().max(99).optional()),
    address: z.object({ street: z.string(), city: z.string().optional() }).optional(), tags: z.array(z.string()).default([]),
  },
  relations: { country: belongsTo(countries), referrer: belongsTo('people', { optional: true }), orders: hasMany('orders') },
  nameIsPluralBecause: 'people',
  filter: ['name', 'born', 'seen_at', 'country_id', 'referrer_id', 'plan', 'created_at'], sort: ['name'], count: true, bulk: true,
  include: ['country', 'referrer', 'orders', 'orders.items', 'orders.items.product'],
})
const secrets = resource('secrets', {
  fields: { text: z.string() }, audit: false, include: [], methods: ['GET', 'POST'],
  rules: { read: ({ row, caller }) => anyOf(row.id.is(caller.claim('x'))) },
})
const products = resource('products', { fields: { title: z.string(), price: decimal({ scale: 2 }) }, filter: ['price'], sort: ['price'] })
const orders = resource('orders', {
  fields: {
    code: immutable(z.string()), status: states('draft', { draft: ['placed'], placed: ['paid'] }),
    total: sum<string>('items', ['price', 'quantity']), express: z.boolean().default(false),
  },
  relations: { person: belongsTo(people), secret: belongsTo(secrets), items: hasMany('order-items') },
  include: ['items', 'items.product'],
  filter: ['status', 'express', 'total'], sort: ['total', 'created_at'],
})
const orderItems = resource('order-items', {
  fields: { price: decimal({ scale: 2 }), quantity: z.int() },
  relations: { order: belongsTo(orders), product: belongsTo(products) },
  owner: 'order', include: ['order', 'order.person', 'order.secret', 'product'], problems: { 'sold-out': { status: 409, title: 'Sold out' } }, hooks: { beforeDelete() {} },
})

const personTotals = resource('person-totals', { totals: { of: 'people', by: ['plan', 'country_id', 'born', 'notes'], sums: ['risk'] } })
const orderTotals = resource('order-totals', { totals: { of: 'orders', by: ['status'], sums: ['total'] } })
const itemTotals = resource('item-totals', { totals: { of: 'order-items', by: ['product_id'] } })

export default api('trade', {
  resources: [countries, people, secrets, products, orders, orderItems, personTotals, orderTotals, itemTotals],
  versions: [version('v2'), version('v1')],
  scopes: { 'people:notes': 'See notes.' }, events: { keepDays: 3 }, audit: true, limits: { includeDepth: 3 },
})
`

/** A program of a consumer. \`//!\` marks a line that must be a mistake. */
export const program = `
import { api as declare, resource } from 'nounkit'
import { type Client, client, isProblem, type Row, verifyWebhook } from 'nounkit/client'
import type trade from './api.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Same<A, B>): void => {}

const api: Client<typeof trade> = client<typeof trade>({ url: '', version: 'v2', token: async () => 'x' })
client<typeof trade>({ url: '', version: 'v1' }) //!
client<typeof trade>({ key: '' }) //!

// What was not included is not there, to three levels.
const bare = await api.people.get('1')
same<typeof bare.nick, string | null>(true)
same<typeof bare.born, string | null>(true)
same<typeof bare.seen_at, string | null>(true)
same<typeof bare.country_id, string>(true)
same<typeof bare.referrer_id, string | null>(true)
same<typeof bare.notes, string | null | undefined>(true)
same<typeof bare.tags, string[]>(true)
same<typeof bare.address, { street: string; city?: string | undefined } | null>(true)
same<'notes' extends keyof typeof bare ? true : false, true>(true)
bare satisfies Row<typeof trade, 'people'>
bare.password //!
bare.country //!
bare.orders //!
const other: 'free' | 'paid' = bare.plan //!
if (bare.plan === 'free') bare.plan satisfies string

const deep = await api.people.get('1', { include: ['country', 'referrer', 'orders.items.product'] })
deep.country.name satisfies string
same<typeof deep.referrer, null | typeof bare>(true)
deep.referrer.name //!
const [order] = deep.orders.data
order?.total satisfies string | undefined
order?.items.data[0]?.product.price satisfies string | undefined
deep.orders.page.next satisfies string | null
deep.orders.items //!
order?.person //!
order?.items.data[0]?.order //!
deep.country.people //!
const two = await api.people.get('1', { include: ['orders.items'] })
two.orders.data[0]?.items.page.has_more
two.orders.data[0]?.items.data[0]?.product //!
const item = await api.orders.at('1').items.get('1', { include: ['order.secret', 'product'] })
item.order.status satisfies 'draft' | 'placed' | 'paid'
// A rule can hide it.
same<typeof item.order.secret, { id: string; text: string; created_at: string; updated_at: string } | null>(true)
item.order.secret.text //!
item.order.person //!
await api.orders.at('1').items.get('1', { include: ['order.persn'] }) //!

// What may be included, or may not, is optional.
const paths: ('country' | 'orders')[] = []
const maybe = await api.people.get('1', { include: paths })
maybe.country?.name
maybe.country.name //!
const either = await api.people.get('1', { include: ['referrer', Math.random() > 0.5 ? 'country' : 'orders'] })
either.referrer?.name
either.orders?.data
either.orders.data //!

// Lists.
const page = await api.people.list({ filter: { name: { in: ['a'] }, referrer_id: null, created_at: { gte: new Date() } }, sort: ['-name', 'id'] })
page.data[0]?.name
page.name //!
page.page.next_cursor satisfies string | null
page.page.total //!
const counted = await api.people.list({ count: true })
counted.page.total satisfies number
await api.orders.list({ count: true }) //!
for await (const person of api.people.list({ include: ['country'] })) person.country.code
await api.people.list({ filter: { nick: 'x' } }) //!
await api.people.list({ filter: { name: null } }) //!
await api.people.list({ filter: { country_id: { gt: 'x' } } }) //!
await api.people.list({ filter: { seen_at: new Date(), born: '2026-01-01' } })
await api.people.list({ filter: { born: new Date() } }) //!
await api.orders.list({ filter: { status: 'lost' } }) //!
await api.orders.list({ filter: { status: { ne: 'paid' }, express: true, total: { gt: '5.00' } } })
await api.orders.list({ filter: { total: { gt: 5 } } }) //!
await api.orders.list({ sort: ['status'] }) //!

// Writes.
const person = { name: 'a', email: 'b', born: null, password: 'c', plan: 'free', country_id: '1' } as const
await api.people.create(person)
await api.people.list({ filter: { name: 'a', or: [{ plan: 'free' }, { born: null, name: { ne: 'b' } }] } })
await api.people.list({ filter: { or: [{ plan: 'lost' }] } }) //!
const many = await api.people.createMany([person, person], { idempotencyKey: 'k' })
many[0]?.name satisfies string | undefined
await api.people.createMany([{ name: 'a' }]) //!
await api.orders.createMany([]) //!
await api.people.create({ ...person, nick: null, tags: null, address: { street: 'x' }, referrer_id: null, notes: 'x' })
await api.people.create({ ...person, plan: 'gold' }) //!
await api.people.create({ ...person, risk: 3 } satisfies Parameters<typeof api.people.create>[0]) //!
await api.people.create({ name: 'a' }) //!
const made = await api.orders.create({ code: 'x', person_id: '1', secret_id: '2' }, { idempotencyKey: 'k' })
made.person //!
await api.orders.create({ code: 'x', person_id: '1', secret_id: '2', status: 'draft' })
await api.orders.create({ code: 'x', person_id: '1', secret_id: '2', status: 'paid' }) //!
await api.orders.create({ code: 'x', person_id: '1', secret_id: '2', total: '3' }) //!
await api.orders.update(made, { status: 'placed', express: null })
await api.orders.update(made, { code: 'y' }) //!
await api.orders.update(made, { total: '1' }) //!
await api.orders.update(made, { person_id: null }) //!
await api.people.update('1', { address: { street: 'x' }, referrer_id: null, nick: null })
await api.people.update('1', { name: null }) //!
await api.orders.replace(made, { ...made, express: true })
await api.orders.replace(made.id, { person_id: '1' }) //!
await api.products.update(3, { title: 'x' }) //!
await api.secrets.create({ text: 'x' })
await api.secrets.delete('x') //!
await api.countries.create({ code: 'x', name: 'y' }) //!

// Collections.
await api.orders.at(made).items.create({ product_id: '1', price: '1.00', quantity: 1 })
await api.orderItems.create({ product_id: '1', price: '1.00', quantity: 1, order_id: '2' }) //!
await api.orders.at(made).items.create({ product_id: '1', price: 1, quantity: 1 }) //!
await api.people.at('1').orders.list()
await api.people.at('1').countries //!
await api.products.at('1') //!
await api['order-items'].list() //!

// Totals.
const groups = await api.personTotals.list({ by: ['plan', 'born'], filter: { 'name': 'x', or: [{ plan: 'free' }] }, sort: ['-count', 'plan'], limit: 5 })
same<keyof (typeof groups.data)[number], 'plan' | 'born' | 'count' | 'risk'>(true)
for (const group of groups.data) {
  group.count satisfies number
  group.risk satisfies number
  same<typeof group.born, string | null>(true)
  group.country_id //!
}
const byNotes = await api.personTotals.list({ by: ['notes'] })
same<(typeof byNotes.data)[number]['notes'], string | null>(true)
const whole = await api.orderTotals.list()
same<(typeof whole.data)[number], { count: number; total: string }>(true)
for await (const group of api.itemTotals.list({ by: ['product_id'] })) same<typeof group, { count: number; product_id: string }>(true)
const some: ('plan' | 'born')[] = []
const perhaps = (await api.personTotals.list({ by: some })).data[0]
perhaps?.born satisfies string | null | undefined
if (perhaps) perhaps.born satisfies string | null //!
perhaps?.country_id //!
await api.orderTotals.list({ by: ['total'] }) //!
await api.orderTotals.list({ by: ['status'], sort: ['id'] }) //!
await api.orderTotals.list({ filter: { stauts: 'draft' } }) //!
await api.orderTotals.list({ include: ['items'] }) //!
await api.orderTotals.get('1') //!
await api.orderTotals.create({}) //!

// Events and problems.
for await (const event of api.events.follow({ filter: { type: 'orders.created' }, from: 'x' })) {
  event.cursor satisfies string
  if (event.type === 'orders.updated') event.data.total satisfies string
  if (event.type === 'orders.updated') event.changed satisfies string[]
  if (event.type === 'orders.created') event.data.name //!
  if (event.type === 'countries.created') break //!
}
await api.events.follow({ filter: { type: 'orders.made' } }) //!
const event = await verifyWebhook<typeof trade>('', new Headers(), '')
if (event.type === 'people.deleted') event.data.name satisfies string
await api.webhookEndpoints.create({ url: '', event_types: ['*'] })
const entries = await api.auditEntries.list({ filter: { resource: 'people', action: { in: ['created', 'deleted'] }, created_at: { gte: new Date() } }, sort: ['id'] })
entries.data[0]?.before satisfies { [name: string]: unknown } | null | undefined
await api.auditEntries.get('1').then(({ changed }) => changed satisfies string[] | null)
await api.auditEntries.list({ filter: { resource: 'secrets' } }) //!
await api.auditEntries.list({ sort: ['action'] }) //!
await api.auditEntries.delete('1') //!
// A resource can have an audit without the API.
const logs = declare('logs', { resources: [resource('logs', { fields: {}, audit: true }), resource('notes', { fields: {} })], events: { keepDays: 1 } })
await client<typeof logs>({ url: '' }).auditEntries.list({ filter: { resource: 'logs' } })
await client<typeof logs>({ url: '' }).auditEntries.list({ filter: { resource: 'notes' } }) //!
const plain = declare('plain', { resources: [resource('notes', { fields: {} })], events: { keepDays: 1 } })
client<typeof plain>({ url: '' }).auditEntries //!
try {
} catch (error) {
  if (isProblem(error, 'still-referenced')) error.body.referenced_by satisfies readonly string[]
  if (isProblem<typeof trade>(error, 'sold-out')) error.retryAfter satisfies number | null
  isProblem(error, 'sold-out') //!
  isProblem(error, 'unique-conflicts') //!
}
`

/** The types of a generated file are those of the declaration. */
export const agreement = `
import type { ShapeOf } from '${root}/src/client/shape-of.ts'
import type { Shape } from './trade-client.ts'
import type trade from './api.ts'

type Declared = ShapeOf<typeof trade>
type Agrees<A, B> = [A] extends [B] ? ([B] extends [A] ? true : 'the declaration lacks something') : 'the file lacks something'
// Events are typed by what happened, in another place.
type Names = Exclude<keyof Shape['resources'], 'events'>
type Members = keyof Shape['resources'][Names]
const agreed: { [N in Names]: { [M in Members]: Agrees<[Declared['resources'][N][M], keyof Declared['resources'][N][M]], [Shape['resources'][N][M], keyof Shape['resources'][N][M]]> } } = {} as {
  [N in Names]: { [M in Members]: true }
}
const others: [Agrees<Exclude<keyof Declared['resources'], 'events'>, Names>, Agrees<Declared['events'], Shape['events']>, Agrees<Declared['problems'], Shape['problems']>, Agrees<Declared['version'], Shape['version']>] = [true, true, true, true]
`
