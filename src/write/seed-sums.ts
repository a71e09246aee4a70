import type { StoredRow } from '../call/stored-row.ts'
import { Mistakes } from '../compile/mistakes.ts'
import type { Resource } from '../compile/model.ts'
import { Problem } from '../problems.ts'
import { type SumDifference, sumDifferences, sumsAfter } from './sum-differences.ts'

/** A row of the seed with all its fields. */
export interface WholeSeedRow {
  /** For messages: `seed.account("acme")[3]` */
  readonly where: string
  readonly account: string
  readonly resource: Resource
  readonly row: StoredRow
}

/** The rows of a seed with the sums that they give, whatever the seed says: writes add to these, and would never correct them. */
export function withSums(all: readonly WholeSeedRow[]): readonly WholeSeedRow[] {
  const rows = new Map(all.map((one) => [keyOf(one.account, one.resource, one.row.id), withoutParts(one)]))
  for (const one of all)
    for (const difference of differencesOf(one)) {
      const key = keyOf(one.account, difference.on, difference.id)
      const owner = rows.get(key)
      if (owner) rows.set(key, { ...owner, row: { ...owner.row, ...sumsWith(one, owner, difference) } })
    }
  return all.map((one) => rows.get(keyOf(one.account, one.resource, one.row.id)) ?? one)
}

const keyOf = (account: string, { name }: Resource, id: unknown): string =>
  JSON.stringify([account, name, id])

/** Its sums are those of no rows. */
const withoutParts = (one: WholeSeedRow): WholeSeedRow => {
  const sums = one.resource.fields.filter(({ sum }) => sum).map(({ name, default: zero }) => [name, zero])
  return sums.length === 0 ? one : { ...one, row: { ...one.row, ...Object.fromEntries(sums) } }
}

const differencesOf = (one: WholeSeedRow): readonly SumDifference[] =>
  unlessTooLarge(one, () =>
    sumDifferences([{ resource: one.resource, id: String(one.row.id), before: null, after: one.row }]),
  )

const sumsWith = (one: WholeSeedRow, owner: WholeSeedRow, { sums }: SumDifference): StoredRow =>
  unlessTooLarge(one, () => sumsAfter(owner.row, sums))

function unlessTooLarge<T>({ where }: WholeSeedRow, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const what = 'It leads to a sum that is too large to be kept.'
    throw new Mistakes([{ where, what, hint: 'Give it a smaller value. Nothing was seeded.' }])
  }
}
