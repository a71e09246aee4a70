import { randomUUID, randomUUIDv7 } from 'node:crypto'

type Prefix = '/v2' | '/v1'

/** The ids, cursors and tags that random requests use. */
export interface Sample {
  readonly ids: readonly string[]
  /** The orders of the first customer, which is all that a caller sees where there is a rule. */
  readonly ownIds: readonly string[]
  readonly customers: readonly string[]
  /** Of each version: a cursor that leads past nine tenths of the rows, and the entity tag of the first order. */
  readonly of: { readonly [prefix in Prefix]: { readonly cursor: string; readonly etag: string } }
}

/** The parts of a request. */
export interface Draw {
  id(): string
  /** An order of the first customer. */
  ownId(): string
  /** The fields of an order that are required: its customer and, in v2, the currency. */
  customer(index?: number): { readonly [field: string]: string }
  include(relations: string): string
  /** A new Idempotency-Key. */
  freshKey(): string
  /** The same, but keys sort by the time when they were made. */
  keyByTime(): string
  readonly firstId: string
  readonly version: string
  readonly cursor: string
  readonly etag: string
}

const oneOf = (texts: readonly string[]): string => texts[Math.floor(Math.random() * texts.length)] ?? ''

/** In v1 a customer is a client, and an order has no currency. */
export const drawFor = ({ ids, ownIds, customers, of }: Sample, prefix: Prefix): Draw => {
  const isOld = prefix === '/v1'
  return {
    id: () => oneOf(ids),
    ownId: () => oneOf(ownIds),
    customer(index) {
      const id = index === undefined ? oneOf(customers) : (customers[index] ?? '')
      return isOld ? { client_id: id } : { customer_id: id, currency: 'EUR' }
    },
    include: (relations) => (isOld ? relations.replaceAll('customer', 'client') : relations),
    freshKey: () => randomUUID(),
    keyByTime: () => randomUUIDv7(),
    firstId: ids[0] ?? '',
    version: prefix.slice(1),
    ...of[prefix],
  }
}
