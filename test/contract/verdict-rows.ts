import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Contract } from '../../src/compile/contract-format.ts'
import { compareContracts } from '../../src/contract/diff/diff.ts'
import { readOnly, writeOnly } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { contractFor } from '../support/pair.ts'

type Loose = { readonly [option: string]: unknown }

export const fields = { name: z.string().max(50), note: z.string().max(50).optional() }
export const things = (over: Loose = {}) =>
  resource('things', { fields, relations: { makers: hasMany('makers') }, ...over })
const makers = (over: Loose = {}) =>
  resource('makers', { fields: { title: z.string() }, relations: { thing: belongsTo('things') }, ...over })

export const contract = (over: Loose = {}, api: Loose = {}): Contract =>
  contractFor([things(over), makers()] as never, api)

/** The contract with one value replaced, for differences that no declaration can cause. */
export const edited = (path: readonly string[], value: unknown): Contract => {
  const copy = structuredClone(contract()) as unknown as { [key: string]: unknown }
  let at = copy
  for (const step of path.slice(0, -1)) at = at[step] as { [key: string]: unknown }
  at[path.at(-1) ?? ''] = value
  return copy as unknown as Contract
}

export type Row = readonly [what: string, older: Contract, newer: Contract, verdict: 'A' | 'B', says: string]

/** A row with verdict A in one direction and B in the other. */
export const both = (
  more: string,
  less: string,
  small: Contract,
  large: Contract,
  saysMore: string,
  saysLess: string,
): Row[] => [
  [more, small, large, 'A', saysMore],
  [less, large, small, 'B', saysLess],
]

export const withField = (schema: z.ZodType): Contract => contract({ fields: { ...fields, extra: schema } })
export const sent = (schema: z.ZodType): Contract => withField(writeOnly(schema))
export const shown = (schema: z.ZodType): Contract => withField(readOnly(schema))
export const colour = (...values: [string, ...string[]]) => z.enum(values)

export const judged = (older: Contract, newer: Contract) => {
  const differences = compareContracts(older, newer)
  return {
    verdict: differences.some((one) => one.verdict === 'breaking') ? 'B' : 'A',
    text: differences.map(({ where, what }) => `${where}  ${what}`).join('\n'),
    count: differences.length,
  }
}

export const testRows = (part: string, rows: readonly Row[]): void => {
  describe(`the verdict table: ${part}`, () => {
    test.each(rows)('%s', (_what, older, newer, verdict, says) => {
      const found = judged(older, newer)
      expect(found.text).toContain(says)
      expect(found.verdict, found.text).toBe(verdict)
    })
  })
}
