import type { CallOptions, Row, Serving } from './serving.ts'

/** Rows of the shop with required fields only. Each call creates a new row, so that tests do not share rows. */
let made = 0
export const unique = (): string => `${process.pid.toString(36)}-${(++made).toString(36)}`

type Fields = { readonly [field: string]: unknown }

export const newCustomer = (served: Serving, fields: Fields = {}, options: CallOptions = {}): Promise<Row> =>
  served.make('/v2/customers', { name: 'Ada', email: `ada.${unique()}@example.com`, ...fields }, options)

export const newProduct = (served: Serving, fields: Fields = {}): Promise<Row> =>
  served.make('/v2/products', { sku: unique(), title: 'Lamp', price: 1000, currency: 'EUR', ...fields })

export async function newOrder(
  served: Serving,
  fields: Fields = {},
  options: CallOptions = {},
): Promise<Row> {
  const customer = fields.customer_id ?? (await newCustomer(served, {}, options)).id
  return served.make('/v2/orders', { customer_id: customer, currency: 'EUR', ...fields }, options)
}

export async function newItem(
  served: Serving,
  orderId: string,
  fields: Fields = {},
  options: CallOptions = {},
): Promise<Row> {
  const product = fields.product_id ?? (await newProduct(served)).id
  const body = { product_id: product, quantity: 1, unit_price: 100, ...fields }
  return served.make(`/v2/orders/${orderId}/items`, body, options)
}

export const newPayment = (
  served: Serving,
  orderId: string,
  fields: Fields = {},
  options: CallOptions = {},
): Promise<Row> =>
  served.make(
    `/v2/orders/${orderId}/payments`,
    { amount: 1000, currency: 'EUR', ...fields },
    { ...options, headers: { 'Idempotency-Key': unique(), ...options.headers } },
  )

/** Moves an order along its states one by one. */
export async function moveOrder(served: Serving, id: string, ...to: readonly string[]): Promise<void> {
  for (const status of to) {
    const { status: code, text } = await served.call('PATCH', `/v2/orders/${id}`, { body: { status } })
    if (code !== 200) throw new Error(`The order did not move to ${status}: ${text}`)
  }
}

/** An id of the right form that no row has. */
export const noId = '019b8000-0000-7000-8000-000000000000'
