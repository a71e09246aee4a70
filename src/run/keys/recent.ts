import type { Row } from '../../store/store.ts'
import { storedNumber } from './stored-number.ts'

/** The places of keys by their number. Several keys may share one, so whoever finds a place looks whose it is. */
export class RecentKeys {
  readonly #first = new Map<number, number>()
  /** Of numbers that have more than one. */
  readonly #others = new Map<number, number[]>()

  get size(): number {
    return this.#first.size
  }

  add(number: number, place: number): void {
    const first = this.#first.get(number)
    if (first === undefined) this.#first.set(number, place)
    else if (!this.placesOf(number).includes(place))
      this.#others.set(number, [...(this.#others.get(number) ?? []), place])
  }

  /** None where no such key is recent, which is nearly always. */
  placesOf(number: number): readonly number[] {
    const first = this.#first.get(number)
    return first === undefined ? none : [first, ...(this.#others.get(number) ?? [])]
  }

  remove(number: number, place: number): void {
    const left = this.placesOf(number).filter((other) => other !== place)
    this.#first.delete(number)
    this.#others.delete(number)
    for (const other of left) this.add(number, other)
  }

  /** Those of places after one and up to another, in the order of their numbers. */
  between(after: number, upTo: number): readonly Recent[] {
    const isBetween = (place: number) => place > after && place <= upTo
    const found: Recent[] = []
    for (const number of Float64Array.from(this.#first.keys()).sort()) {
      const first = this.#first.get(number) ?? after
      if (isBetween(first)) found.push([number, first])
      for (const place of this.#others.get(number) ?? none) if (isBetween(place)) found.push([number, place])
    }
    return found
  }

  /** Those up to a place have been entered where all can find them. */
  forgetUpTo(entered: number): void {
    for (const [number, place] of this.#first) if (place <= entered) this.#first.delete(number)
    const others = [...this.#others]
    this.#others.clear()
    for (const [number, places] of others)
      for (const place of places) if (place > entered) this.add(number, place)
  }
}

export type Recent = readonly [number: number, place: number]

/** Of a row that begins with place, account and key. */
export const recentOf = ([place, account, key]: Row): Recent => [
  storedNumber(String(account), String(key)),
  Number(place),
]

const none: readonly number[] = []
