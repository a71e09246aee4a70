import { setImmediate as yieldToRequests } from 'node:timers/promises'
import type { Model, Resource } from '../compile/model.ts'
import { type SearchIndex, searchIndexes, wordsOfRow } from '../plan/search-index.ts'
import { accountsWithoutWords, type WordStatements, wordStatements } from '../plan/write-statements.ts'
import type { Store, Transaction } from '../store/store.ts'
import { FillProgress } from './fill-progress.ts'

/** The rows of one transaction. */
const batchRows = 100

export interface FillerParts {
  readonly store: Store
  readonly model: Model
  readonly warn: (message: string, error: unknown) => void
}

/**
 * Gives rows their words that were written without: before their resource had a search, or by a process of an older declaration. It goes
 * in small transactions, beside all other work, and several processes may do so at once. Nothing of a row changes that anybody is shown.
 */
export class WordFiller {
  readonly #parts: FillerParts
  readonly #stopping = new AbortController()
  /** What is being filled: all at the start of the process, and accounts that requests have asked for, by resource and account. */
  readonly #asked = new Map<string, Promise<void>>()

  constructor(parts: FillerParts) {
    this.#parts = parts
  }

  /** Fills all rows that wait, of all accounts, unless that is under way since the start of the process. */
  async fill(signal: AbortSignal): Promise<void> {
    if (!this.#asked.has('')) await this.#fillAll(signal)
  }

  async #fillAll(signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, this.#stopping.signal])
    for (const resource of this.#parts.model.resources.values())
      for (const search of searchIndexes(resource)) await this.#fillResource(resource, search, either)
  }

  /** Begins to fill what waits when a process starts: a search may be new. */
  begin(): void {
    const { signal } = this.#stopping
    const filling = this.#fillAll(signal)
      .catch((error: unknown) =>
        this.#parts.warn('Searches could not be completed; that is tried again.', error),
      )
      .finally(() => this.#asked.delete(''))
    this.#asked.set('', filling)
  }

  /** Begins to fill the rows of an account that somebody searches. */
  fillSoon(resource: Resource, account: string): void {
    const key = JSON.stringify([resource.name, resource.shared ? '' : account])
    if (this.#asked.has(key) || this.#stopping.signal.aborted) return
    const filling = this.#fillAsked(resource, account).finally(() => this.#asked.delete(key))
    this.#asked.set(key, filling)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#asked.values())
  }

  async #fillAsked(resource: Resource, account: string): Promise<void> {
    try {
      for (const search of searchIndexes(resource))
        await this.#fillAccount(resource, search, account, this.#stopping.signal, () => {})
    } catch (error) {
      this.#parts.warn(`The search of ${resource.name} could not be completed; that is tried again.`, error)
    }
  }

  async #fillResource(resource: Resource, search: SearchIndex, signal: AbortSignal): Promise<void> {
    const { store, warn } = this.#parts
    const what = `The search of ${resource.name}`
    const progress = new FillProgress((rows, isDone) =>
      warn(isDone ? `${what} was completed: ${rows}.` : `${what} is being completed: ${rows} so far.`, null),
    )
    let before = -1
    // Rows that others have locked are left for the next turn.
    while (!signal.aborted && progress.rows > before) {
      before = progress.rows
      const accounts = resource.shared
        ? ['']
        : (await store.all(accountsWithoutWords(resource, search, store.dialect), [])).map(([account]) =>
            String(account),
          )
      for (const account of accounts)
        await this.#fillAccount(resource, search, account, signal, progress.note)
    }
    if (!signal.aborted) progress.end()
  }

  async #fillAccount(
    resource: Resource,
    search: SearchIndex,
    account: string,
    signal: AbortSignal,
    note: (rows: number) => void,
  ): Promise<void> {
    const { store } = this.#parts
    const statements = wordStatements(resource, search, batchRows, store.dialect)
    while (!signal.aborted) {
      const rows = await store.transaction(
        (tx) => fillBatch(tx, { resource, search, account, statements }),
        account,
      )
      note(rows)
      if (rows < batchRows) return
      await yieldToRequests()
    }
  }
}

interface Batch {
  readonly resource: Resource
  readonly search: SearchIndex
  readonly account: string
  readonly statements: WordStatements
}

/** How many rows got their words. */
async function fillBatch(tx: Transaction, { resource, search, account, statements }: Batch): Promise<number> {
  const { waiting, fill, fillOne } = statements
  const rows = await tx.all(waiting.text, waiting.bind({ account }))
  const filled = rows.map(([json, version = null]) => {
    const row = JSON.parse(String(json)) as { readonly id: string }
    return [row.id, wordsOfRow(resource, search, account, row), version] as const
  })
  if (filled.length === 0) return 0
  if (tx.dialect.isRemote) await tx.all(fill.text, fill.bind({ account, values: [JSON.stringify(filled)] }))
  else for (const [id, ...values] of filled) await tx.all(fillOne.text, fillOne.bind({ account, id, values }))
  return filled.length
}
