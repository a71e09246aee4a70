import type { BelongsToModel } from '../compile/model.ts'
import { bound } from '../plan/bind.ts'
import { equalValues } from '../request/equal-values.ts'
import { FileIds } from './file-ids.ts'
import type { HeldBack } from './held-back.ts'
import type { FileMistake, MistakeLog } from './mistake-log.ts'
import type { FileRow } from './read-row.ts'
import type { StoredRows, StoredVersion } from './stored-rows.ts'

/**
 * Whether the row of a reference is `new`, or in the store: written by an earlier run of this import (`done`), or by one that did not end and
 * so without some of its references (`unfinished`).
 */
type Holder = 'new' | 'done' | 'unfinished'

/** A reference to a row that was neither before it in the file nor in the store. */
interface Unresolved {
  readonly at: FileRow
  readonly relation: BelongsToModel
  readonly value: string
  readonly holder: Holder
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
    if (isDone) {
      for (const row of rows) this.#noteReferences(row, 'done')
      return
    }
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
    for (const at of withIds) {
      const found = stored.get(String(at.given.id))
      if (!found) continue
      this.present.add(at.line)
      const differs = differences(at, found)
      if (differs.length > 0)
        this.#mistakes.add(at.line, {
          field: 'id',
          detail: `is that of a row that exists and differs in ${differs.join(', ')}`,
        })
      if (isUnfinished(at, found)) this.#noteReferences(at, 'unfinished')
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
          open.push({ at, relation, value, holder: 'new' })
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

  /** References of a row that is in the store already, which may lack those to rows that come later in the file. */
  #noteReferences(at: FileRow, holder: Holder): void {
    if (at.given.id === undefined) return
    for (const relation of at.resource.belongsTo) {
      const value = at.row[relation.field]
      if (relation.optional && typeof value === 'string' && value !== at.row.id)
        this.#unresolved.push({ at, relation, value, holder })
    }
  }

  /** After the last row: which references must wait for a row that comes later. `doneLine` is the last one that an earlier run wrote. */
  async heldBack(doneLine: number): Promise<readonly HeldBack[]> {
    const held = new Map<number, HeldBack>()
    const hold = ({ at, relation, value }: Unresolved, line: number): void => {
      const { resource, account } = at
      const known = held.get(at.line) ?? { references: {}, until: 0 }
      const references = { ...known.references, [relation.field]: value }
      const until = Math.max(known.until, line)
      held.set(at.line, { line: at.line, resource, account, id: String(at.row.id), references, until })
    }
    const there: Unresolved[] = []
    for (const one of this.#unresolved) {
      const { at, relation, value, holder } = one
      const line = this.#ids.lineOf(relation.target, accountOf(at, relation), value)
      const isThere = line !== null && (line <= doneLine || this.present.has(line))
      if (holder === 'new') {
        if (line === null || !relation.optional || at.given.id === undefined)
          this.#mistakes.add(at.line, unresolved(relation, line))
        else if (!isThere) hold(one, line)
      } else if (line !== null && !isThere) hold(one, line)
      // A row that is done names rows outside the file that were there before it.
      else if (line !== null || holder === 'unfinished') there.push(one)
    }
    for (const one of await this.#stillThere(there)) hold(one, 0)
    return [...held.values()]
  }

  /** Those whose row was not deleted meanwhile. */
  async #stillThere(all: readonly Unresolved[]): Promise<readonly Unresolved[]> {
    const found: Unresolved[] = []
    for (const [relation, group] of Map.groupBy(all, (one) => one.relation))
      for (const [account, some] of Map.groupBy(group, ({ at }) => accountOf(at, relation))) {
        const ids = new Set(some.map(({ value }) => value))
        const existing = await this.#stored.existing(relation.target, account, [...ids])
        for (const one of some)
          if (existing.has(one.value)) found.push(one)
          else if (one.holder === 'unfinished') this.#mistakes.add(one.at.line, unresolved(relation, null))
      }
    return found
  }
}

/** Whether an import that did not end has inserted the row without some of its references: see `HeldBack`. */
const isUnfinished = ({ version }: FileRow, found: StoredVersion): boolean => found.version === version - 1

/** The fields that the file says otherwise than the store. */
function differences(at: FileRow, found: StoredVersion): readonly string[] {
  const { resource, given } = at
  const references = new Set(isUnfinished(at, found) ? resource.belongsTo.map(({ field }) => field) : [])
  return resource.fields
    .filter(
      ({ name, sum }) =>
        name !== 'updated_at' &&
        !sum &&
        given[name] !== undefined &&
        !(references.has(name) && found.row[name] === null) &&
        !equalValues(given[name], found.row[name]),
    )
    .map(({ name }) => name)
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
