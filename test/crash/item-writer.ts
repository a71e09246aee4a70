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

type Call =
  | { readonly method: 'PATCH' | 'DELETE'; readonly id: string; readonly quantity: number }
  /** One item, or a list of them, of which all are created or none. */
  | { readonly method: 'POST'; readonly quantities: readonly number[] }

/** A list that is long enough to be interrupted in its middle. */
const listLength = 25

export function itemWriter(order: string, product: string): ItemWriter {
  let sure: Items = new Map()
  let cutOff: Call | null = null
  let acknowledged = 0
  let calls = 0

  const next = (): Call => {
    const quantity = 1 + (++calls % 900)
    const ids = [...sure.keys()]
    const id = ids[calls % Math.max(1, ids.length)]
    if (id === undefined || ids.length < 4 || (calls % 3 === 0 && ids.length < 2 * listLength)) {
      const length = calls % 2 === 0 ? listLength : 1
      return { method: 'POST', quantities: Array.from({ length }, (_, at) => 1 + ((quantity + at) % 900)) }
    }
    return { method: calls % 3 === 1 ? 'PATCH' : 'DELETE', id, quantity }
  }
  const perform = (server: ServerProcess, call: Call): Promise<Reply> => {
    const items = `/v2/orders/${order}/items`
    if (call.method === 'POST') {
      const data = call.quantities.map((quantity) => ({ product_id: product, quantity, unit_price: 7 }))
      return server.call('POST', items, { body: data.length === 1 ? data[0] : { data } })
    }
    const { method, id, quantity } = call
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
        sure = after(sure, cutOff, cutOff.method === 'POST' ? idsOf(reply) : [cutOff.id])
        cutOff = null
        acknowledged++
      }
    },
  }
}

const idsOf = (reply: Reply): readonly string[] => [dataOf(reply)].flat().map(({ id }) => id)

function after(items: Items, call: Call, ids: readonly string[]): Items {
  const changed = new Map(items)
  for (const [at, id] of ids.entries())
    if (call.method === 'DELETE') changed.delete(id)
    else changed.set(id, (call.method === 'POST' ? call.quantities[at] : call.quantity) ?? 0)
  return changed
}

/** The ids of an interrupted create are not known: they are all that are new. */
function mayBeAfter(items: Items, before: Items, call: Call): boolean {
  if (call.method !== 'POST') return same(items, after(before, call, [call.id]))
  const made = [...items].filter(([id]) => !before.has(id)).map(([, quantity]) => quantity)
  const kept = new Map([...items].filter(([id]) => before.has(id)))
  return same(kept, before) && inOrder(made).join() === inOrder(call.quantities).join()
}

const inOrder = (numbers: readonly number[]): readonly number[] => numbers.toSorted((a, b) => a - b)

const same = (a: Items, b: Items): boolean =>
  a.size === b.size && [...a].every(([id, quantity]) => b.get(id) === quantity)
