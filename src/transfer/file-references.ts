import type { StoredRow } from '../call/stored-row.ts'
import type { BelongsToModel } from '../compile/model.ts'
import type { RowFault } from '../write/read-whole-row.ts'
import { FileIds } from './file-ids.ts'
import type { HeldBack } from './held-back.ts'
import type { MistakeLog } from './mistake-log.ts'
import type { FileRow } from './read-row.ts'
import type { StoredRows } from './stored-rows.ts'

/** A reference of a row. */
interface Reference {
  readonly at: FileRow
  readonly relation: BelongsToModel
  readonly value: string
  /** Whether an earlier run has written the row: then only references to rows that come later are looked at. */
  readonly isDone: boolean
}

/** Checks that the rows exist which the rows of a file name, in the file or in the store. */
export class FileReferences {
  readonly #ids: FileIds
  readonly #stored: StoredRows
  readonly #mistakes: MistakeLog
  /** Rows that are named and that the store has. */
  readonly #known = new FileIds()
  /** References that are not set when their row is inserted, or that cannot be set at all: the whole file must be known to tell. */
  readonly #open: Reference[] = []

  /** `ids` are those of the file's rows so far. */
  constructor(ids: FileIds, stored: StoredRows, mistakes: MistakeLog) {
    this.#ids = ids
    this.#stored = stored
    this.#mistakes = mistakes
  }

  /** Rows of one resource and one account that the store does not have. */
  async ofNew(rows: readonly FileRow[]): Promise<void> {
    const open: Reference[] = []
    for (const at of rows)
      for (const relation of at.resource.references) {
        const value = at.row[relation.field]
        if (typeof value === 'string' && !this.#isBefore(at, relation, value))
          open.push({ at, relation, value, isDone: false })
      }
    await this.#look(open)
    this.#open.push(...open.filter(({ at, relation, value }) => !this.#isKnown(at, relation, value)))
  }

  /** A row that an earlier run has written, perhaps without its references to rows that come later. */
  ofDone(at: FileRow, found: StoredRow): void {
    for (const relation of at.resource.references) {
      const value = at.given[relation.field]
      if (typeof value === 'string' && found[relation.field] === null)
        this.#open.push({ at, relation, value, isDone: true })
    }
  }

  /** After the last row: which references must wait for a row that comes later. */
  heldBack(): readonly HeldBack[] {
    const held = new Map<number, HeldBack>()
    for (const { at, relation, value, isDone } of this.#open) {
      const { resource, account } = at
      const line = this.#lineOf(at, relation, value)
      const isLater = line !== null && line > at.line
      if (isLater && relation.optional && at.given.id !== undefined) {
        const known = held.get(at.line) ?? { references: {}, until: 0 }
        const references = { ...known.references, [relation.field]: value }
        const until = Math.max(known.until, line)
        held.set(at.line, { line: at.line, resource, account, id: String(at.row.id), references, until })
      } else if (!isDone) this.#mistakes.add(at.line, unresolved(relation, line))
    }
    return [...held.values()]
  }

  /** Whether a new row can have the reference from the start. */
  #isBefore(at: FileRow, relation: BelongsToModel, value: string): boolean {
    const line = this.#lineOf(at, relation, value)
    return (line !== null && line <= at.line) || this.#isKnown(at, relation, value)
  }

  /** Asks the store for the rows that are named. */
  async #look(references: readonly Reference[]): Promise<void> {
    for (const [relation, group] of Map.groupBy(references, (one) => one.relation)) {
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

/** Why a reference cannot be set; `later` is the line of the row that it names, which comes later. */
function unresolved({ field, target, optional }: BelongsToModel, later: number | null): RowFault {
  const orId = optional ? ', or give this row an id' : ''
  return later === null
    ? { field, detail: `names a row of ${target.name} that does not exist` }
    : { field, detail: `names the row of line ${later}, which comes later: put that line first${orId}` }
}

/** The account of a related row. */
const accountOf = (at: FileRow | undefined, { target }: BelongsToModel): string =>
  target.shared ? '' : (at?.account ?? '')
