import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { describeServing } from '../support/serving.ts'
import { newOrder } from '../support/shop-rows.ts'

const allowed = ['customer', 'items', 'items.product', 'payments']

describeServing('a refused include', (served) => {
  const includes = (include: string) => served.get(`/v2/orders?include=${include}`)

  test('of no relation is include-unknown, with the allowed paths and a suggestion', async () => {
    const answer = await includes('custommer')
    expect(answer.refusal).toEqual([400, 'include-unknown'])
    expect(answer.problem).toMatchObject({ path: 'custommer', allowed, suggestion: 'customer' })
    expect(answer.problem.detail).toContain('Did you mean "customer"?')
    for (const path of ['note', 'items.nope', 'customer_id', 'Items', 'constructor', '__proto__', ' items'])
      expect((await includes(encodeURIComponent(path))).refusal).toEqual([400, 'include-unknown'])
    expect((await includes('zzzzzzzzzz')).problem).not.toHaveProperty('suggestion')
  })

  test('of a relation that is not offered is include-not-allowed', async () => {
    for (const path of ['customer.orders', 'items.order', 'payments.refunds', 'items.adjustments']) {
      const answer = await includes(path)
      expect(answer.refusal, path).toEqual([400, 'include-not-allowed'])
      expect(answer.problem).toMatchObject({ path, allowed })
    }
  })

  test('too deep is include-too-deep, with limit and count', async () => {
    const answer = await includes('items.product.nope.more')
    expect(answer.refusal).toEqual([400, 'include-too-deep'])
    expect(answer.problem).toMatchObject({ limit: 2, count: 4 })
  })

  test('too many is include-too-many, counted after duplicates are removed and parents added', async () => {
    const many = Array.from({ length: 6 }, (_, at) => `r${at}.s`).join(',')
    const answer = await includes(many)
    expect(answer.refusal).toEqual([400, 'include-too-many'])
    expect(answer.problem).toMatchObject({ limit: 10, count: 12 })
    const repeated = Array.from({ length: 30 }, () => 'items.product').join(',')
    expect((await includes(`${repeated}&limit=1`)).status).toBe(200)
  })

  test('names the parameter at fault, like any other bad parameter', async () => {
    const many = Array.from({ length: 11 }, (_, at) => `r${at}`).join(',')
    const codes: readonly (readonly [query: string, type: string, code: string])[] = [
      ['include=custommer', 'include-unknown', 'unknown'],
      ['include=customer.orders', 'include-not-allowed', 'not_allowed'],
      ['include=items.product.nope', 'include-too-deep', 'too_deep'],
      [`include=${many}`, 'include-too-many', 'too_many'],
      ['limit=100&include=customer,items.product,payments', 'include-too-large', 'too_large'],
    ]
    for (const [query, type, code] of codes) {
      const answer = await served.get(`/v2/orders?${query}`)
      expect(answer.refusal).toEqual([400, type])
      const [error, ...more] = answer.problem.errors ?? []
      expect([error?.parameter, error?.code, more]).toEqual(['include', code, []])
      expect(answer.problem.detail).toContain(error?.detail)
    }
  })

  test('is judged in the order too many, too deep, unknown, not allowed', async () => {
    const many = Array.from({ length: 11 }, (_, at) => `r${at}`).join(',')
    const faults = ['a.b.c', 'nope', 'customer.orders']
    expect((await includes([many, ...faults].join(','))).refusal[1]).toBe('include-too-many')
    expect((await includes(faults.join(','))).refusal[1]).toBe('include-too-deep')
    expect((await includes('nope,customer.orders')).refusal[1]).toBe('include-unknown')
    expect((await includes('items,customer.orders')).refusal[1]).toBe('include-not-allowed')
  })

  test('with an empty element is a bad query', async () => {
    for (const include of [
      '',
      ',',
      'items,',
      ',items',
      'items,,customer',
      'items.',
      '.items',
      'items..product',
    ]) {
      const answer = await includes(include)
      expect(answer.refusal, include).toEqual([400, 'bad-query'])
      expect(answer.faults).toEqual(['include'])
    }
  })

  test('is refused on one resource like on a list, and on a resource that offers none', async () => {
    const { id } = await newOrder(served)
    expect((await served.get(`/v2/orders/${id}?include=nope`)).refusal).toEqual([400, 'include-unknown'])
    const { rows } = await served.get('/v2/products?limit=1')
    const answer = await served.get(`/v2/products/${rows[0]?.id}?include=items`)
    expect(answer.refusal).toEqual([400, 'include-unknown'])
    expect(answer.problem.allowed).toEqual([])
  })

  test('of what could be too many rows says the arithmetic, before any SQL runs', async () => {
    await served.get('/v2/orders?limit=1')
    const statements = await served.counted(async () => {
      const answer = await served.get('/v2/orders?limit=100&include=customer,items.product,payments')
      expect(answer.refusal).toEqual([400, 'include-too-large'])
      expect(answer.problem).toMatchObject({
        limit: 15_000,
        count: 15_100,
        arithmetic: '100 × (1 customer + 50 items × (1 + 1 product) + 50 payments) = 15100',
      })
    })
    expect(statements).toBe(0)
    const all = 'include=customer,items.product,payments'
    expect((await served.get(`/v2/orders?limit=99&${all}`)).status).toBe(200)
  })

  test('of one to-many relation is not too large for the largest page, whatever to-ones come with it', async () => {
    for (const include of ['items', 'customer,items', 'customer,items.product', 'payments'])
      expect((await served.get(`/v2/orders?limit=100&include=${include}`)).status, include).toBe(200)
    expect((await served.get('/v2/customers?limit=100&include=orders,referrer')).status).toBe(200)
  })

  test('needs the scope of what is included', async () => {
    const key = await served.api.key('acme', { scopes: ['orders:read'] })
    expect((await served.get('/v2/orders?limit=1', { as: key })).status).toBe(200)
    const answer = await served.get('/v2/orders?limit=1&include=customer', { as: key })
    expect(answer.refusal).toEqual([403, 'scope-missing'])
  })
})

const shelves = resource('shelves', {
  fields: { name: z.string().max(10) },
  relations: { books: hasMany('books', { cap: 2 }), lamps: hasMany('lamps') },
  include: ['books', 'books.pages', 'books.pages.paper', 'lamps'],
  limits: { includeDepth: 3, includeRelations: 3, includeRows: 7 },
})
const lamps = resource('lamps', { fields: {}, relations: { shelf: belongsTo('shelves') } })
const books = resource('books', {
  fields: {},
  relations: { shelf: belongsTo('shelves'), pages: hasMany('pages', { cap: 3 }) },
  include: ['shelf', 'pages'],
})
const pages = resource('pages', {
  fields: {},
  relations: { book: belongsTo('books'), paper: belongsTo('papers') },
})
const papers = resource('papers', { fields: {} })

describeServing(
  'declared limits of include',
  (served) => {
    test('per resource: relations, depth and rows; per relation: rows; per API: the ceiling', async () => {
      const shelf = await served.make('/v1/shelves', { name: 's' })
      const path = `/v1/shelves/${shelf.id}`
      const deep = await served.get(`${path}?include=books.pages.paper`)
      expect(deep.data.books).toMatchObject({ page: { limit: 2 } })
      const many = await served.get(`${path}?include=books.pages.paper,lamps`)
      expect(many.refusal).toEqual([400, 'include-too-many'])
      expect(many.problem).toMatchObject({ limit: 3, count: 4 })
      expect((await served.get(`${path}?include=lamps`)).data.lamps).toMatchObject({ page: { limit: 7 } })
      const over = await served.get('/v1/shelves?limit=60&include=books.pages.paper')
      expect(over.refusal).toEqual([400, 'include-too-large'])
      expect(over.problem.arithmetic).toBe('60 × (2 books × (1 + 3 pages × (1 + 1 paper))) = 840')
      const deeper = await served.get('/v1/books?include=pages.paper.mill')
      expect(deeper.refusal).toEqual([400, 'include-too-deep'])
    })
  },
  {
    declaration: api('library', {
      resources: [shelves, lamps, books, pages, papers],
      limits: { rowsPerRequest: 400 },
    }),
  },
)
