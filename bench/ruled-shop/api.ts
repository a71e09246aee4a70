import { api, resource, version } from 'nounkit'
import shop, { orders } from '../../examples/shop/api.ts'
import { v1 } from '../../examples/shop/v1.ts'

const { kind: _, name: shopName, ...options } = shop
const { kind: __, name: ordersName, hooks: ___, owner: ____, ...declared } = orders

const ownOrders = resource(ordersName, {
  // What the orders list was checked where they are declared.
  ...(declared as object),
  fields: orders.fields,
  relations: orders.relations as NonNullable<typeof orders.relations>,
  rules: { read: ({ row, caller }) => row.customer_id.is(caller.claim('customer_id')) },
})

/** The shop, where callers see only the orders of one customer. The benchmark serves it beside the shop without rules. */
export default api(shopName, {
  ...options,
  resources: shop.resources.map((one) => (one.name === ordersName ? ownOrders : one)),
  // Without dates: the versions of this API were never published.
  versions: [version('v2'), version('v1', { changes: v1.changes })],
})
