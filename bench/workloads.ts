/** What is asked of every contender. Paths are the head's; `{id}` is an order's id, drawn at random for each request. */
export interface Workload {
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  /** Whether contenders that only read can take part. */
  readonly writes: boolean
  readonly body?: 'order' | 'note'
  /** Keys that nobody has sent before are random, as most clients make them, or sort by time. */
  readonly headers?: 'random-key' | 'ordered-key' | 'known-key' | 'etag'
  /** What it is compared with within Nounkit, so that both are measured together. */
  readonly beside?: string
  /** The contenders that can do it: the floor and Fastify have no keys, cursors or entity tags. */
  readonly only?: readonly string[]
}

const deep = 'customer,items,items.product'

export const workloads: readonly Workload[] = [
  { name: 'one order', method: 'GET', path: '/orders/{id}', writes: false },
  { name: 'one order with customer', method: 'GET', path: '/orders/{id}?include=customer', writes: false },
  {
    name: 'one order with customer, items, products',
    method: 'GET',
    path: `/orders/{id}?include=${deep}`,
    writes: false,
  },
  { name: 'list of 25', method: 'GET', path: '/orders?limit=25', writes: false },
  {
    name: 'list of 25 with customer',
    method: 'GET',
    path: '/orders?limit=25&include=customer',
    writes: false,
  },
  {
    name: 'deep page, row 90,000',
    method: 'GET',
    path: '/orders?limit=25&cursor={cursor}',
    writes: false,
    beside: 'list of 25',
    only: ['nounkit v2', 'nounkit v1'],
  },
  {
    name: 'not modified',
    method: 'GET',
    path: '/orders/{id}',
    writes: false,
    headers: 'etag',
    only: ['nounkit v2', 'nounkit v1'],
  },
  { name: 'create', method: 'POST', path: '/orders', writes: true, body: 'order' },
  {
    name: 'keyed create',
    method: 'POST',
    path: '/orders',
    writes: true,
    beside: 'create',
    body: 'order',
    headers: 'random-key',
    only: ['nounkit v2', 'nounkit v1'],
  },
  {
    name: 'keyed create, keys by time',
    method: 'POST',
    path: '/orders',
    writes: true,
    beside: 'create',
    body: 'order',
    headers: 'ordered-key',
    only: ['nounkit v2'],
  },
  {
    name: 'replay',
    method: 'POST',
    path: '/orders',
    writes: true,
    body: 'order',
    headers: 'known-key',
    only: ['nounkit v2', 'nounkit v1'],
  },
  {
    name: 'patch',
    method: 'PATCH',
    path: '/orders/{id}',
    writes: true,
    body: 'note',
    only: ['nounkit v2', 'nounkit v1'],
  },
]
