import { RunFilters } from './run-filters.ts'
import { numbersOn } from './run-pages.ts'

interface Run {
  readonly last: number
  readonly pages: readonly { readonly page: number; readonly leastNumber: number }[]
}

/** What this process knows of the runs in the store: enough to tell where a key would be, and mostly that it is in none. */
export class EnteredKeys {
  #runs: readonly Run[] = []
  readonly #filters: RunFilters<Run>
  #last = 0

  constructor(keysPerRun: number) {
    this.#filters = new RunFilters(keysPerRun)
  }

  /** All rows up to this place are in runs that are known, or gone. */
  get last(): number {
    return this.#last
  }

  add(last: number, pages: readonly { readonly page: number; readonly text: string }[]): void {
    const numbers = pages.map(({ text }) => numbersOn(text))
    const run: Run = {
      last,
      pages: pages.map(({ page }, at) => ({ page, leastNumber: numbers[at]?.[0] ?? 0 })),
    }
    this.#filters.add(run, numbers.flat())
    this.#runs = [...this.#runs, run]
    this.#last = last
  }

  /** Where a number may be. */
  pagesOf(number: number): readonly number[] {
    const runs = this.#filters.thatMayHave(number)
    if (runs.length === 0) return none
    return runs.flatMap(({ pages }) => pages.findLast(({ leastNumber }) => leastNumber <= number)?.page ?? [])
  }

  /** Runs before this page are gone. */
  forgetBefore(page: number): void {
    for (const run of this.#runs) if (run.last < page) this.#filters.remove(run)
    this.#runs = this.#runs.filter(({ last }) => last >= page)
  }
}

const none: readonly number[] = []
