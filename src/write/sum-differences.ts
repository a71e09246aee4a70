import type { StoredRow } from '../call/stored-row.ts'
import type { Field, Resource, SumFeed } from '../compile/model.ts'
import { kinds } from '../kinds/kinds.ts'
import { beyondBigint } from '../plan/dialect.ts'
import { knownField } from '../plan/row-statements.ts'
import { outOfRange } from './out-of-range.ts'
import type { RowChange } from './row-change.ts'

/** What is added to the sums of one owner. */
export interface SumDifference {
  readonly on: Resource
  readonly id: string
  /** By field, in the smallest unit of its kind. None of them is 0. */
  readonly sums: ReadonlyMap<Field, bigint>
}

/**
 * What changes of rows add to the sums of the owners that the rows had or have. Owners come in one order, so that two transactions that move
 * rows between the same two do not deadlock.
 */
export function sumDifferences(changes: readonly RowChange[]): readonly SumDifference[] {
  const owners = new Map<Resource, Map<string, Map<Field, bigint>>>()
  for (const { resource, before, after } of changes)
    for (const feed of resource.feeds) {
      addTo(owners, feed, before, -partOf(feed, resource, before))
      addTo(owners, feed, after, partOf(feed, resource, after))
    }
  return [...owners]
    .flatMap(([on, rows]) => [...rows].map(([id, sums]) => ({ on, id, sums: withoutZeros(sums) })))
    .filter(({ sums }) => sums.size > 0)
    .sort((a, b) => compare(a.on.name, b.on.name) || compare(a.id, b.id))
}

function addTo(
  owners: Map<Resource, Map<string, Map<Field, bigint>>>,
  { on, by, field }: SumFeed,
  row: StoredRow | null,
  part: bigint,
): void {
  const id = row?.[by.field]
  if (typeof id !== 'string') return
  const rows = owners.get(on) ?? new Map<string, Map<Field, bigint>>()
  const sums = rows.get(id) ?? new Map<Field, bigint>()
  sums.set(field, (sums.get(field) ?? 0n) + part)
  owners.set(on, rows.set(id, sums))
}

/** What one row adds to a sum: the product of its factors, or nothing where one of them is null, or where it has no owner. */
function partOf({ of, by }: SumFeed, source: Resource, row: StoredRow | null): bigint {
  if (!row || typeof row[by.field] !== 'string') return 0n
  let product = 1n
  for (const name of of) {
    const value = row[name]
    if (value === null) return 0n
    product *= unitsOf(knownField(source, name), value)
    // The databases could not multiply so, when all rows are added up again.
    if (product >= beyondBigint || product <= -beyondBigint) throw outOfRange()
  }
  return product
}

/** A value in the smallest unit of its kind. */
const unitsOf = ({ kind, name }: Field, value: unknown): bigint => {
  const summing = kinds[kind].sum
  if (!summing) throw new Error(`${name} cannot be summed`)
  return summing.units(value)
}

/** The sums of an owner after a difference, by field. Throws the problem of a sum that is too large to be kept. */
export function sumsAfter(row: StoredRow, sums: SumDifference['sums']): StoredRow {
  const values: { [field: string]: unknown } = {}
  for (const [field, difference] of sums) {
    // An older process may have inserted the owner, without a value.
    const before = row[field.name] ?? null
    const units = (before === null ? 0n : unitsOf(field, before)) + difference
    const value = kinds[field.kind].sum?.ofUnits(units, field.schema)
    if (value === undefined) throw outOfRange()
    values[field.name] = value
  }
  return values
}

const withoutZeros = (sums: ReadonlyMap<Field, bigint>): ReadonlyMap<Field, bigint> =>
  new Map([...sums].filter(([, difference]) => difference !== 0n))

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
