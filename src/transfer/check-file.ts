import { equalValues } from '../call/equal-values.ts'
import type { StoredRow } from '../call/stored-row.ts'
import { bound } from '../plan/bind.ts'
import type { RowFault } from '../write/read-whole-row.ts'
import { FileIds } from './file-ids.ts'
import { FileReferences } from './file-references.ts'
import type { MistakeLog } from './mistake-log.ts'
import type { FileRow, NamedRow } from './read-row.ts'
import type { StoredRows } from './stored-rows.ts'

/** Checks rows against each other and against the store, before any of them is written. */
export class FileCheck {
  readonly #stored: StoredRows
  readonly #mistakes: MistakeLog
  readonly #ids = new FileIds()
  /** Values of unique sets, with the line that has them. */
  readonly #uniques = new Map<string, number>()
  readonly references: FileReferences
  /** Lines whose rows are in the store already. */
  readonly present = new Set<number>()
  /** Owners for which the file says a sum: by account and resource. */
  readonly statedSums = new FileIds()

  constructor(stored: StoredRows, mistakes: MistakeLog) {
    this.#stored = stored
    this.#mistakes = mistakes
    this.references = new FileReferences(this.#ids, stored, mistakes)
  }

  /** Rows in their order. `isDone` are rows that an earlier run has written. */
  async rows(rows: readonly FileRow[], isDone: boolean): Promise<void> {
    for (const row of rows) this.#note(row)
    for (const group of inGroups(rows)) {
      const withIds = group.filter(({ given }) => given.id !== undefined)
      const stored = await this.#stored.ofIds(withIds)
      for (const row of withIds) {
        const found = stored.get(String(row.given.id))
        if (found && isDone) this.references.ofDone(row, found)
        else if (found) this.#checkPresent(row, found)
      }
      if (isDone) continue
      const fresh = group.filter(({ line }) => !this.present.has(line))
      await this.#checkUniques(fresh)
      await this.references.ofNew(fresh)
    }
  }

  /** A row with a mistake, which is told. Nothing more is to be said of rows that name it. */
  faulty(line: number, { resource, account, id }: NamedRow): void {
    this.#ids.add(resource, account, id, line)
  }

  #note({ resource, account, row, given, line }: FileRow): void {
    if (given.id === undefined) return
    const id = String(row.id)
    const before = this.#ids.add(resource, account, id, line)
    if (before !== null) this.#mistakes.add(line, { field: 'id', detail: `is that of line ${before} too` })
    if (resource.fields.some((field) => field.sum && given[field.name] !== undefined))
      this.statedSums.add(resource, account, id, line)
  }

  /** A row whose id the store has must be the same row. */
  #checkPresent(at: FileRow, found: StoredRow): void {
    this.present.add(at.line)
    const differs = differences(at, found)
    if (differs.length > 0)
      this.#mistakes.add(at.line, {
        field: 'id',
        detail: `is that of a row that exists and differs in ${differs.join(', ')}`,
      })
  }

  async #checkUniques(rows: readonly FileRow[]): Promise<void> {
    const resource = rows[0]?.resource
    for (const set of resource?.uniques ?? []) {
      const filled = rows.filter(({ row }) => set.every((name) => row[name] !== null))
      for (const one of filled) this.#checkUnique(one, set)
      for (const line of await this.#stored.taken(filled, set))
        this.#mistakes.add(line, taken(set, 'another row has this value'))
    }
  }

  #checkUnique({ resource, account, row, line }: FileRow, set: readonly string[]): void {
    const values = set.map((name) => {
      const field = resource.field.get(name)
      return field ? bound(field, row[name]) : null
    })
    const key = JSON.stringify([resource.name, account, set, values])
    const before = this.#uniques.get(key)
    if (before === undefined) this.#uniques.set(key, line)
    else this.#mistakes.add(line, taken(set, `line ${before} has this value`))
  }
}

/** The fields that the file says otherwise than the store. */
const differences = (at: FileRow, found: StoredRow): readonly string[] =>
  at.resource.fields
    .filter(
      ({ name, sum }) =>
        name !== 'updated_at' &&
        !sum &&
        at.given[name] !== undefined &&
        !equalValues(at.given[name], found[name]),
    )
    .map(({ name }) => name)

const taken = (set: readonly string[], why: string): RowFault => ({
  field: set.join(', '),
  detail: `must be unique, and ${why}`,
})

/** Rows of one resource and one account. */
const inGroups = (rows: readonly FileRow[]): Iterable<readonly FileRow[]> =>
  Map.groupBy(rows, ({ resource, account }) => `${resource.name} ${account}`).values()
