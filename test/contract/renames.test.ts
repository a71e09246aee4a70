import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import type { Contract } from '../../src/compile/contract-format.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { refusalText } from '../../src/contract/gate-refusal.ts'
import { api } from '../../src/declare/api.ts'
import * as change from '../../src/declare/change.ts'
import { states } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'

type Loose = { readonly [option: string]: unknown }
type Resources = readonly ReturnType<typeof resource>[]
type Versions = readonly ReturnType<typeof version>[]
type Contracts = ReadonlyMap<string, Contract>

const v1 = (changes: readonly change.Change[] = []) => version('v1', { published: '2026-01-01', changes })
const compiled = (resources: Resources, versions: Versions, contracts: Contracts = new Map()) =>
  compileApi(api('small', { resources, versions } as never), { contracts })

const frozen = (resources: Resources, versions: Versions = [v1()], contracts?: Contracts): Contracts => {
  const model = compiled(resources, versions, contracts)
  return new Map(model.versions.map((one) => [one.name, contractOf(model, one)]))
}
const refusals = (resources: Resources, versions: Versions, contracts: Contracts) =>
  checkContracts(compiled(resources, versions, contracts), contracts).refusals

const pasted = (lines: readonly string[]): readonly change.Change[] =>
  new Function(...Object.keys(change), 'z', `return [${lines.join('\n')}\n]`)(...Object.values(change), z)

/** The lines that are printed before and after v2 is declared, which are the same, and lift the refusal for good. */
const provenLines = (before: Resources, after: Resources): readonly string[] => {
  const contracts = frozen(before)
  const lines = refusals(after, [v1()], contracts).flatMap((one) => one.lines)
  const declared = refusals(after, [version('v2'), v1()], contracts).flatMap((one) => one.lines)
  expect(declared).toEqual(lines)
  const changes = pasted(lines)
  expect(refusals(after, [version('v2'), v1(changes)], contracts).map(refusalText)).toEqual([])
  // v2 is published now, so v1 must be exactly as it was.
  const both = [version('v2', { published: '2026-02-01' }), v1(changes)]
  const all = new Map([...frozen(after, both, contracts), ...contracts])
  expect(refusals(after, both, all).map(refusalText)).toEqual([])
  return lines
}

const status = states('draft', { draft: ['placed'], placed: ['paid'] })

const payers = (name: string, over: Loose = {}) =>
  resource(name, {
    fields: { name: z.string(), fax: z.string().optional() },
    relations: { orders: hasMany('orders') },
    include: ['orders'],
    filter: ['fax'],
    sort: ['fax'],
    ...over,
  } as never)
const orders = (target: string, relation: string, over: Loose = {}) =>
  resource('orders', {
    fields: { note: z.string().optional(), status },
    relations: { [relation]: belongsTo(target), items: hasMany('items') },
    include: [relation, 'items'],
    filter: [`${relation}_id`, 'status'],
    ...over,
  } as never)
const items = (relation = 'order', over: Loose = {}) =>
  resource('items', {
    fields: { text: z.string() },
    relations: { [relation]: belongsTo('orders') },
    include: [relation],
    ...over,
  } as never)
const shop = [payers('clients'), orders('clients', 'client'), items()]

describe('the line for', () => {
  test('a renamed resource says all of it: paths below it, references and scopes go with it', () => {
    const after = [payers('customers'), orders('customers', 'client'), items()]
    expect(provenLines(shop, after)).toEqual(["renameResource('clients', 'customers'),"])
  })

  test('a renamed relation says all of it: its id, includes and filters go with it', () => {
    const after = [payers('clients'), orders('clients', 'payer'), items()]
    expect(provenLines(shop, after)).toEqual(["renameRelation('orders', 'client', 'payer'),"])
  })

  test('a renamed to-many relation says its sub-collection too', () => {
    const after = [
      payers('clients', { relations: { purchases: hasMany('orders') }, include: ['purchases'] }),
      ...shop.slice(1),
    ]
    expect(provenLines(shop, after)).toEqual(["renameRelation('clients', 'orders', 'purchases'),"])
  })

  test('a renamed optional field keeps where its values live', () => {
    const telefax = { fields: { name: z.string(), telefax: z.string().optional() } }
    const after = [
      payers('clients', { ...telefax, filter: ['telefax'], sort: ['telefax'] }),
      ...shop.slice(1),
    ]
    expect(provenLines(shop, after)).toEqual(["renameField('clients', 'fax', 'telefax'),"])
  })

  test('several renames at once, with a filter that is gone from one of them', () => {
    const fields = { note: z.string().optional(), state: status }
    const after = [
      payers('customers'),
      orders('customers', 'payer', { fields, filter: ['payer_id'], include: ['payer'] }),
      items('purchase'),
    ]
    expect(provenLines(shop, after)).toEqual([
      "renameResource('clients', 'customers'),",
      "renameRelation('orders', 'client', 'payer'),",
      "renameRelation('items', 'order', 'purchase'),",
      "renameField('orders', 'status', 'state'),",
      "removeInclude('orders', 'items'),",
      "removeFilter('orders', 'state'),",
    ])
  })

  test('a resource whose fields were renamed along with it', () => {
    const fields = { name: z.string(), telefax: z.string().optional() }
    const after = [
      payers('customers', { fields, filter: ['telefax'], sort: ['telefax'] }),
      orders('customers', 'payer'),
      items(),
    ]
    expect(provenLines(shop, after)).toEqual([
      "renameResource('clients', 'customers'),",
      "renameRelation('orders', 'client', 'payer'),",
      "renameField('customers', 'fax', 'telefax'),",
    ])
  })

  test('an include path that is gone uses the newer names of its steps', () => {
    const before = [...shop.slice(0, 2), items('order', { include: ['order', 'order.client'] })]
    const after = [payers('clients'), orders('clients', 'payer'), items()]
    expect(provenLines(before, after)).toEqual([
      "renameRelation('orders', 'client', 'payer'),",
      "removeInclude('items', 'order.payer'),",
    ])
  })
})

describe('a rule of state in other words is no difference of its own', () => {
  const rule = (field: string, values: readonly string[]) => ({ deleteOnlyWhile: { [field]: values } })
  const inStates = (draft: string, placed: string) =>
    states(draft, { [draft]: [placed], [placed]: ['paid'] } as never)
  const one = (name: string, field: unknown, more: Loose) => [
    resource('orders', { fields: { [name]: field }, ...more } as never),
  ]
  const before = one('status', status, rule('status', ['draft', 'placed']))

  test('where a value was renamed', () => {
    const after = one('status', inStates('draft', 'sent'), rule('status', ['draft', 'sent']))
    expect(provenLines(before, after)).toEqual(["mapValues('orders', 'status', { placed: 'sent' }),"])
  })

  test('where the first state was renamed', () => {
    const after = one('status', inStates('new', 'placed'), rule('status', ['new', 'placed']))
    expect(provenLines(before, after)).toEqual(["mapValues('orders', 'status', { draft: 'new' }),"])
  })

  test('where its field was renamed', () => {
    const after = one('state', status, rule('state', ['draft', 'placed']))
    expect(provenLines(before, after)).toEqual(["renameField('orders', 'status', 'state'),"])
  })

  const written = (relation: string, values: readonly string[]) => [
    payers('clients'),
    orders('clients', 'client'),
    items(relation, { onlyWhile: { [relation]: { status: values } } }),
  ]

  test('where its relation was renamed', () => {
    expect(provenLines(written('order', ['draft']), written('purchase', ['draft']))).toEqual([
      "renameRelation('items', 'order', 'purchase'),",
    ])
  })

  test('where a value of the row that is named was renamed', () => {
    const fields = { note: z.string().optional(), status: inStates('new', 'placed') }
    const [payer, , item] = written('order', ['new', 'placed'])
    const after = [payer, orders('clients', 'client', { fields }), item] as Resources
    expect(provenLines(written('order', ['draft', 'placed']), after)).toEqual([
      "mapValues('orders', 'status', { draft: 'new' }),",
    ])
  })

  test('where several values have other names, which a person must pair', () => {
    const after = one('status', inStates('new', 'sent'), rule('status', ['new', 'sent']))
    const line =
      "mapValues('orders', 'status', { draft: '…', placed: '…', paid: 'paid' }, { onlyInNewer: { new: '…', sent: '…' }, why: '…' }),"
    for (const versions of [[v1()], [version('v2'), v1()]]) {
      const lines = refusals(after, versions, frozen(before)).flatMap((each) => each.lines)
      expect(lines).toEqual([`${line} // "new", "sent" have no image in the older version`])
    }
  })

  test('but a rule that is also stricter is reported', () => {
    const after = one('status', inStates('draft', 'sent'), rule('status', ['draft']))
    const [refusal] = refusals(after, [v1()], frozen(before))
    expect(refusal?.lines).toEqual([
      "mapValues('orders', 'status', { placed: 'sent' }),",
      '// orders: rows can no longer be deleted while status is "placed"; no change can declare this: undo it',
    ])
  })
})

describe('no rename is offered', () => {
  const things = (fields: Loose) => [
    resource('things', { fields: { title: z.string(), ...fields } } as never),
  ]
  const text = z.string().optional()
  const linesOf = (before: Resources, after: Resources) => {
    const lines = refusals(after, [v1()], frozen(before)).flatMap((one) => one.lines)
    expect(refusals(after, [version('v2'), v1()], frozen(before)).flatMap((one) => one.lines)).toEqual(lines)
    return lines
  }

  test.each([
    ['two gone, two come', { a: text, b: text }, { c: text, d: text }, ['a', 'b']],
    ['one gone, two come', { a: text }, { c: text, d: text }, ['a']],
    ['two gone, one come', { a: text, b: text }, { c: text }, ['a', 'b']],
  ])('where it would be a guess between fields: %s', (_, before, after, gone) => {
    expect(linesOf(things(before), things(after))).toEqual(
      gone.map((name) => `removeField('things', '${name}', { was: z.string().optional() }),`),
    )
  })

  test('where it would be a guess between resources', () => {
    const named = (...names: string[]) =>
      [...names, 'orders'].map((name) => resource(name, { fields: { name: z.string() } }))
    const lines = linesOf(named('tags'), named('labels', 'marks'))
    expect(lines).toEqual([
      expect.stringMatching(
        /^\/\/ tags: .* with methods: \[\] .* removeMethod\('tags', …\) for each method it had$/,
      ),
    ])
  })

  test('for a resource that has little in common with the one that came', () => {
    const fields = { name: z.string(), city: z.string(), street: z.string() }
    const lines = linesOf(
      [...things({}), resource('tags', { fields: { name: z.string() } })],
      [...things({}), resource('places', { fields })],
    )
    expect(lines).toEqual([
      expect.stringMatching(
        /^\/\/ tags: .* with methods: \[\] .* removeMethod\('tags', …\) for each method it had$/,
      ),
    ])
  })

  test('for a required relation to another resource, which needs a row', () => {
    const people = resource('people', { fields: { age: z.int() } })
    const after = [
      payers('clients', { relations: {}, include: [] }),
      orders('people', 'person'),
      items(),
      people,
    ]
    const [refusal] = refusals(after, [version('v2'), v1()], frozen(shop))
    expect(refusal?.lines.filter((line) => !line.startsWith('//'))).toEqual([])
  })

  test('for a resource that is gone, and nothing is said of what lay below it', () => {
    const after = [orders('people', 'client'), items(), resource('people', { fields: { age: z.int() } })]
    for (const versions of [[v1()], [version('v2'), v1()]]) {
      const lines = refusals(after, versions, frozen(shop)).flatMap((one) => one.lines)
      expect(lines[0]).toMatch(/^\/\/ clients: .* keep it in resources with methods: \[\]/)
      expect(lines.filter((line) => !line.startsWith('//'))).toEqual([])
    }
  })

  test('for a resource that is gone with all that leads to it: one remark, which is enough', () => {
    const guests = (relations: object, include: readonly string[]) =>
      resource('guests', { fields: { name: z.string() }, relations, include } as never)
    const bookings = (more: object = {}) =>
      resource('bookings', {
        fields: { price: z.int() },
        relations: { guest: belongsTo('guests') },
        ...more,
      } as never)
    const bills = (relations: object) =>
      resource('bills', { fields: { sent: z.boolean() }, relations } as never)
    const leading = [
      guests({ bookings: hasMany('bookings') }, ['bookings']),
      bills({ booking: belongsTo('bookings', { optional: true }) }),
    ]
    const school = (resources: Resources, versions: Versions, contracts: Contracts = new Map()) =>
      compileApi(api('school', { resources, versions, events: { keepDays: 3 } } as never), { contracts })
    const first = school([...leading, bookings()], [v1()])
    const contracts = new Map([['v1', contractOf(first, first.head)]])
    const { refusals: found } = checkContracts(
      school([guests({}, []), bills({})], [v1()], contracts),
      contracts,
    )
    expect(found.flatMap(({ lines }) => lines)).toEqual([
      "// bookings: to take it out of the newer version, keep it in resources with methods: [] and all relations as they are, and write removeMethod('bookings', …) for each method it had",
    ])
    const changes = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) =>
      change.removeMethod('bookings', method),
    )
    const next = school([...leading, bookings({ methods: [] })], [version('v2'), v1(changes)], contracts)
    expect(checkContracts(next, contracts).refusals).toEqual([])
    expect(contractOf(next, next.head).resources).not.toHaveProperty('bookings')
    expect(contractOf(next, next.head).events?.types).not.toContain('bookings.created')
  })

  test('for a to-many relation that is gone: its sub-collection and includes go with it', () => {
    const after = [payers('clients', { relations: {}, include: [] }), ...shop.slice(1)]
    expect(linesOf(shop, after)).toEqual([
      '// clients.orders: relation was removed; no change can declare this: undo it',
    ])
  })
})

test('a rename that breaks two published versions is reported once, for the newer one', () => {
  const both = [
    version('v2', { published: '2026-02-01' }),
    v1([change.renameField('orders', 'remark', 'note'), change.renameRelation('orders', 'buyer', 'client')]),
  ]
  const after = [payers('customers'), orders('customers', 'client'), items()]
  const found = refusals(after, both, frozen(shop, both))
  expect(found.map((one) => [one.version, one.lines])).toEqual([
    ['v2', ["renameResource('clients', 'customers'),"]],
  ])
})
