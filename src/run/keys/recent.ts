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

  get size(): number {
    return this.#older.reduce((sum, { size }) => sum + size, this.#newest.size)
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

  /** All that there are so far; those that come later are in tables of their own. */
  setApart(): readonly PlaceTable[] {
    if (this.#newest.size > 0) this.#older = [...this.#older, this.#newest]
    this.#newest = new PlaceTable()
    return this.#older
  }

  /** Those that were set apart, once all of a table have been entered where everybody finds them. */
  forgetUpTo(entered: number): void {
    this.#older = this.#older.filter(({ last }) => last > entered)
  }
}

export type Recent = readonly [number: number, place: number]

/** Of a row that begins with place, account and key. */
export const recentOf = ([place, account, key]: Row): Recent => [
  storedNumber(String(account), String(key)),
  Number(place),
]
