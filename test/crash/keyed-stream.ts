import { type CallOptions, dataOf, type Reply, type ServerProcess } from '../support/server-process.ts'

/** A create that a client wants to happen once, and the first whole answer it got. */
export interface Wish {
  readonly key: string
  readonly path: string
  readonly body: { readonly [field: string]: unknown }
  answer: Reply | null
}

/** What a stream writes below: an order that stays a draft, and a payment large enough for any number of refunds. */
export interface Ground {
  readonly order: string
  readonly product: string
  readonly payment: string
}

export async function prepareGround(server: ServerProcess): Promise<Ground> {
  const make = async (path: string, body: object, options: CallOptions = {}) => {
    const reply = await server.call('POST', path, { body, ...options })
    if (reply.status !== 201) throw new Error(`POST ${path} answered ${reply.status}: ${reply.text}`)
    return dataOf(reply).id
  }
  const customer = await make('/v2/customers', { name: 'Ground', email: 'ground@example.com' })
  const order = await make('/v2/orders', { customer_id: customer, currency: 'EUR' })
  const product = await make('/v2/products', { sku: 'GROUND', title: 'Lamp', price: 100, currency: 'EUR' })
  const payment = await make(
    `/v2/orders/${order}/payments`,
    { amount: 1_000_000, currency: 'EUR' },
    { idempotencyKey: 'ground-payment' },
  )
  return { order, product, payment }
}

const rowsOfList = 20

/** Alternates: one statement with a unique value, a transaction that updates a sum, one with a hook that takes a lock, and one with many rows. */
export function newWish(ground: Ground, number: number): Wish {
  const key = `wish-${number}`
  switch (number % 4) {
    case 0:
      return {
        key,
        path: '/v2/customers',
        body: { name: 'Ada', email: `${key}@crash.example` },
        answer: null,
      }
    case 1:
      return {
        key,
        path: `/v2/orders/${ground.order}/items`,
        body: { product_id: ground.product, quantity: 1 + (number % 5), unit_price: 100 + number },
        answer: null,
      }
    case 3:
      return {
        key,
        path: `/v2/orders/${ground.order}/items`,
        body: {
          data: Array.from({ length: rowsOfList }, (_, at) => {
            return { product_id: ground.product, quantity: 1 + at, unit_price: number }
          }),
        },
        answer: null,
      }
    default:
      return {
        key,
        path: `/v2/payments/${ground.payment}/refunds`,
        body: { amount: 1, reason: key },
        answer: null,
      }
  }
}

/** How many rows it creates. */
export const rowsOf = ({ body }: Wish): number => (Array.isArray(body.data) ? body.data.length : 1)

export const send = (server: ServerProcess, { key, path, body }: Wish): Promise<Reply> =>
  server.call('POST', path, { body, idempotencyKey: key })

/** All of an answer that a replay must give again, byte for byte. */
export const lasting = ({ status, text, headers }: Reply): readonly unknown[] => [
  status,
  text,
  headers.location,
  headers.etag,
  headers['content-type'],
]
