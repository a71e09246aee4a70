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

  /** All of them in order, those of places up to one. */
  upTo(place: number): readonly Recent[] {
    const numbers = Float64Array.from(this.#first.keys()).sort()
    const all: Recent[] = []
    for (const number of numbers)
      for (const one of this.placesOf(number)) if (one <= place) all.push([number, one])
    return all
  }

  /** Those up to a place have been entered where all can find them. */
  forgetUpTo(entered: number): void {
    const all = [
      ...this.#first,
      ...[...this.#others].flatMap(([number, places]) => places.map((place) => [number, place] as const)),
    ]
    this.#first.clear()
    this.#others.clear()
    for (const [number, place] of all) if (place > entered) this.add(number, place)
  }
}

export type Recent = readonly [number: number, place: number]

const none: readonly number[] = []
