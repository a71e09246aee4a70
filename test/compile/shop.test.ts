import { expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import type { View } from '../../src/compile/model.ts'

const model = compileApi(shop)

const view = (name: string): View => {
  const found = model.head.views.get(name)
  if (found === undefined) throw new Error(`no view ${name}`)
  return found
}

test('a base form is id, references, fields as declared, then the times', () => {
  expect(view('orders').fields.map((field) => field.name)).toEqual([
    'id',
    'customer_id',
    'currency',
    'note',
    'status',
    'total',
    'created_at',
    'updated_at',
  ])
})

test('required is what nothing but the caller can give', () => {
  const required = (name: string) =>
    view(name)
      .fields.filter((field) => field.required)
      .map((field) => field.name)
  expect(required('orders')).toEqual(['customer_id', 'currency'])
  expect(required('customers')).toEqual(['name', 'email'])
  expect(required('products')).toEqual(['sku', 'title', 'price', 'currency'])
})

test('every resource has the paths the shop is described with', () => {
  const paths = [...model.head.views.values()].flatMap((one) => [
    ...(one.topLevel ? [`/${one.name}`] : []),
    ...one.under.map((sub) => `/${sub.owner().name}/{id}/${sub.segment}`),
  ])
  expect(paths.sort()).toEqual([
    '/adjustments',
    '/customers',
    '/customers/{id}/orders',
    '/events',
    '/order-items',
    '/order-items/{id}/adjustments',
    '/orders',
    '/orders/{id}/items',
    '/orders/{id}/payments',
    '/payments',
    '/payments/{id}/refunds',
    '/products',
    '/webhook-endpoints',
    '/webhook-endpoints/{id}/deliveries',
    '/webhook-endpoints/{id}/secrets',
  ])
})

test('includes are a tree of relations, each leading to the view of its target', () => {
  const items = view('orders').include.get('items')
  expect(view('orders').includePaths).toEqual(['customer', 'items', 'items.product', 'payments'])
  expect(items?.relation.target()).toBe(view('order-items'))
  expect(items?.relation.cap).toBe(50)
  expect(items?.children.get('product')?.relation.target()).toBe(view('products'))
})

test('a sum knows its relation, and what it sums feeds it', () => {
  const total = model.resources.get('orders')?.field.get('total')
  const [feed] = model.resources.get('order-items')?.feeds ?? []
  expect(total?.sum?.relation.name).toBe('items')
  expect(total?.readOnly).toBe(true)
  expect(feed).toMatchObject({ of: ['quantity', 'unit_price'] })
  expect(feed?.field).toBe(total)
  expect(feed?.by.field).toBe('order_id')
})

test('a delete knows every row that depends on the deleted one', () => {
  const dependents = (name: string) =>
    model.resources.get(name)?.dependents.map((one) => `${one.relation.source.name} ${one.onDelete}`)
  expect(dependents('orders')).toEqual(['order-items cascade', 'payments refuse'])
  expect(dependents('customers')).toEqual(['customers refuse', 'orders refuse'])
  expect(dependents('products')).toEqual(['order-items refuse'])
})

test('every filter, sort and reference has an index, and a unique one is enough', () => {
  expect(model.resources.get('customers')?.indexes).toEqual([
    ['referrer_id'],
    ['created_at'],
    ['name'],
    ['phone'],
  ])
  expect(model.resources.get('customers')?.uniques).toEqual([['email']])
})

test('rules, keys, scopes and methods are as declared', () => {
  expect(view('payments').idempotency.mode).toBe('required')
  expect(view('adjustments').idempotency.mode).toBe('off')
  expect(view('products').requireIfMatch).toBe(true)
  expect(view('products').scopes).toMatchObject({ GET: 'authenticated', POST: 'products:write' })
  expect(view('orders').scopes).toMatchObject({ GET: 'orders:read', DELETE: 'orders:write' })
  expect([...view('refunds').methods]).toEqual(['GET', 'POST', 'PATCH'])
  expect(view('order-items').resource.onlyWhile[0]).toMatchObject({ field: 'status', values: ['draft'] })
  expect(view('orders').resource.deleteOnlyWhile).toEqual([{ field: 'status', values: ['draft'] }])
  expect(view('order-items').field.get('order_id')?.immutable).toBe(true)
  expect(model.unversioned).toBe(model.head)
})

test('limits that are not declared are the documented ones', () => {
  expect(model.limits).toEqual({
    includeRelations: 10,
    includeDepth: 2,
    includeRows: 50,
    pageDefault: 25,
    pageMax: 100,
    bodyBytes: 1_048_576,
    responseBytes: 8_000_000,
    countRows: 10_000,
    bulkRows: 100,
    totalRows: 100_000,
    jsonDepth: 32,
    headerBytes: 16_384,
    rowsPerRequest: 15_000,
    idempotencyHours: 24,
    requestsInFlight: 1_000,
    streams: 100,
    webhookEndpoints: 50,
    cascadeRows: 10_000,
    answersInFlight: 100,
  })
  expect(model.rate).toEqual({ perSecond: 100, burst: 200 })
})
