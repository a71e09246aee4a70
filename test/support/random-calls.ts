import type { CallOptions } from './serving.ts'

/** A row created earlier, by resource and index; its id differs from store to store. */
export type Known = { readonly resource: string; readonly at: number }
export type RandomCall = {
  readonly method: string
  /** Each `{}` stands for the next id. */
  readonly path: string
  readonly ids: readonly Known[]
  readonly options: Omit<CallOptions, 'body'> & { readonly body?: { readonly [field: string]: unknown } }
}

/** A small generator of its own (mulberry32), so that one seed makes one sequence everywhere. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Fields = { readonly [field: string]: unknown }

/** What the calls are made of: the shop's paths, queries and bodies, most of them right and some wrong. */
export function randomCalls(seed: number, countOf: (resource: string) => number): { next(): RandomCall } {
  const random = randomNumbers(seed)
  const below = (most: number): number => Math.floor(random() * most)
  const one = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T
  const row = (resource: string): Known => ({ resource, at: below(Math.max(1, countOf(resource))) })
  const account = () => one(['acme', 'acme', 'acme', 'globex'])
  const maybe = (field: Fields): Fields => (random() < 0.6 ? field : {})

  const wrong: readonly Fields[] = [
    { nope: 1 },
    { name: '' },
    { amount: 0 },
    { quantity: 1.5 },
    { currency: 'GBP' },
    { email: 'x' },
    { total: 3 },
    { id: 'x' },
    { note: 'x'.repeat(501) },
    { status: 'nowhere' },
  ]
  const bodies: { readonly [resource: string]: () => Fields } = {
    customers: () => ({
      name: one(['Ada', 'Bo ☃', 'Ç "q" \\', 'a\tb']),
      email: `c${below(60)}@example.com`,
      ...maybe({ phone: one([null, '1', '22']) }),
      ...maybe({ referrer_id: one([null, row('customers'), 'nobody']) }),
    }),
    orders: () => ({
      customer_id: row('customers'),
      currency: one(['EUR', 'USD']),
      ...maybe({ note: one([null, 'n', '\u2028']) }),
      ...maybe({ status: one(['draft', 'placed', 'cancelled', 'paid']) }),
    }),
    'order-items': () => ({
      order_id: row('orders'),
      product_id: row('products'),
      quantity: 1 + below(9),
      unit_price: one([0, 100, 250, 9007199254740991]),
    }),
    products: () => ({
      sku: `sku-${below(30)}`,
      title: one(['Lamp', 'Kettle']),
      price: below(500),
      currency: 'EUR',
      ...maybe({ active: one([true, false, null]) }),
    }),
    adjustments: () => ({ order_item_id: row('order-items'), amount: below(20) - 10, reason: 'r' }),
    payments: () => ({ order_id: row('orders'), amount: 1 + below(500), currency: one(['EUR', 'USD']) }),
    refunds: () => ({ amount: 1 + below(300), ...maybe({ reason: 'why' }) }),
  }
  const nested: { readonly [resource: string]: readonly [string, string, string] } = {
    orders: ['customers', 'orders', 'customer_id'],
    'order-items': ['orders', 'items', 'order_id'],
    adjustments: ['order-items', 'adjustments', 'order_item_id'],
    payments: ['orders', 'payments', 'order_id'],
    refunds: ['payments', 'refunds', 'payment_id'],
  }
  const queries: { readonly [resource: string]: readonly string[] } = {
    customers: ['sort=phone', 'sort=-phone,name', 'filter[email][gt]=c3', 'include=orders,referrer', 'x=1'],
    orders: [
      'sort=-total,status',
      'filter[status][in]=draft,placed',
      'include=items.product,customer',
      'include=nope',
      'filter[total][gte]=200&sort=status',
    ],
    'order-items': ['include=product,order', 'include=adjustments', 'sort=quantity'],
    products: ['sort=price', 'filter[active]=true', 'filter[price][lt]=300&sort=-title'],
    adjustments: ['include=order_item', 'limit=0'],
    payments: ['include=order.customer,refunds', 'include=order'],
    refunds: ['include=payment', 'limit=2'],
  }
  const resources = Object.keys(bodies)

  /** The collection's path, top-level or under an owner. */
  const collection = (resource: string): { path: string; ids: Known[]; owned: string | null } => {
    const under = nested[resource]
    if (under && (resource === 'refunds' || random() < 0.4)) {
      return { path: `/v2/${under[0]}/{}/${under[1]}`, ids: [row(under[0])], owned: under[2] }
    }
    return { path: `/v2/${resource}`, ids: [], owned: null }
  }
  const bodyOf = (resource: string, owned: string | null): Fields => {
    const fields = { ...bodies[resource]?.() }
    if (owned && random() < 0.8) delete fields[owned]
    return random() < 0.15 ? { ...fields, ...one(wrong) } : fields
  }
  const create = (): RandomCall => {
    const resource = one([...resources, 'order-items', 'orders', 'customers'])
    const { path, ids, owned } = collection(resource)
    const key = random() < 0.9 ? { 'Idempotency-Key': `k${below(80)}` } : {}
    return {
      method: 'POST',
      path,
      ids,
      options: { body: bodyOf(resource, owned), headers: key, as: account() },
    }
  }
  const list = (): RandomCall => {
    const resource = one(resources)
    const { path, ids } = collection(resource)
    const query = [one(['', `limit=${1 + below(8)}`]), one(['', ...(queries[resource] ?? [])])]
    const text = query.filter((part) => part !== '').join('&')
    return { method: 'GET', path: text ? `${path}?${text}` : path, ids, options: { as: account() } }
  }
  const onOne = (): RandomCall => {
    const resource = one(resources)
    const { path, ids, owned } = collection(resource)
    const method = one(['GET', 'PATCH', 'PATCH', 'PATCH', 'PUT', 'DELETE'])
    const include =
      method === 'GET' ? one(['', ...(queries[resource] ?? []).filter((q) => /^include/.test(q))]) : ''
    const whole = bodyOf(resource, owned)
    const picked = one(Object.keys(whole))
    const patch = picked === undefined ? {} : { [picked]: whole[picked] }
    const body = method === 'PUT' ? { body: whole } : method === 'PATCH' ? { body: patch } : {}
    const match = one<{ [name: string]: string }>([{}, { 'If-Match': '*' }, { 'If-Match': '"1"' }])
    const options = { ...body, headers: match, as: account() }
    return { method, path: `${path}/{}${include && `?${include}`}`, ids: [...ids, row(resource)], options }
  }
  return {
    next() {
      const dice = random()
      return dice < 0.45 ? create() : dice < 0.65 ? list() : onOne()
    },
  }
}
