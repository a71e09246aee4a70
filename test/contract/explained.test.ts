import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import type { Contract } from '../../src/compile/contract-format.ts'
import type { Model } from '../../src/compile/model.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { compareContracts } from '../../src/contract/diff/diff.ts'
import type { Difference } from '../../src/contract/diff/difference.ts'
import { type ExplainedLine, explainDifference } from '../../src/contract/guide/explain-difference.ts'
import { type ApiDeclaration, api } from '../../src/declare/api.ts'
import type { Change } from '../../src/declare/change.ts'
import { type ResourceDeclaration, resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { olderOf, pairOf } from '../support/pair.ts'
import { type RandomApi, randomApi } from '../support/random-apis.ts'
import { oneStep, threeVersions } from '../support/three-versions.ts'
import { shopContracts } from './openapi-shop.ts'

const text = ({ verdict, where, what }: ExplainedLine) => `${verdict}  ${where}  ${what}`

const renames: ReadonlySet<Change['kind']> = new Set(['rename-resource', 'rename-field', 'rename-relation'])

/**
 * The same API as if only its renames had been declared: all else is then as in the newer version, in the older names.
 * So what differs from the older version is all that is left for other lines to explain.
 */
const besidesRenames = (model: Model): readonly Difference[] => {
  const versions = (model.declaration.versions ?? []).map((one) => ({
    ...one,
    changes: one.changes.filter(({ kind }) => renames.has(kind)),
  }))
  const renamed = compileApi({ ...model.declaration, versions })
  const { lifecycle, ...promise } = contractOf(model, olderOf(model))
  return compareContracts({ ...promise, lifecycle }, { ...contractOf(renamed, olderOf(renamed)), lifecycle })
}

const tokens = (words: string): ReadonlySet<string> => new Set(words.split(/[^\w-]+/))

/** Whether a line is about the thing that differs, by the names that both give it. */
const explains = (line: ExplainedLine, difference: Difference, model: Model): boolean => {
  if (line.differences.some(({ where, what }) => where === difference.where && what === difference.what))
    return true
  if (line.change === null || renames.has(line.change)) return false
  const [place, ...within] = difference.where.split('.')
  const { resource = place, name = '', kind } = difference.subject
  const stored = model.head.views.get(line.resource ?? '')?.resource.name ?? ''
  if (olderOf(model).viewOf.get(stored)?.name !== resource) return false
  if (kind.startsWith('key ')) return line.change === 'require-idempotency-key'
  // The field may have another name in each version.
  if (kind === 'search removed' || name.startsWith('search')) return line.change === 'remove-search'
  const named = tokens(`${line.where} ${line.what}`)
  // Alternatives of filters go with the last filter: `filter[or]`.
  return [...within, ...name.replace(/\[.*/, '').split('.')].some((word) => named.has(word))
}

const unexplained = (model: Model, lines: readonly ExplainedLine[]): readonly string[] =>
  besidesRenames(model)
    .filter((difference) => !lines.some((line) => explains(line, difference, model)))
    .map(({ where, what }) => `${where}  ${what}`)

const explainedIn = (model: Model): readonly ExplainedLine[] =>
  explainDifference(model, olderOf(model), model.head)

describe('the shop', () => {
  const compiled = async () => compileApi(shop, { contracts: await shopContracts() })

  test('is explained by declared changes and additions, grouped by resource', async () => {
    expect(explainedIn(await compiled()).map(text)).toEqual([
      'breaking  clients → customers  renamed',
      'breaking  customers.full_name → name  renamed',
      'breaking  customers.fax  removed',
      'additive  customers.referrer  relation was added; optional field was added; include referrer was added; filter referrer_id was added',
      'additive  customers.phone  optional field was added; sort phone was added',
      'additive  customers  a row cannot be deleted while customers.referrer leads to it',
      'breaking  orders.client → customer  relation renamed, and so is client_id → customer_id',
      'breaking  orders.status  value "open" → "placed"; value "refunded" is new, v1 shows "cancelled"',
      'breaking  orders.currency  required field added, v1 stores "EUR"',
      'additive  customers.email, products.title, products.currency, orders, orders.note, orders.total, payments.currency, api  description changed',
    ])
  })

  test('has no difference that is left unexplained, and would have without any line that is no rename', async () => {
    const model = await compiled()
    const lines = explainedIn(model)
    expect(unexplained(model, lines)).toEqual([])
    for (const line of lines.filter(({ change }) => change === null || !renames.has(change)))
      expect(unexplained(model, lines.toSpliced(lines.indexOf(line), 1)), text(line)).not.toEqual([])
  })
})

/** The API of two versions, the older one published before the newer gained a field, a sort and a resource. */
const grown = ({ resources, changes }: RandomApi): Model => {
  const before = pairOf(resources, changes)
  const contracts = new Map<string, Contract>([['v1', contractOf(before, olderOf(before))]])
  const more = resources.map((one) =>
    one.name === 'trees'
      ? { ...one, fields: { ...(one.fields as object), gained: z.string().optional() }, sort: ['gained'] }
      : one,
  ) as unknown as RandomApi['resources']
  const roots = resource('roots', {
    fields: { depth: z.int() },
  }) as unknown as ResourceDeclaration<never, never>
  const declaration: ApiDeclaration = api('pair', {
    resources: [...more, roots],
    versions: [version('v2'), version('v1', { changes })],
  })
  return compileApi(declaration, { contracts })
}

describe('any API', () => {
  test('has a line for each change and each addition, and no difference that is left unexplained', () => {
    fc.assert(
      fc.property(randomApi, (random) => {
        const model = grown(random)
        const lines = explainedIn(model)
        const declared = lines.flatMap(({ change }) => change ?? [])
        expect(declared.toSorted()).toEqual(random.changes.map(({ kind }) => kind).toSorted())
        expect(lines.filter(({ change }) => change === null).map(text)).toEqual([
          'additive  trees.gained  optional field was added; sort gained was added',
          'additive  roots  resource and its endpoints were added',
        ])
        expect(unexplained(model, lines)).toEqual([])
      }),
      { numRuns: process.env.NOUNKIT_NIGHTLY === undefined ? 60 : 3_000 },
    )
  })

  test('has a line for each change of every version on the way', () => {
    const model = compileApi(threeVersions)
    const [v3, v2, v1] = model.versions
    if (!v3 || !v2 || !v1) throw new Error('there are three versions')
    const declared = (lines: readonly ExplainedLine[]) =>
      lines.flatMap(({ change, from, to }) => (change === null ? [] : `${from} → ${to} ${change}`)).toSorted()
    const expected = [v1, v2].flatMap(({ name, changes, successor }) =>
      changes.map(({ kind }) => `${name} → ${successor?.name} ${kind}`),
    )
    expect(declared(explainDifference(model, v1, v3))).toEqual(expected.toSorted())
    expect(explainDifference(model, v3, v3)).toEqual([])
    expect(explainDifference(model, v3, v1)).toEqual([])
  })

  test('has no difference that is left unexplained by every kind of change at once', () => {
    const model = compileApi(oneStep)
    const lines = explainedIn(model)
    expect(new Set(lines.map(({ change }) => change)).size).toBe(22)
    expect(unexplained(model, lines)).toEqual([])
  })
})
