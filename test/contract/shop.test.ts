import { describe, expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { v1 } from '../../examples/shop/v1.ts'
import { compileApi } from '../../src/compile/compile.ts'
import type { Contract } from '../../src/compile/contract-format.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { readContracts } from '../../src/contract/contract-files.ts'
import { compareContracts } from '../../src/contract/diff/diff.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { guideOf } from '../../src/contract/guide/guide.ts'
import { viewIn } from '../support/pair.ts'
import shopIn2025 from '../support/shop-in-2025.ts'

const { contracts, refusals } = await readContracts(
  new URL('../../examples/shop/contracts', import.meta.url).pathname,
)
const model = compileApi(shop, { contracts })
const [head = model.head, older = model.head] = model.versions

test("the demo's contracts are whole, and it keeps them", () => {
  expect(refusals).toEqual([])
  expect(checkContracts(model, contracts)).toEqual({ broken: new Set(), refusals: [], grown: [] })
})

test('v1, made from v2 by its changes, is what the shop of 2025 published', () => {
  const then = compileApi(shopIn2025)
  const differences = compareContracts(contractOf(then, then.head), contractOf(model, older))
  expect(differences.map(({ where, what }) => `${where} ${what}`)).toEqual([
    'deprecated was set to 2026-06-01',
    'sunset was set to 2026-12-31',
  ])
})

test('v1 shows everything in the order it had in 2025', () => {
  const then = compileApi(shopIn2025)
  const shown = ({ resources, paths }: Contract) => JSON.stringify({ resources, paths })
  expect(shown(contractOf(model, older))).toBe(shown(contractOf(then, then.head)))
})

test('v1 shows clients, and hides what v2 gained later, without a line', () => {
  const clients = viewIn(older, 'clients')
  expect(clients.fields.map(({ name }) => name)).toEqual([
    'id',
    'full_name',
    'email',
    'fax',
    'created_at',
    'updated_at',
  ])
  expect(clients.includePaths).toEqual(['orders'])
  expect([...clients.filters]).toEqual(['email', 'created_at'])
  expect(viewIn(older, 'payments').includePaths).toEqual(['order', 'order.client', 'refunds'])
  expect(v1.changes.map((change) => JSON.stringify(change)).join()).not.toMatch(/phone|referrer/)
})

test('no v2 word stands in the contract of v1, nor the reverse', () => {
  const words = (version: typeof head) => JSON.stringify(contractOf(model, version))
  expect(words(older)).not.toMatch(/customer|placed|refunded|phone|referrer/)
  expect(words(head)).not.toMatch(/client|full_name|fax|"open"(?!:)/)
})

describe('the migration guide', () => {
  const guide = guideOf(older, head)

  test('has an entry for each change, with its reason', () => {
    expect(guide.match(/^## \d/gm)).toHaveLength(v1.changes.length)
    for (const { why } of v1.changes) expect(guide).toContain(why)
  })

  test('maps paths, fields and values', () => {
    for (const row of [
      '| `/v1/clients` | `/v2/customers` |',
      '| `/v1/clients/{id}/orders` | `/v2/customers/{id}/orders` |',
      '| `client_id` | `customer_id` |',
      '| `full_name` | `name` |',
      '| `open` | `placed` |',
    ])
      expect(guide).toContain(row)
    expect(guide).toContain('New values to expect: `refunded` (until now shown as `cancelled`).')
    expect(guide).toContain('- the field `customers.phone`')
  })

  test('shows one row before and after, as each version answers it', () => {
    const blocks = [...guide.matchAll(/```json\n([^`]*)```/g)].map(([, text = '']) => JSON.parse(text))
    expect(blocks).toHaveLength(2 * v1.changes.length)
    expect(blocks[8].data.status).toBe('open')
    expect(blocks[9].data.status).toBe('placed')
    expect(blocks[11].data.currency).toBe('EUR')
  })

  test('names who is still affected, when that is known', () => {
    const affected = guideOf(older, head, {
      affected: ({ kind }) => (kind === 'remove-field' ? ['fax-robot'] : []),
    })
    expect(affected.match(/Still in use by: fax-robot\./g)).toHaveLength(1)
  })
})
