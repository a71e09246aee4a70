import { addMeta, metaFacts, replaceMeta, selectMeta } from '../store/meta.ts'
import { wroteOne } from '../store/run-statement.ts'
import { type Store, StoreRefused, type Transaction } from '../store/store.ts'

/** How far a file was imported, as it is stored. */
interface Mark {
  /** How many rows of the file are done. */
  readonly rows: number
  /** When the import ended; null while it is under way, or was interrupted. */
  readonly endedAt: string | null
}

/**
 * How far a file was imported: a row of `nounkit_meta`, under the hash of the file and of what the command says of its rows. It is written in
 * the transactions that write the rows, so that a killed import, run again, goes on exactly where it ended.
 */
export class ImportMark {
  readonly #store: Store
  readonly #key: string

  constructor(store: Store, hash: string) {
    this.#store = store
    this.#key = metaFacts.import.key + hash
  }

  async read(): Promise<Mark | null> {
    const row = await this.#store.first(selectMeta(this.#key), [])
    return row ? (JSON.parse(String(row[0])) as Mark) : null
  }

  /** Replaces the mark. Throws where it is another one by now: a second process imports the same file. */
  async replace(tx: Transaction, before: Mark | null, mark: Mark): Promise<void> {
    const next = JSON.stringify(mark)
    const replace = before
      ? replaceMeta(tx.dialect, this.#key, next, JSON.stringify(before))
      : addMeta(tx.dialect, this.#key, next)
    if (!(await wroteOne(tx, replace)))
      throw new StoreRefused(
        'Another process imports the same file, or has emptied the store. Wait until it has ended, then run this again.',
      )
  }
}

export type { Mark }
