import type { BelongsToModel } from '../compile/model.ts'
import { bound } from '../plan/bind.ts'
import type { StoredRow } from '../request/body.ts'
import { equalValues } from '../request/equal-values.ts'
import type { RowFault } from '../write/read-whole-row.ts'
import { FileIds } from './file-ids.ts'
import type { HeldBack } from './held-back.ts'
import type { MistakeLog } from './mistake-log.ts'
import type { FileRow, NamedRow } from './read-row.ts'
import type { StoredRows } from './stored-rows.ts'
import type { References, UnfinishedRows } from './unfinished-rows.ts'

/** A reference to a row that was neither before it in the file nor in the store. */
interface Unresolved {
  readonly at: FileRow
  readonly relation: BelongsToModel
  readonly value: string
  /** Whether its row is in the store already, and lacks the reference. */
  readonly isUnfinished: boolean
}

/** Checks rows against each other and against the store, before any of them is written. */
export class FileCheck {
  readonly #stored: StoredRows
  readonly #unfinished: UnfinishedRows
  readonly #mistakes: MistakeLog
  readonly #ids = new FileIds()
  /** The ids of rows that have a mistake of their own. */
  readonly #faulty = new FileIds()
  /** Values of unique sets, with the line that has them. */
  readonly #uniques = new Map<string, number>()
  /** References that the store has. */
  readonly #known = new FileIds()
  readonly #unresolved: Unresolved[] = []
  /** Lines whose rows are in the store already. */
  readonly present = new Set<number>()
  /** Owners for which the file says a sum: by account and resource. */
  readonly statedSums = new FileIds()

  constructor(stored: StoredRows, unfinished: UnfinishedRows, mistakes: MistakeLog) {
    this.#stored = stored
    this.#unfinished = unfinished
    this.#mistakes = mistakes
  }

  /** Rows in their order. `isDone` are rows that an earlier run has written: they are only noted. */
  async rows(rows: readonly FileRow[], isDone: boolean): Promise<void> {
    for (const row of rows) this.#note(row)
    if (isDone) {
      for (const row of rows) this.#noteLacking(row)
      return
    }
    for (const group of inGroups(rows)) {
      const fresh = await this.#withoutPresent(group)
      await this.#checkUniques(fresh)
      await this.#checkReferences(fresh)
    }
  }

  /** A row that cannot be written, where it says which one it is: rows that name it are told so. */
  faultyRow(line: number, named: NamedRow | null): void {
    if (named) this.#faulty.add(named.resource, named.account, named.id, line)
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
      const lacking = this.#noteLacking(at)
      const differs = differences(at, found, lacking)
      if (differs.length > 0)
        this.#mistakes.add(at.line, {
          field: 'id',
          detail: `is that of a row that exists and differs in ${differs.join(', ')}`,
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
          open.push({ at, relation, value, isUnfinished: false })
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

  /** Notes the references that a row, which is in the store already, lacks; gives them. */
  #noteLacking(at: FileRow): References {
    const { resource, account, row } = at
    const lacking = this.#unfinished.of(account, resource.name, String(row.id)) ?? {}
    for (const relation of resource.belongsTo) {
      const value = lacking[relation.field]
      if (value !== undefined) this.#unresolved.push({ at, relation, value, isUnfinished: true })
    }
    return lacking
  }

  /** After the last row: which references must wait for a row that comes later. `doneLine` is the last one that an earlier run wrote. */
  heldBack(doneLine: number): readonly HeldBack[] {
    const held = new Map<number, HeldBack>()
    const hold = ({ at, relation, value }: Unresolved, line: number): void => {
      const { resource, account } = at
      const known = held.get(at.line) ?? { references: {}, until: 0 }
      const references = { ...known.references, [relation.field]: value }
      const until = Math.max(known.until, line)
      held.set(at.line, { line: at.line, resource, account, id: String(at.row.id), references, until })
    }
    for (const one of this.#unresolved) {
      const { at, relation, value, isUnfinished } = one
      const line = this.#ids.lineOf(relation.target, accountOf(at, relation), value)
      const isThere = line !== null && (line <= doneLine || this.present.has(line))
      if (isUnfinished) {
        if (line !== null) hold(one, isThere ? 0 : line)
      } else if (line === null || !relation.optional || at.given.id === undefined)
        this.#mistakes.add(at.line, this.#unresolvedFault(one, line))
      else if (!isThere) hold(one, line)
    }
    return [...held.values()]
  }

  #unresolvedFault({ at, relation, value }: Unresolved, later: number | null): RowFault {
    const { field, target, optional } = relation
    const orId = optional ? ', or give this row an id' : ''
    if (later !== null)
      return {
        field,
        detail: `names the row of line ${later}, which comes later: put that line first${orId}`,
      }
    const faulty = this.#faulty.lineOf(target, accountOf(at, relation), value)
    if (faulty !== null) return { field, detail: `names the row of line ${faulty}, which has a mistake` }
    return { field, detail: `names a row of ${target.name} that does not exist` }
  }
}

/** The fields that the file says otherwise than the store. */
const differences = (
  { resource, given }: FileRow,
  found: StoredRow,
  lacking: References,
): readonly string[] =>
  resource.fields
    .filter(
      ({ name, sum }) =>
        name !== 'updated_at' &&
        !sum &&
        given[name] !== undefined &&
        !(found[name] === null && lacking[name] === given[name]) &&
        !equalValues(given[name], found[name]),
    )
    .map(({ name }) => name)

const taken = (set: readonly string[], why: string): RowFault => ({
  field: set.join(', '),
  detail: `must be unique, and ${why}`,
})

/** The account of a related row. */
const accountOf = (at: FileRow | undefined, { target }: BelongsToModel): string =>
  target.shared ? '' : (at?.account ?? '')

/** Rows of one resource and one account. */
const inGroups = (rows: readonly FileRow[]): Iterable<readonly FileRow[]> =>
  Map.groupBy(rows, ({ resource, account }) => `${resource.name} ${account}`).values()
