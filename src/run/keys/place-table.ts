const slotsAtFirst = 64
/** In place of a place: there never was one, so the search ends; or there is one no more, and it goes on. */
const free = 0
const removed = -1

/**
 * Places of keys by their number. Several keys may share one. Two lists of plain numbers, at most half full, each pair in the
 * first free slot from the one on that its number says: a map would keep objects, which the collector looks at again and again.
 */
export class PlaceTable {
  #numbers = new Float64Array(slotsAtFirst)
  #places = new Float64Array(slotsAtFirst)
  /** Slots that are not free. */
  #taken = 0
  #size = 0
  #last = 0

  get size(): number {
    return this.#size
  }

  /** No place in it comes after this one. */
  get last(): number {
    return this.#last
  }

  add(number: number, place: number): void {
    if (this.#taken >= this.#places.length / 2) this.#grow()
    const slot = this.#find(number, place)
    if (this.#places[slot] === place) return
    this.#numbers[slot] = number
    this.#places[slot] = place
    this.#taken++
    this.#size++
    this.#last = Math.max(this.#last, place)
  }

  /** None where no such key is in it, which is nearly always. */
  placesOf(number: number): readonly number[] {
    let found: number[] | null = null
    const numbers = this.#numbers
    const places = this.#places
    for (let slot = this.#slotOf(number); ; slot = this.#next(slot)) {
      const place = places[slot] ?? free
      if (place === free) return found ?? none
      if (numbers[slot] !== number || place === removed) continue
      found ??= []
      found.push(place)
    }
  }

  remove(number: number, place: number): void {
    const slot = this.#find(number, place)
    if (this.#places[slot] !== place) return
    this.#places[slot] = removed
    this.#size--
  }

  /** One that two keys share comes twice. */
  numbers(): Float64Array {
    return this.#numbers.filter((_, slot) => (this.#places[slot] ?? free) > free)
  }

  #slotOf(number: number): number {
    return number & (this.#places.length - 1)
  }

  #next(slot: number): number {
    return (slot + 1) & (this.#places.length - 1)
  }

  /** Where they are, or where they would be put. */
  #find(number: number, place: number): number {
    let slot = this.#slotOf(number)
    while (this.#places[slot] !== free && (this.#places[slot] !== place || this.#numbers[slot] !== number))
      slot = this.#next(slot)
    return slot
  }

  #grow(): void {
    const numbers = this.#numbers
    const places = this.#places
    this.#numbers = new Float64Array(numbers.length * 2)
    this.#places = new Float64Array(places.length * 2)
    this.#taken = 0
    this.#size = 0
    places.forEach((place, slot) => {
      if (place > free) this.add(numbers[slot] ?? 0, place)
    })
  }
}

const none: readonly number[] = []
