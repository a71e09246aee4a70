import type { Row } from '../../store/store.ts'
import { PlaceTable } from './place-table.ts'
import { storedNumber } from './stored-number.ts'

/**
 * The places of keys that may not have been entered yet. Several keys may share a number, so whoever finds a place looks whose it
 * is. They are kept in tables by the order in which they came, so that a whole table can be forgotten.
 */
export class RecentKeys {
  #newest = new PlaceTable()
  #older: readonly PlaceTable[] = []

  /** How many have come since some were set apart. */
  get sizeOfNewest(): number {
    return this.#newest.size
  }

  add(number: number, place: number): void {
    this.#newest.add(number, place)
  }

  /** None where no such key is recent, which is nearly always. */
  placesOf(number: number): readonly number[] {
    let places = this.#newest.placesOf(number)
    for (const table of this.#older) {
      const more = table.placesOf(number)
      if (more.length > 0) places = [...places, ...more]
    }
    return places
  }

  remove(number: number, place: number): void {
    for (const table of [this.#newest, ...this.#older]) table.remove(number, place)
  }

  /** Those that come later are kept in another table. */
  setApart(): void {
    if (this.#newest.size === 0) return
    this.#older = [...this.#older, this.#newest]
    this.#newest = new PlaceTable()
  }

  /** Those that were set apart and whose places come after one and up to another, in the order of their numbers. */
  apartBetween(after: number, upTo: number): readonly Recent[] {
    const found: Recent[] = []
    const add = (number: number, places: readonly number[]) => {
      for (const place of places) if (place > after && place <= upTo) found.push([number, place])
    }
    let before = Number.NaN
    for (const number of inOrder(this.#older.map((table) => table.numbers()))) {
      if (number !== before) for (const table of this.#older) add(number, table.placesOf(number))
      before = number
    }
    return found
  }

  /** Those that were set apart, once all of a table have been entered where everybody finds them. */
  forgetUpTo(entered: number): void {
    this.#older = this.#older.filter(({ last }) => last > entered)
  }
}

function inOrder(lists: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const list of lists) {
    all.set(list, at)
    at += list.length
  }
  return all.sort()
}

export type Recent = readonly [number: number, place: number]

/** Of a row that begins with place, account and key. */
export const recentOf = ([place, account, key]: Row): Recent => [
  storedNumber(String(account), String(key)),
  Number(place),
]
