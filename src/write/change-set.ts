import type { StoredRow } from '../call/stored-row.ts'
import type { Resource, SumFeed } from '../compile/model.ts'
import { kinds } from '../kinds/kinds.ts'
import { bound } from '../plan/bind.ts'
import { knownField, type Lock, type RowStatement } from '../plan/row-statements.ts'
import { wordsOf } from '../plan/search-index.ts'
import { rowArray } from '../plan/write-statements.ts'
import type { Row, Transaction, Value } from '../store/store.ts'
import { lockDeletedAlong } from './deleted-along.ts'
import { insertAtOnce } from './inserted-at-once.ts'
import type { NewJob } from './new-job.ts'
import { OperationsInTurn } from './operations-in-turn.ts'
import { outOfRange } from './out-of-range.ts'
import {
  boundRow,
  type LackingRow,
  type LockedRow,
  type RowChange,
  rowValues,
  type SumsLater,
  type WholeRow,
} from './row-change.ts'
import { RowsInHand } from './rows-in-hand.ts'
import { type SumDifference, sumDifferences, sumsAfter } from './sum-differences.ts'
import type { Writer } from './writer.ts'

/**
 * Changes rows of one account within one transaction, each with all that follows from it: sums on other rows, rows that are deleted
 * along. No other module inserts, updates or deletes rows of a resource. `changes` says what became of every row.
 */
export class ChangeSet {
  readonly tx: Transaction
  readonly account: string
  readonly #writer: Writer
  readonly #rows = new RowsInHand()
  readonly #operations = new OperationsInTurn()
  /** The jobs that hooks have handed over. */
  readonly jobs: NewJob[] = []

  constructor(writer: Writer, tx: Transaction, account: string) {
    this.#writer = writer
    this.tx = tx
    this.account = account
  }

  /** Every row that differs from what it was before the transaction, in the order of the first change. */
  get changes(): readonly RowChange[] {
    return this.#rows.changes
  }

  /** Reads a row and keeps others from changing (or from naming and deleting) it until the transaction ends; null if there is none. */
  lock(resource: Resource, id: string, lock: Lock): Promise<LockedRow | null> {
    return this.#operations.run(() => this.#lock(resource, id, lock))
  }

  /** Locks several rows to be changed, in the order of their ids, so that `lock` has them at hand. */
  lockAll(resource: Resource, ids: readonly string[]): Promise<void> {
    return this.#operations.run(() => this.#lockAll(resource, ids))
  }

  /** Inserts a row from the values of all its fields; returns it as it is stored. */
  insert(resource: Resource, row: StoredRow): Promise<LockedRow> {
    return this.#operations.run(() => this.#insert(resource, row))
  }

  /** Inserts many rows of one resource, as they are. They are not kept as locked rows. */
  insertMany(resource: Resource, rows: readonly WholeRow[], sumsLater: SumsLater): Promise<void> {
    return this.#operations.run(() => this.#insertMany(resource, rows, sumsLater))
  }

  /** Sets references of rows that `insertMany` has inserted without them, but for those that were set meanwhile. A row may be gone. */
  fillReferences(resource: Resource, rows: readonly LackingRow[], sumsLater: SumsLater): Promise<void> {
    return this.#operations.run(async () => {
      const filled: RowChange[] = []
      for (const row of rows) filled.push(...(await this.#fillReferences(resource, row)))
      await this.#keepSums(filled, sumsLater)
    })
  }

  /** Adds up the rows of some owners again, and corrects the sums that are not what these give. */
  correctSums(resource: Resource, ids: readonly string[]): Promise<void> {
    return this.#operations.run(() => this.#correctSums(resource, ids))
  }

  /** Sets the named fields of a row that `lock` has given; returns it as it is stored. */
  update(resource: Resource, id: string, values: StoredRow): Promise<LockedRow> {
    return this.#operations.run(() => this.#update(resource, id, values))
  }

  /** Deletes a row that `lock` has given, and with it all rows that are declared to go along. */
  remove(resource: Resource, id: string): Promise<void> {
    return this.#operations.run(() => this.#remove(resource, id))
  }

  /** Judges what a hook writes, as a part of the write: a mistake ends the transaction, even if the hook catches the error. */
  judged<T>(judge: () => T): Promise<T> {
    return this.#operations.run(async () => judge())
  }

  /** Notes a call of a hook, which `settled` waits for. */
  track<T>(call: Promise<T>): Promise<T> {
    return this.#operations.track(call)
  }

  /** Resolves when all tracked calls and all operations have ended; throws what an operation threw. */
  settled(): Promise<void> {
    return this.#operations.settled()
  }

  async #lock(resource: Resource, id: string, lock: Lock): Promise<LockedRow | null> {
    const known = this.#rows.find(resource, id, lock)
    if (known) return known
    const statement = this.#writer.planner.lock(resource, lock)
    const found = await this.tx.first(statement.text, statement.bind({ account: this.account, id }))
    return found ? this.#rows.locked(resource, found, lock) : null
  }

  async #lockAll(resource: Resource, ids: readonly string[]): Promise<void> {
    const others = ids.filter((id) => !this.#rows.find(resource, id, 'to-change'))
    if (others.length < 2) return
    const { text, bind } = this.#writer.planner.lockAll(resource)
    const values = [JSON.stringify(others.toSorted())]
    const found = await this.tx.all(text, bind({ account: this.account, values }))
    for (const row of found) this.#rows.locked(resource, row, 'to-change')
  }

  async #insert(resource: Resource, row: StoredRow): Promise<LockedRow> {
    const insert = this.#writer.writes.insertAndRead(resource)
    // No row names it yet, so its sums are those of no rows, whatever a hook says.
    const sums = resource.fields.filter(({ sum }) => sum).map((field) => [field.name, field.default])
    const values = rowValues(resource, this.account, { ...row, ...Object.fromEntries(sums) })
    const id = String(row.id)
    const stored = await this.#writeAndRead(resource, insert, { id, values })
    if (!stored) throw new Error(`The store did not answer with the new row of ${resource.name}`)
    const inserted = this.#rows.inserted(resource, stored)
    await this.#keepSums([{ resource, id, before: null, after: inserted.row }])
    return this.#rows.latest(resource, inserted)
  }

  async #insertMany(resource: Resource, rows: readonly WholeRow[], sumsLater: SumsLater): Promise<void> {
    const { writes } = this.#writer
    const values = rows.map((row) => boundRow(resource, this.account, row))
    await insertAtOnce(this.tx, this.account, values, {
      array: { as: rowArray(resource), insert: (alike) => writes.insertMany(resource, alike) },
      ofValues: (count) => writes.insertWhole(resource, count),
    })
    const inserted = rows.map(({ row }) => this.#rows.note(resource, null, row))
    if (resource.feeds.length > 0) await this.#keepSums(inserted, sumsLater)
  }

  /** What became of the row, where it was changed. */
  async #fillReferences(resource: Resource, { id, references }: LackingRow): Promise<readonly RowChange[]> {
    const before = await this.#lock(resource, id, 'to-change')
    if (!before) return []
    const names: string[] = []
    for (const { field, target } of resource.references) {
      const named = references[field]
      if (named !== undefined && before.row[field] === null && (await this.#lock(target, named, 'to-change')))
        names.push(field)
    }
    if (names.length === 0) return []
    const fill = this.#writer.writes.fillReferences(resource, names)
    const values = names.map((name) => bound(knownField(resource, name), references[name]))
    const stored = await this.#writeAndRead(resource, fill, { id, values })
    if (!stored) return []
    return [
      { resource, id, before: before.row, after: this.#rows.rewritten(resource, before.row, stored).row },
    ]
  }

  async #correctSums(resource: Resource, ids: readonly string[]): Promise<void> {
    for (const source of this.#writer.model.stored.values())
      for (const feed of source.feeds) {
        if (feed.on !== resource) continue
        const { text, bind } = this.#writer.writes.wrongSums(feed, source)
        const wrong = await this.tx.all(text, bind({ account: this.account, values: [JSON.stringify(ids)] }))
        for (const [id] of wrong) await this.#correctSum(feed, source, String(id))
      }
  }

  async #correctSum(feed: SumFeed, source: Resource, id: string): Promise<void> {
    const { on, field } = feed
    // On PostgreSQL a statement does not see what others commit after it began. So the owner is waited for first, and then counted.
    const owner = await this.#lock(on, id, 'to-change')
    if (!owner) return
    const { text, bind } = this.#writer.writes.countSum(feed, source)
    const [json] = (await this.tx.first(text, bind({ account: this.account, id }))) ?? []
    const counted: unknown = JSON.parse(String(json))
    if (!kinds[field.kind].isStored(counted)) throw outOfRange()
    if (counted !== owner.row[field.name]) await this.#set(on, id, { [field.name]: counted })
  }

  /** Sums are not set so, whatever a hook says: they follow from the rows that they add up. Where nothing else is said, nothing is written. */
  async #update(resource: Resource, id: string, values: StoredRow): Promise<LockedRow> {
    const before = this.#rows.demand(resource, id)
    const own = Object.entries(values).filter(([name]) => !resource.field.get(name)?.sum)
    if (own.length === 0) return before
    const updated = await this.#set(resource, id, Object.fromEntries(own))
    await this.#keepSums([{ resource, id, before: before.row, after: updated.row }])
    return this.#rows.latest(resource, updated)
  }

  /** Writes fields of a row in hand, and nothing that follows from it. */
  async #set(resource: Resource, id: string, values: StoredRow): Promise<LockedRow> {
    const before = this.#rows.demand(resource, id).row
    const names = Object.keys(values).sort()
    const update = this.#writer.writes.update(resource, names)
    const bindings = names.map((name) => bound(knownField(resource, name), values[name]))
    const words = wordsOf(resource, this.account, { ...before, ...values })
    const stored = await this.#writeAndRead(resource, update, {
      id,
      values: [...bindings, this.#time(), ...words],
    })
    if (!stored) throw new Error(`A row of ${resource.name} was updated that is not there`)
    return this.#rows.rewritten(resource, before, stored)
  }

  async #remove(resource: Resource, id: string): Promise<void> {
    const { row } = this.#rows.demand(resource, id)
    const along = await lockDeletedAlong(this.#writer, this, this.#rows, { resource, id })
    // The foreign keys that cascade delete rows along. Where they restrict, the referring rows are deleted first.
    for (const one of along.toReversed())
      if (one.restricts) await this.#delete(one.resource, String(one.row.id))
    await this.#delete(resource, id)
    const removed = [{ resource, row }, ...along]
    for (const one of removed) this.#rows.removed(one.resource, one.row)
    await this.#keepSums(
      removed.map((one) => ({
        resource: one.resource,
        id: String(one.row.id),
        before: one.row,
        after: null,
      })),
    )
  }

  async #delete(resource: Resource, id: string): Promise<void> {
    const { text, bind } = this.#writer.writes.delete(resource)
    await this.tx.first(text, bind({ account: this.account, id }))
  }

  /** Adds the differences that changed rows make to the sums of their owners. No other row of an owner is read. */
  async #keepSums(changes: readonly RowChange[], sumsLater: SumsLater = () => false): Promise<void> {
    const differences = sumDifferences(changes).filter(({ on, id }) => !sumsLater(on, id))
    for (const [on, ofOwners] of Map.groupBy(differences, (one) => one.on)) {
      await this.#lockAll(
        on,
        ofOwners.map(({ id }) => id),
      )
      for (const difference of ofOwners) await this.#addToSums(difference)
    }
  }

  async #addToSums({ on, id, sums }: SumDifference): Promise<void> {
    // The owner is locked, so the sums of the row that was read are current. It is null where it is deleted along.
    const owner = await this.#lock(on, id, 'to-change')
    if (owner) await this.#set(on, id, sumsAfter(owner.row, sums))
  }

  /** Runs a statement that writes one row, and gives the row as it is stored; nothing where the statement wrote none. */
  async #writeAndRead(
    resource: Resource,
    { text, bind }: RowStatement,
    given: { readonly id: string; readonly values: readonly Value[] },
  ): Promise<Row | undefined> {
    const written = await this.tx.first(text, bind({ account: this.account, ...given }))
    if (!written || this.tx.dialect.returnsRows) return written
    const read = this.#writer.planner.lock(resource, 'to-change')
    return this.tx.first(read.text, read.bind({ account: this.account, id: given.id }))
  }

  #time(): string {
    return new Date(this.#writer.now()).toISOString()
  }
}
