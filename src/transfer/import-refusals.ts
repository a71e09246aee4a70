import { Problem } from '../problems.ts'
import { StoreError, type StoreErrorKind, StoreRefused } from '../store/store.ts'
import type { HeldBack } from './held-back.ts'
import type { CheckedFile, Entry } from './import-file.ts'
import type { SourceFile } from './source-file.ts'

const refusals: ReadonlySet<StoreErrorKind> = new Set(['unique', 'foreign-key', 'out-of-range'])

/** What the store refuses of a row, and a sum that becomes too large. */
export const isRefusal = (error: unknown): error is Error =>
  (error instanceof StoreError && refusals.has(error.kind)) || error instanceof Problem

/** Says what the store refuses of a file that was checked, and what to do. */
export class ImportRefusals {
  readonly #name: string
  /** What is left to do of the rows that were imported. */
  readonly #left: string

  constructor({ name }: SourceFile, { statedSums }: CheckedFile) {
    this.#name = name
    this.#left = statedSums.isEmpty ? '' : ' Sums that the file says are corrected when an import of it ends.'
  }

  row({ line }: Entry, cause: Error): StoreRefused {
    return this.#refused(
      line,
      `the store refuses this row: ${withoutStop(cause.message)}. The rows before it are imported. Correct this line and import the file again with --from ${line}: lines before it are not imported twice.${this.#left}`,
      cause,
    )
  }

  references({ line, references }: HeldBack, cause: Error): StoreRefused {
    return this.#refused(
      line,
      `the store refuses what this row names (${Object.keys(references).join(', ')}): ${withoutStop(cause.message)}. The row is imported without it. Change the row that is in the way, and run this again.${this.#left}`,
      cause,
    )
  }

  sum(line: number | null, cause: Error): StoreRefused {
    return this.#refused(
      line,
      `the sum of this row cannot be computed: ${withoutStop(cause.message)}. All rows are imported. Change or delete some of those that the sum adds up, and run this again: it also corrects the sums after this one.`,
      cause,
    )
  }

  #refused(line: number | null, detail: string, cause: Error): StoreRefused {
    return new StoreRefused(`${this.#name}:${line}: ${detail}`, cause)
  }
}

const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '')
