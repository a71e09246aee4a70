import { counted } from '../compile/names/plural.ts'

/** How often the operator is told how far it is. */
const tellEveryMs = 10_000
/** Of fewer rows nobody is told. */
const worthTelling = 1_000

/** Tells the operator how far something is that is filled in rows, such as their words. */
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
