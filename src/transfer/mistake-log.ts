import type { RowFault } from '../write/read-whole-row.ts'

export interface FileMistake extends RowFault {
  readonly line: number
}

/** All are counted, and the first ones kept. */
const mostKept = 100

/** What is wrong with a file. */
export class MistakeLog {
  readonly #kept: FileMistake[] = []
  count = 0

  add(line: number, { field, detail }: RowFault): void {
    this.count++
    if (this.#kept.length < mostKept) this.#kept.push({ line, field, detail })
  }

  /** The mistakes that are kept, by line. */
  get kept(): readonly FileMistake[] {
    return this.#kept.toSorted((one, other) => one.line - other.line)
  }
}
