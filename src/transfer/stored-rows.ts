import type { StoredRow } from '../call/stored-row.ts'
import type { Resource } from '../compile/model.ts'
import { bound } from '../plan/bind.ts'
import { Planner } from '../plan/planner.ts'
import type { RowStatement } from '../plan/row-statements.ts'
import { rowsOfIds, takenUniques } from '../plan/whole-rows.ts'
import type { Row, Store } from '../store/store.ts'
import type { FileRow } from './read-row.ts'

/** What the store has of the rows of a file. */
export class StoredRows {
  readonly #store: Store
  readonly #planner: Planner

  constructor(store: Store) {
    this.#store = store
    this.#planner = new Planner(store.dialect)
  }

  /** Which of these ids are those of rows. */
  async existing(resource: Resource, account: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set()
    const rows = await this.#all(this.#planner.naming(resource, 'id', 'all'), account, ids)
    return new Set(rows.map(([id]) => String(id)))
  }

  /** The stored rows with the ids of these rows, which are all of one resource and one account. */
  async ofIds(rows: readonly FileRow[]): Promise<ReadonlyMap<string, StoredRow>> {
    const [first] = rows
    if (!first) return new Map()
    const { resource, account } = first
    const ids = rows.map(({ given }) => String(given.id))
    const found = await this.#all(rowsOfIds(resource, this.#store.dialect), account, ids)
    const stored = found.map(([json]) => JSON.parse(String(json)) as StoredRow)
    return new Map(stored.map((row) => [String(row.id), row]))
  }

  /** The lines of these rows, all of one resource and one account, that have the values of a unique set which another row has. */
  async taken(rows: readonly FileRow[], set: readonly string[]): Promise<readonly number[]> {
    const [first] = rows
    if (!first) return []
    const { resource, account } = first
    const fields = set.flatMap((name) => resource.field.get(name) ?? [])
    const given = rows.map(({ line, row }) => [
      line,
      row.id,
      ...fields.map((field) => bound(field, row[field.name])),
    ])
    const found = await this.#all(takenUniques(resource, set, this.#store.dialect), account, given)
    return found.map(([line]) => Number(line))
  }

  async #all(
    { text, bind }: RowStatement,
    account: string,
    list: readonly unknown[],
  ): Promise<readonly Row[]> {
    return this.#store.all(text, bind({ account, values: [JSON.stringify(list)] }))
  }
}
