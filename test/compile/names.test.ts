import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resourceNameFault, snakeNameFault, suggestedName } from '../../src/compile/names/name-rules.ts'
import { nearest } from '../../src/compile/names/nearest.ts'
import { counted, looksPlural, pluralOf } from '../../src/compile/names/plural.ts'

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,10}$/)
const shape = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

describe('names of resources', () => {
  test.each([
    'orders',
    'order-items',
    'people',
    'children',
    'series',
    'statuses',
    'addresses',
    'categories',
    'analyses',
    'indices',
    'apis',
    'menus',
    'media',
    'import-jobs',
    'price-lists',
    'posts',
    'oauth2-clients',
  ])('%s is one', (name) => {
    expect(resourceNameFault(name)).toBeNull()
  })

  test.each([
    ['order', 'not plural', 'orders'],
    ['category', 'not plural', 'categories'],
    ['status', 'not plural', 'statuses'],
    ['address', 'not plural', 'addresses'],
    ['analysis', 'not plural', 'analyses'],
    ['person', 'not plural', 'people'],
    ['box', 'not plural', 'boxes'],
    ['order_items', 'underscore', 'order-items'],
    ['orderItems', 'capital', 'order-items'],
    ['Orders', 'capital', 'orders'],
    ['get-orders', 'verb "get"', 'orders'],
    ['create-order', 'verb "create"', 'orders'],
    ['search-products', 'verb "search"', 'products'],
    ['getOrder', 'capital', 'orders'],
    ['order-cancel', 'verb "cancel"', 'order-cancellations'],
    ['search', 'verb "search"', 'searches'],
    ['login', 'verb "login"', 'sessions'],
    ['-orders', 'joined by single hyphens', 'orders'],
    ['order--items', 'joined by single hyphens', 'order-items'],
    ['orders-', 'joined by single hyphens', 'orders'],
    ['2orders', 'starting with a letter', 'orders'],
    ['bestellungen!', 'a-z and 0-9', 'bestellungens'],
  ])('%s is refused: %s; write %s', (name, rule, instead) => {
    const fault = resourceNameFault(name)
    expect(fault?.what).toContain(rule)
    expect(fault?.hint).toContain(`"${instead}"`)
  })

  test('a reason lifts the rules about nouns and verbs, never those about form', () => {
    expect(resourceNameFault('equipment', 'a mass noun')).toBeNull()
    expect(resourceNameFault('equipment', ' ')).not.toBeNull()
    expect(resourceNameFault('Equipment', 'a mass noun')).not.toBeNull()
  })

  test('whatever is declared, what is suggested breaks no rule', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), word), (name) => {
        expect(resourceNameFault(suggestedName(name))).toBeNull()
      }),
      { numRuns: 1000 },
    )
  })

  test('a name without a fault has the form of a path segment, and is its own suggestion', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), (words) => {
        const name = words.join('-')
        if (resourceNameFault(name) !== null) return
        expect(name).toMatch(shape)
        expect(suggestedName(name)).toBe(name)
      }),
      { numRuns: 1000 },
    )
  })

  test('names of another form are always refused', () => {
    fc.assert(
      fc.property(
        fc.string().filter((name) => !shape.test(name)),
        (name) => resourceNameFault(name, 'a reason') !== null,
      ),
      { numRuns: 1000 },
    )
  })

  test('numbers of things are grouped by thousands', () => {
    const counts = [0, 1, 999, 1_000, 12_345, 999_999, 1_000_000, 123_456_789]
    expect(counts.map((count) => counted(count, 'row'))).toEqual([
      '0 rows',
      '1 row',
      '999 rows',
      '1,000 rows',
      '12,345 rows',
      '999,999 rows',
      '1,000,000 rows',
      '123,456,789 rows',
    ])
  })

  test('the plural of any word looks plural', () => {
    fc.assert(fc.property(word, (singular) => looksPlural(pluralOf(singular))))
  })
})

describe('names of fields and relations', () => {
  test.each([
    ['unitPrice', 'unit_price'],
    ['unit-price', 'unit_price'],
    ['Unit', 'unit'],
    ['unit__price', 'unit_price'],
    ['_unit', 'unit'],
  ])('%s is refused; write %s', (name, instead) => {
    expect(snakeNameFault(name, 'field')?.hint).toContain(`"${instead}"`)
  })

  test.each(['id', 'created_at', 'updated_at', 'account_id', 'version', 'data', 'page', 'constructor'])(
    '%s is reserved',
    (name) => {
      expect(snakeNameFault(name, 'field')?.what).toContain('reserved')
    },
  )
})

describe('did you mean', () => {
  test('a slip of one letter, a swap or a missing letter finds the word', () => {
    const words = ['customer', 'items', 'items.product', 'payments']
    expect(nearest('custommer', words)).toBe('customer')
    expect(nearest('itmes', words)).toBe('items')
    expect(nearest('payment', words)).toBe('payments')
    expect(nearest('ITEMS', words)).toBe('items')
  })

  test('nothing is suggested that is not near', () => {
    expect(nearest('warehouse', ['customer', 'items'])).toBeNull()
    expect(nearest('x'.repeat(10_000), ['customer'])).toBeNull()
    expect(nearest('anything', [])).toBeNull()
  })
})
