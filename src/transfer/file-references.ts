import type { BelongsToModel } from '../compile/model.ts'
import type { RowFault } from '../write/read-whole-row.ts'
import { FileIds } from './file-ids.ts'
import type { HeldBack, RowReferences } from './held-back.ts'
import type { MistakeLog } from './mistake-log.ts'
import type { FileRow, NamedRow } from './read-row.ts'
import type { StoredRows } from './stored-rows.ts'
import type { UnfinishedRows } from './unfinished-rows.ts'

/** A reference of a row. */
interface Reference {
  readonly at: FileRow
  readonly relation: BelongsToModel
  readonly value: string
  /** Whether the row is in the store already, and lacks the reference. */
  readonly isUnfinished: boolean
}

/** Checks that the rows exist which the rows of a file name, in the file or in the store. */
export class FileReferences {
  readonly #ids: FileIds
  readonly #stored: StoredRows
  readonly #unfinished: UnfinishedRows
  readonly #mistakes: MistakeLog
  /** Rows that are named and that the store has. */
  readonly #known = new FileIds()
  /** The ids of rows of the file that have a mistake of their own. */
  readonly #faulty = new FileIds()
  /** References that are not set when their row is inserted, or that cannot be set at all: the whole file must be known to tell. */
  readonly #open: Reference[] = []
  /** References that are noted as lacking, and that are not: the file says null, or the row is new. */
  readonly settled: RowReferences[] = []

  /** `ids` are those of the file's rows so far. */
  constructor(ids: FileIds, stored: StoredRows, unfinished: UnfinishedRows, mistakes: MistakeLog) {
    this.#ids = ids
    this.#stored = stored
    this.#unfinished = unfinished
    this.#mistakes = mistakes
  }

  /** A row that cannot be written, where it says which one it is: rows that name it are told so. */
  faultyRow(line: number, named: NamedRow | null): void {
    if (named) this.#faulty.add(named.resource, named.account, named.id, line)
  }

  /** Rows of one resource and one account that the store does not have. */
  async ofNew(rows: readonly FileRow[]): Promise<void> {
    const open: Reference[] = []
    for (const at of rows) {
      // A row that lacked references and was deleted since.
      this.#settle(at, this.#unfinished.of(at))
      for (const relation of at.resource.belongsTo) {
        const value = at.row[relation.field]
        if (typeof value === 'string' && !this.#isBefore(at, relation, value))
          open.push({ at, relation, value, isUnfinished: false })
      }
    }
    await this.#look(open)
    this.#open.push(...open.filter(({ at, relation, value }) => !this.#isKnown(at, relation, value)))
  }

  /** Rows of one resource and one account that the store has: the file says now what the references are that they lack. */
  async ofStored(rows: readonly FileRow[]): Promise<void> {
    const open: Reference[] = []
    for (const at of rows) {
      const lacking = this.#unfinished.of(at)
      const relations = at.resource.belongsTo.filter(({ field }) => lacking.includes(field))
      this.#settle(
        at,
        relations
          .map(({ field }) => field)
          .filter((field) => at.given[field] === null && Object.hasOwn(at.said, field)),
      )
      for (const relation of relations) {
        const value = at.given[relation.field]
        if (typeof value === 'string') open.push({ at, relation, value, isUnfinished: true })
      }
    }
    await this.#look(open)
    this.#open.push(...open)
  }

  /** After the last row: which references must wait for a row that comes later. `isWritten` says it of the lines whose rows the store has. */
  heldBack(isWritten: (line: number) => boolean): readonly HeldBack[] {
    const held = new Map<number, HeldBack>()
    const hold = ({ at, relation, value }: Reference, line: number): void => {
      const { resource, account } = at
      const known = held.get(at.line) ?? { references: {}, until: 0 }
      const references = { ...known.references, [relation.field]: value }
      const until = Math.max(known.until, line)
      held.set(at.line, { line: at.line, resource, account, id: String(at.row.id), references, until })
    }
    for (const one of this.#open) {
      const { at, relation, value, isUnfinished } = one
      const line = this.#lineOf(at, relation, value)
      const canWait = isUnfinished || (relation.optional && at.given.id !== undefined)
      if (this.#isKnown(at, relation, value) || (line !== null && isWritten(line))) {
        if (isUnfinished) hold(one, 0)
      } else if (line !== null && canWait) hold(one, line)
      else this.#mistakes.add(at.line, this.#unresolved(one, line))
    }
    return [...held.values()]
  }

  #unresolved({ at, relation, value }: Reference, later: number | null): RowFault {
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

  #settle({ resource, account, row }: FileRow, fields: readonly string[]): void {
    if (fields.length > 0) this.settled.push({ resource, account, id: String(row.id), fields })
  }

  /** Whether a new row can have the reference from the start. */
  #isBefore(at: FileRow, relation: BelongsToModel, value: string): boolean {
    const line = this.#lineOf(at, relation, value)
    return (line !== null && line <= at.line) || this.#isKnown(at, relation, value)
  }

  /** Asks the store for the rows that are named. */
  async #look(references: readonly Reference[]): Promise<void> {
    const unknown = references.filter(({ at, relation, value }) => !this.#isKnown(at, relation, value))
    for (const [relation, group] of Map.groupBy(unknown, (one) => one.relation)) {
      const account = accountOf(group[0]?.at, relation)
      const ids = [...new Set(group.map(({ value }) => value))]
      for (const id of await this.#stored.existing(relation.target, account, ids))
        this.#known.add(relation.target, account, id, 0)
    }
  }

  #isKnown(at: FileRow, relation: BelongsToModel, value: string): boolean {
    return this.#known.lineOf(relation.target, accountOf(at, relation), value) !== null
  }

  #lineOf(at: FileRow, relation: BelongsToModel, value: string): number | null {
    return this.#ids.lineOf(relation.target, accountOf(at, relation), value)
  }
}

/** The account of a related row. */
const accountOf = (at: FileRow | undefined, { target }: BelongsToModel): string =>
  target.shared ? '' : (at?.account ?? '')
