import { metaTable } from '../store/meta.ts'
import { type Session, type Store, StoreError } from '../store/store.ts'
import { anyRow } from './copy-statements.ts'

export interface Copied {
  readonly table: string
  readonly rows: number
}

/**
 * Citus refuses rows of shared resources after it has written several shards at once in the same transaction. PostgreSQL without Citus
 * ignores the setting.
 */
const oneAfterTheOther = "SET LOCAL citus.multi_shard_modify_mode = 'sequential'"

/** The transaction that fills an empty store. No process can begin to serve the store meanwhile: it would seed it. */
export class TargetTransaction {
  readonly #to: Store
  #state: 'open' | 'committing' | 'committed' = 'open'
  /** What it has written. */
  copied: readonly Copied[] = []

  constructor(to: Store) {
    this.#to = to
  }

  async run(target: Session, work: () => Promise<readonly Copied[]>): Promise<void> {
    await target.script(
      this.#to.dialect.name === 'sqlite'
        ? 'BEGIN IMMEDIATE'
        : `BEGIN; LOCK TABLE "${metaTable}" IN EXCLUSIVE MODE; ${oneAfterTheOther}`,
    )
    try {
      this.copied = await work()
      this.#state = 'committing'
      await target.script('COMMIT')
      this.#state = 'committed'
    } catch (error) {
      await target.script('ROLLBACK').catch(() => {})
      throw error
    }
  }

  /** Where the connection was lost before COMMIT was answered, the store itself knows: it was empty, and is not any more. */
  async isCommitted(): Promise<boolean> {
    // A migration alone fills the table that is left out.
    const filled = this.copied.find(({ table, rows }) => rows > 0 && table !== metaTable)
    if (this.#state !== 'committing' || !filled) return this.#state === 'committed'
    try {
      return await this.#to.session(async (session) => (await session.all(anyRow(filled.table))).length > 0)
    } catch (error) {
      throw new StoreError(
        'unavailable',
        'The store to copy to was lost when the copy was committed, and cannot be asked whether it was. If it has rows, it has all of them: copying to it again is refused then.',
        { cause: error },
      )
    }
  }
}
