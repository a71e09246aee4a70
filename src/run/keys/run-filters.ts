/** With so many, a run is taken for one that has a number it has not about once in 4,000 times. */
const bitsPerNumber = 32
const probes = 4
const half = 2 ** 24

const runsPerGroup = 32

interface Group<R> {
  /** Each word has one bit of each run, so that a look is one at all of them. */
  readonly words: Uint32Array
  readonly runs: (R | null)[]
}

/** Says which runs may have a number, and of most that they have not. Numbers are spread evenly over 48 bits. */
export class RunFilters<R> {
  readonly #groups: Group<R>[] = []
  readonly #bits: number

  constructor(numbersPerRun: number) {
    this.#bits = 2 ** Math.ceil(Math.log2(numbersPerRun * bitsPerNumber))
  }

  add(run: R, numbers: Iterable<number>): void {
    const { words, runs } = this.#groupWithRoom()
    const free = runs.indexOf(null)
    runs[free] = run
    for (const number of numbers)
      for (let probe = 0; probe < probes; probe++) {
        const at = this.#slotOf(number, probe)
        words[at] = (words[at] ?? 0) | (1 << free)
      }
  }

  remove(run: R): void {
    for (const { words, runs } of this.#groups) {
      const at = runs.indexOf(run)
      if (at < 0) continue
      runs[at] = null
      for (let slot = 0; slot < this.#bits; slot++) words[slot] = (words[slot] ?? 0) & ~(1 << at)
    }
  }

  /** None, nearly always. */
  thatMayHave(number: number): readonly R[] {
    let found: R[] | null = null
    for (const { words, runs } of this.#groups) {
      let left = words[this.#slotOf(number, 0)] ?? 0
      for (let probe = 1; left !== 0 && probe < probes; probe++)
        left &= words[this.#slotOf(number, probe)] ?? 0
      if (left === 0) continue
      found = [
        ...(found ?? []),
        ...runs.filter((run, at): run is R => run !== null && (left & (1 << at)) !== 0),
      ]
    }
    return found ?? none
  }

  /** From one half of the number on, by steps of the other. */
  #slotOf(number: number, probe: number): number {
    return (number + probe * (Math.floor(number / half) | 1)) & (this.#bits - 1)
  }

  #groupWithRoom(): Group<R> {
    const found = this.#groups.find(({ runs }) => runs.includes(null))
    if (found) return found
    const group = { words: new Uint32Array(this.#bits), runs: new Array<R | null>(runsPerGroup).fill(null) }
    this.#groups.push(group)
    return group
  }
}

const none: readonly never[] = []
