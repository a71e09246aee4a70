import { dataOf, type Reply, type ServerProcess } from '../support/server-process.ts'

/** The items of an order: quantity by id. */
export type Items = ReadonlyMap<string, number>

/** A client that writes the items of one order, one call after the other, and knows what the store must hold. */
export interface ItemWriter {
  readonly order: string
  /** All that was acknowledged. */
  readonly sure: Items
  readonly acknowledged: number
  /** Whether the store may hold these items: those that were acknowledged, with or without the one call that was interrupted. */
  allows(items: Items): boolean
  /** Takes over what the store holds after a crash. */
  settle(items: Items): void
  /** Writes until the server is gone. */
  writeUntilGone(server: ServerProcess): Promise<void>
}

type Call = { method: 'POST' | 'PATCH' | 'DELETE'; id: string; quantity: number }

export function itemWriter(order: string, product: string): ItemWriter {
  let sure: Items = new Map()
  let cutOff: Call | null = null
  let acknowledged = 0
  let calls = 0

  const next = (): Call => {
    const quantity = 1 + (++calls % 900)
    const ids = [...sure.keys()]
    const id = ids[calls % Math.max(1, ids.length)]
    if (id === undefined || ids.length < 4 || calls % 3 === 0) return { method: 'POST', id: '', quantity }
    return { method: calls % 3 === 1 ? 'PATCH' : 'DELETE', id, quantity }
  }
  const perform = (server: ServerProcess, { method, id, quantity }: Call): Promise<Reply> => {
    const items = `/v2/orders/${order}/items`
    if (method === 'POST') {
      return server.call(method, items, { body: { product_id: product, quantity, unit_price: 7 } })
    }
    return server.call(method, `${items}/${id}`, method === 'PATCH' ? { body: { quantity } } : {})
  }

  return {
    order,
    get sure() {
      return sure
    },
    get acknowledged() {
      return acknowledged
    },
    allows: (items) => same(items, sure) || (cutOff !== null && mayBeAfter(items, sure, cutOff)),
    settle(items) {
      sure = items
      cutOff = null
    },
    async writeUntilGone(server) {
      for (;;) {
        cutOff = next()
        const reply = await perform(server, cutOff).catch(() => null)
        if (!reply) return
        if (reply.status >= 300) throw new Error(`${cutOff.method} answered ${reply.status}: ${reply.text}`)
        sure = after(sure, cutOff, cutOff.method === 'POST' ? dataOf(reply).id : cutOff.id)
        cutOff = null
        acknowledged++
      }
    },
  }
}

function after(items: Items, { method, quantity }: Call, id: string): Items {
  const changed = new Map(items)
  if (method === 'DELETE') changed.delete(id)
  else changed.set(id, quantity)
  return changed
}

/** The id of an interrupted create is not known: it is the only new id. */
function mayBeAfter(items: Items, before: Items, call: Call): boolean {
  const id = call.method === 'POST' ? [...items.keys()].find((one) => !before.has(one)) : call.id
  return id !== undefined && same(items, after(before, call, id))
}

const same = (a: Items, b: Items): boolean =>
  a.size === b.size && [...a].every(([id, quantity]) => b.get(id) === quantity)
