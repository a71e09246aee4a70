/** How often a statement was sent, and what it took. */
export interface StatementTime {
  readonly text: string
  readonly calls: number
  /** The time of all calls together. */
  readonly ms: number
  readonly longestMs: number
}

type Counted = { -readonly [member in keyof StatementTime]: StatementTime[member] }

const mostKept = 500

/** The statements of this process, by their text, which has no values. */
export class StatementTimes {
  #kept = new Map<string, Counted>()

  add(text: string, ms: number): void {
    const known = this.#kept.get(text)
    if (!known) return this.#begin(text, ms)
    known.calls++
    known.ms += ms
    if (ms > known.longestMs) known.longestMs = ms
  }

  /** Those that took most time in all, first. */
  slowest(most: number): readonly StatementTime[] {
    return [...this.#kept.values()].sort((a, b) => b.ms - a.ms).slice(0, most)
  }

  find(isWanted: (text: string) => boolean): string | null {
    for (const text of this.#kept.keys()) if (isWanted(text)) return text
    return null
  }

  /** Counts begin anew. */
  forget(): void {
    this.#kept.clear()
  }

  /** Filters make many texts: the half that took the least time makes room for others. */
  #begin(text: string, ms: number): void {
    if (this.#kept.size >= mostKept)
      this.#kept = new Map(this.slowest(mostKept / 2).map((one) => [one.text, one]))
    this.#kept.set(text, { text, calls: 1, ms, longestMs: ms })
  }
}
