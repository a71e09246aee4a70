import type { BoundValue } from './bind.ts'

/**
 * The values that a statement takes from what it is given, part by part. One description says both where they are bound and how they are
 * taken, so their order is nowhere else.
 */
export class ValueParts<Given> {
  readonly #parts: { readonly count: number; readonly take: (given: Given) => readonly BoundValue[] }[] = []
  #count = 0

  /** Adds a part of so many values; gives the slots of these. */
  add(count: number, take: (given: Given) => readonly BoundValue[]): readonly number[] {
    const first = this.#count
    this.#parts.push({ count, take })
    this.#count += count
    return Array.from({ length: count }, (_, at) => first + at)
  }

  /** The value of each slot. */
  of(given: Given): readonly BoundValue[] {
    const values: BoundValue[] = []
    for (const { count, take } of this.#parts) {
      const taken = take(given)
      if (taken.length !== count) throw new Error('a statement is given the values of another one')
      for (const value of taken) values.push(value)
    }
    return values
  }
}
