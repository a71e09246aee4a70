import { type Store, StoreRefused, type Transaction } from '../store/store.ts'

/** How far a file was imported, as it is stored. */
interface Mark {
  /** How many rows of the file are done. */
  readonly rows: number
  /** When the import ended; null while it is under way, or was interrupted. */
  readonly endedAt: string | null
  /** What the command said of rows that name no resource and no account themselves. */
  readonly resource: string | null
  readonly account: string | null
}

/**
 * How far a file was imported: a row of `nounkit_meta`, under the hash of the file. It is written in the transactions that write the rows,
 * so that a killed import, run again, goes on exactly where it ended. Flags of the command are not part of the hash: the rows of a file that
 * was imported with other flags are in the store too.
 */
export class ImportMark {
  readonly #store: Store
  readonly #key: string

  constructor(store: Store, hash: string) {
    this.#store = store
    this.#key = `import ${hash}`
  }

  async read(): Promise<Mark | null> {
    const key = this.#store.dialect.param(1, 'string')
    const row = await this.#store.first(`SELECT "value" FROM "nounkit_meta" WHERE "key" = ${key}`, [
      this.#key,
    ])
    return row ? (JSON.parse(String(row[0])) as Mark) : null
  }

  /** Replaces the mark. Throws where it is another one by now: a second process imports the same file. */
  async replace(tx: Transaction, before: Mark | null, mark: Mark): Promise<void> {
    const [key, next, last] = [1, 2, 3].map((at) => tx.dialect.param(at, 'string'))
    const replaced = before
      ? await tx.first(
          `UPDATE "nounkit_meta" SET "value" = ${next} WHERE "key" = ${key} AND "value" = ${last} RETURNING 1`,
          [this.#key, JSON.stringify(mark), JSON.stringify(before)],
        )
      : await tx.first(
          `INSERT INTO "nounkit_meta" ("key", "value") VALUES (${key}, ${next}) ON CONFLICT DO NOTHING RETURNING 1`,
          [this.#key, JSON.stringify(mark)],
        )
    if (!replaced)
      throw new StoreRefused(
        'Another process imports the same file, or has emptied the store. Wait until it has ended, then run this again.',
      )
  }
}

export type { Mark }
