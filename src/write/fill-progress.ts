import { counted } from '../compile/names/plural.ts'

/** How often the progress is logged. */
const tellEveryMs = 10_000
/** The end of a filling of fewer rows is not logged. */
const worthTelling = 1_000

/** Logs how many rows were filled, for example with their words for search: every ten seconds, and at the end. */
export class FillProgress {
  rows = 0
  #toldAt = performance.now()
  readonly #tell: (rows: string, isDone: boolean) => void

  constructor(tell: (rows: string, isDone: boolean) => void) {
    this.#tell = tell
  }

  readonly note = (rows: number): void => {
    this.rows += rows
    if (performance.now() - this.#toldAt < tellEveryMs) return
    this.#toldAt = performance.now()
    this.#tell(counted(this.rows, 'row'), false)
  }

  end(): void {
    if (this.rows >= worthTelling) this.#tell(counted(this.rows, 'row'), true)
  }
}
