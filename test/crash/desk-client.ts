import { setTimeout as sleep } from 'node:timers/promises'
import { type CallOptions, dataOf, type Reply, type ServerProcess } from '../support/server-process.ts'

/** What clients know after their calls. A call whose answer never came may have been committed or not. */
export class Deeds {
  /** Ids of rows whose create was acknowledged. */
  readonly created = new Set<string>()
  readonly deleted = new Set<string>()
  /** `{id}:{value}` of every acknowledged change: no value is given to a row twice. */
  readonly changed = new Set<string>()
  /** Codes of orders that were sent with a key until they were acknowledged. */
  readonly keyed = new Set<string>()
  /** Codes of orders that were refused. */
  readonly refused = new Set<string>()
}

interface Order {
  readonly id: string
  readonly code: string
  readonly items: string[]
}

/** The server to call now. */
export type Pick = () => ServerProcess

/** Creates, changes and deletes orders and items of its own, one call after the other. */
export class DeskClient {
  readonly #name: string
  readonly #pick: Pick
  readonly #deeds: Deeds
  readonly #orders: Order[] = []
  #calls = 0

  constructor(name: string, pick: Pick, deeds: Deeds) {
    this.#name = name
    this.#pick = pick
    this.#deeds = deeds
  }

  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.#step(this.#calls++)
  }

  #step(number: number): Promise<unknown> {
    const order = this.#orders[number % Math.max(1, this.#orders.length)]
    if (!order || number % 8 === 0) return this.#createOrder(`${this.#name}-${number}`, number % 3 !== 0)
    if (number % 29 === 0) return this.#deleteOrder(order)
    if (number % 13 === 0) return this.#createTwice(order)
    if (number % 8 === 1) return this.#change(`/orders/${order.id}`, order.id, 'note', `note ${number}`)
    const item = order.items[number % Math.max(1, order.items.length)]
    if (!item || number % 8 < 5) return this.#createItem(order, number)
    if (number % 8 === 5) return this.#deleteItem(order, item)
    return this.#change(`/orders/${order.id}/items/${item}`, item, 'quantity', 1_000 + number)
  }

  async #createOrder(code: string, isKeyed: boolean): Promise<void> {
    const body = { code, note: 'new' }
    const reply = isKeyed
      ? await this.#insist('/orders', body, code)
      : await this.#try('POST', '/orders', { body })
    if (!reply) return
    if (isKeyed) this.#deeds.keyed.add(code)
    this.#orders.push({ id: this.#created(reply), code, items: [] })
  }

  async #createItem(order: Order, number: number): Promise<void> {
    const body = { quantity: 1 + (number % 900), price: 7 }
    const path = `/orders/${order.id}/items`
    const reply =
      number % 2 === 0
        ? await this.#insist(path, body, `${this.#name}-item-${number}`)
        : await this.#try('POST', path, { body })
    if (reply) order.items.push(this.#created(reply))
  }

  /** The code is taken: the create is undone. */
  async #createTwice({ code }: Order): Promise<void> {
    const body = { code, note: 'refused' }
    const reply = await this.#try('POST', '/orders', { body }, [409])
    if (reply) this.#deeds.refused.add(code)
  }

  async #change(path: string, id: string, field: string, value: unknown): Promise<void> {
    const reply = await this.#try('PATCH', path, { body: { [field]: value } })
    if (reply) this.#deeds.changed.add(`${id}:${value}`)
  }

  async #deleteItem(order: Order, item: string): Promise<void> {
    order.items.splice(order.items.indexOf(item), 1)
    if (await this.#try('DELETE', `/orders/${order.id}/items/${item}`)) this.#deeds.deleted.add(item)
  }

  async #deleteOrder(order: Order): Promise<void> {
    this.#orders.splice(this.#orders.indexOf(order), 1)
    if (!(await this.#try('DELETE', `/orders/${order.id}`))) return
    for (const id of [order.id, ...order.items]) this.#deeds.deleted.add(id)
  }

  #created(reply: Reply): string {
    const { id } = dataOf(reply)
    this.#deeds.created.add(id)
    return id
  }

  /** Sends a keyed create until it is acknowledged. */
  async #insist(path: string, body: object, idempotencyKey: string): Promise<Reply> {
    for (;;) {
      // A server that was killed amid the first attempt leaves the key in progress for a moment: 409.
      const reply = await this.#try('POST', path, { body, idempotencyKey }, [201, 409])
      if (reply?.status === 201) return reply
      await sleep(20)
    }
  }

  /** Null where the outcome is unknown. */
  async #try(
    method: string,
    path: string,
    options: CallOptions = {},
    expected: readonly number[] = [200, 201, 204],
  ): Promise<Reply | null> {
    const reply = await this.#pick()
      .call(method, `/v1${path}`, options)
      .catch(() => null)
    if (!reply) await sleep(10)
    if (!reply || reply.status === 503) return null
    if (expected.includes(reply.status)) return reply
    throw new Error(`${method} ${path} was answered with ${reply.status}: ${reply.text}`)
  }
}
