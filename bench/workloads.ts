import type { Draw } from './draw.ts'

/** A request that is sent again and again, with other ids each time. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: { readonly [field: string]: unknown }
}

export interface Workload {
  readonly name: string
  readonly kind: 'read' | 'list' | 'create' | 'keyed' | 'mix' | 'other'
  /** Floor and Fastify have no cursors, conditional requests or updates. */
  readonly onlyNounkit?: true
  /** Nounkit with a rule on an indexed field takes part, and beside it Nounkit without one, which serves nothing else. */
  readonly alsoRuled?: true
  /** What it is compared with within Nounkit; both are measured in the same turns. */
  readonly beside?: string
  readonly request: (draw: Draw) => Request
}

const all = 'customer,items,items.product'
const get = (path: string): Request => ({ method: 'GET', path })
const order = (draw: Draw) => ({ ...draw.customer(), note: 'from the benchmark' })
const create = (draw: Draw): Request => ({ method: 'POST', path: '/orders', body: order(draw) })
const keyedCreate = (draw: Draw): Request => ({
  ...create(draw),
  headers: { 'Idempotency-Key': draw.freshKey() },
})
const one = ({ id }: Draw): Request => get(`/orders/${id()}`)
const listWithCustomer = ({ include }: Draw): Request =>
  get(`/orders?limit=25&include=${include('customer')}`)

function mixed(draw: Draw): Request {
  const drawn = Math.random()
  if (drawn < 0.8) return one(draw)
  return drawn < 0.95 ? listWithCustomer(draw) : keyedCreate(draw)
}

export const workloads: readonly Workload[] = [
  { name: 'one order', kind: 'read', request: one },
  {
    name: 'one order with customer',
    kind: 'read',
    request: ({ id, include }) => get(`/orders/${id()}?include=${include('customer')}`),
  },
  {
    name: 'one order with customer, items, products',
    kind: 'read',
    request: ({ id, include }) => get(`/orders/${id()}?include=${include(all)}`),
  },
  {
    name: "one of a customer's orders",
    kind: 'other',
    onlyNounkit: true,
    alsoRuled: true,
    request: ({ ownId }) => get(`/orders/${ownId()}`),
  },
  { name: 'list of 25', kind: 'list', alsoRuled: true, request: () => get('/orders?limit=25') },
  {
    name: "list of 25 of a customer's orders",
    kind: 'other',
    onlyNounkit: true,
    alsoRuled: true,
    request: ({ customer }) => {
      const [[field, id] = []] = Object.entries(customer(0))
      return get(`/orders?filter[${field}]=${id}&limit=25`)
    },
  },
  { name: 'list of 25 with customer', kind: 'list', request: listWithCustomer },
  {
    name: 'deep page',
    kind: 'other',
    onlyNounkit: true,
    beside: 'list of 25',
    request: ({ cursor }) => get(`/orders?limit=25&cursor=${cursor}`),
  },
  {
    name: 'not modified',
    kind: 'other',
    onlyNounkit: true,
    request: ({ firstId, etag }) => ({ ...get(`/orders/${firstId}`), headers: { 'If-None-Match': etag } }),
  },
  { name: 'create', kind: 'create', request: create },
  { name: 'keyed create', kind: 'keyed', beside: 'create', request: keyedCreate },
  {
    name: 'keyed create, keys by time',
    kind: 'other',
    onlyNounkit: true,
    beside: 'create',
    request: (draw) => ({ ...create(draw), headers: { 'Idempotency-Key': draw.keyByTime() } }),
  },
  {
    name: 'replay',
    kind: 'other',
    onlyNounkit: true,
    request: ({ customer, version }) => ({
      method: 'POST',
      path: '/orders',
      headers: { 'Idempotency-Key': `known-${version}` },
      body: { ...customer(0), note: 'the same each time' },
    }),
  },
  {
    name: 'patch',
    kind: 'other',
    onlyNounkit: true,
    request: ({ id }) => ({
      method: 'PATCH',
      path: `/orders/${id()}`,
      body: { note: `changed at ${Math.random()}` },
    }),
  },
  { name: 'mix', kind: 'mix', request: mixed },
]
