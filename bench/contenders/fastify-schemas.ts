type Schema = { readonly [key: string]: unknown }

const text = { type: 'string' }
const maybe = { type: ['string', 'null'] }
const times = { created_at: text, updated_at: text }
const object = (properties: Schema): Schema => ({ type: 'object', properties })

export const customerSchema = object({
  id: text,
  referrer_id: maybe,
  name: text,
  email: text,
  phone: maybe,
  ...times,
})
export const productSchema = object({
  id: text,
  sku: text,
  title: text,
  price: { type: 'integer' },
  currency: text,
  active: { type: 'boolean' },
  ...times,
})
export const itemSchema = (more: Schema): Schema =>
  object({
    id: text,
    order_id: text,
    product_id: text,
    quantity: { type: 'integer' },
    unit_price: { type: 'integer' },
    ...times,
    ...more,
  })
export const orderSchema = (more: Schema): Schema =>
  object({
    id: text,
    customer_id: text,
    currency: text,
    note: maybe,
    status: text,
    total: { type: 'integer' },
    ...times,
    ...more,
  })
export const oneOf = (schema: Schema): Schema => object({ data: schema })
export const listOf = (schema: Schema): Schema =>
  object({ data: { type: 'array', items: schema }, page: { type: 'object', additionalProperties: true } })

export const newOrderSchema = {
  type: 'object',
  required: ['customer_id', 'currency'],
  additionalProperties: false,
  properties: {
    customer_id: { type: 'string', format: 'uuid' },
    currency: { enum: ['EUR', 'USD'] },
    note: { type: 'string', maxLength: 500 },
  },
}
