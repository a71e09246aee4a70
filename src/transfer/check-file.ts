import type { BelongsToModel, Resource } from '../compile/model.ts'
import { bound } from '../plan/bind.ts'
import { equalValues } from '../request/equal-values.ts'
import { FileIds } from './file-ids.ts'
import type { FileMistake, MistakeLog } from './mistake-log.ts'
import type { FileRow } from './read-row.ts'
import type { StoredRows } from './stored-rows.ts'

/** A reference to a row that comes later in the file. It is set when that row is there. */
export interface HeldBack {
  readonly resource: Resource
  readonly account: string
  readonly id: string
  readonly field: string
  readonly value: string
}

/** A reference to a row that was neither before it in the file nor in the store. */
interface Unresolved {
  readonly at: FileRow
  readonly relation: BelongsToModel
  readonly value: string
}

/** Checks rows against each other and against the store, before any of them is written. */
export class FileCheck {
  readonly #stored: StoredRows
  readonly #mistakes: MistakeLog
  readonly #ids = new FileIds()
  /** Values of unique sets, with the line that has them. */
  readonly #uniques = new Map<string, number>()
  /** References that the store has. */
  readonly #known = new FileIds()
  readonly #unresolved: Unresolved[] = []
  /** Lines whose rows are in the store already. */
  readonly present = new Set<number>()
  /** Owners for which the file says a sum: by account and resource. */
  readonly statedSums = new FileIds()

  constructor(stored: StoredRows, mistakes: MistakeLog) {
    this.#stored = stored
    this.#mistakes = mistakes
  }

  /** Rows in their order. `isDone` are rows that an earlier run has written: they are only noted. */
  async rows(rows: readonly FileRow[], isDone: boolean): Promise<void> {
    for (const row of rows) this.#note(row)
    if (isDone) return
    for (const group of inGroups(rows)) {
      const fresh = await this.#withoutPresent(group)
      await this.#checkUniques(fresh)
      await this.#checkReferences(fresh)
    }
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
  async #withoutPresent(rows: readonly FileRow[]): Promise<readonly FileRow[]> {
    const withIds = rows.filter(({ given }) => given.id !== undefined)
    const stored = await this.#stored.ofIds(withIds)
    if (stored.size === 0) return rows
    for (const { line, resource, given } of withIds) {
      const found = stored.get(String(given.id))
      if (!found) continue
      this.present.add(line)
      const differs = resource.fields.filter(
        ({ name, sum }) =>
          name !== 'updated_at' &&
          !sum &&
          given[name] !== undefined &&
          !equalValues(given[name], found[name]),
      )
      if (differs.length > 0)
        this.#mistakes.add(line, {
          field: 'id',
          detail: `is that of a row that exists and differs in ${differs.map(({ name }) => name).join(', ')}`,
        })
    }
    return rows.filter(({ line }) => !this.present.has(line))
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

  async #checkReferences(rows: readonly FileRow[]): Promise<void> {
    const open: Unresolved[] = []
    for (const at of rows)
      for (const relation of at.resource.belongsTo) {
        const value = at.row[relation.field]
        if (typeof value === 'string' && !this.#isResolved(at, relation, value))
          open.push({ at, relation, value })
      }
    for (const [relation, group] of Map.groupBy(open, (one) => one.relation)) {
      const account = accountOf(group[0]?.at, relation)
      const found = await this.#stored.existing(relation.target, account, [
        ...new Set(group.map(({ value }) => value)),
      ])
      for (const id of found) this.#known.add(relation.target, account, id, 0)
      this.#unresolved.push(...group.filter(({ value }) => !found.has(value)))
    }
  }

  #isResolved(at: FileRow, relation: BelongsToModel, value: string): boolean {
    const account = accountOf(at, relation)
    const line = this.#ids.lineOf(relation.target, account, value)
    return (line !== null && line <= at.line) || this.#known.lineOf(relation.target, account, value) !== null
  }

  /** After the last row: which references must wait for a row that comes later. */
  heldBack(): ReadonlyMap<number, readonly HeldBack[]> {
    const held: (HeldBack & { readonly line: number })[] = []
    for (const { at, relation, value } of this.#unresolved) {
      const { resource, account, row, given, line } = at
      const later = this.#ids.lineOf(relation.target, accountOf(at, relation), value)
      if (later !== null && relation.optional && given.id !== undefined)
        held.push({ line, resource, account, id: String(row.id), field: relation.field, value })
      else this.#mistakes.add(line, unresolved(relation, later))
    }
    return Map.groupBy(held, ({ line }) => line)
  }
}

const taken = (set: readonly string[], why: string): Omit<FileMistake, 'line'> => ({
  field: set.join(', '),
  detail: `must be unique, and ${why}`,
})

const unresolved = (
  { field, target, optional }: BelongsToModel,
  later: number | null,
): Omit<FileMistake, 'line'> => {
  if (later === null) return { field, detail: `names a row of ${target.name} that does not exist` }
  const orId = optional ? ', or give this row an id' : ''
  return { field, detail: `names the row of line ${later}, which comes later: put that line first${orId}` }
}

/** The account of a related row. */
const accountOf = (at: FileRow | undefined, { target }: BelongsToModel): string =>
  target.shared ? '' : (at?.account ?? '')

/** Rows of one resource and one account. */
const inGroups = (rows: readonly FileRow[]): Iterable<readonly FileRow[]> =>
  Map.groupBy(rows, ({ resource, account }) => `${resource.name} ${account}`).values()
