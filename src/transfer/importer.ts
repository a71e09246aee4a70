import type { Resource } from '../compile/model.ts'
import { refreshStatistics } from '../store/refresh-statistics.ts'
import { changeRows } from '../write/change-rows.ts'
import type { ChangeSet } from '../write/change-set.ts'
import type { SumsLater, WholeRow } from '../write/row-change.ts'
import type { HeldBack } from './held-back.ts'
import { type CheckedFile, type Entry, entryOf, type FileImport, recordsOf } from './import-file.ts'
import type { Mark } from './import-mark.ts'
import { ImportRefusals, isRefusal } from './import-refusals.ts'
import { demandGeneration, unlessMigrated } from './migrated-meanwhile.ts'
import { type FileRow, readRow } from './read-row.ts'
import type { FileRecord } from './records.ts'
import { inReferenceOrder } from './resource-order.ts'
import { changedFile } from './source-file.ts'

/** A transaction has at most so many rows, and about so many bytes of the file. */
const mostRows = 1_000
const mostBytes = 4 * 1024 * 1024

/** Writes the rows of a file that was checked, in batches that are a transaction each. */
export class Importer {
  readonly #import: FileImport
  readonly #checked: CheckedFile
  readonly #refusals: ImportRefusals
  /** References that are held back, by the line of their row. */
  readonly #held: ReadonlyMap<number, HeldBack>
  /** The held-back references that were set in the transaction that inserted their row. */
  readonly #set = new Set<HeldBack>()
  /** The stored mark. */
  #mark: Mark | null
  /** How many rows this run has written. */
  imported = 0
  /** How many rows had another sum than their rows give. */
  corrected = 0

  /** `mark` is the one that is stored. An import once more replaces it with its first rows, and not before: the file may be refused. */
  constructor(what: FileImport, checked: CheckedFile, mark: Mark | null) {
    this.#import = what
    this.#checked = checked
    this.#refusals = new ImportRefusals(what.file, checked)
    this.#held = new Map(checked.heldBack.map((one) => [one.line, one]))
    this.#mark = mark
  }

  run(): Promise<void> {
    const { writer, generation } = this.#import
    return unlessMigrated(writer.store, generation, () => this.#run())
  }

  async #run(): Promise<void> {
    const { progress } = this.#import
    let batch: Entry[] = []
    let size = 0
    for await (const { entries, bytes } of this.#entries())
      for (const entry of entries) {
        if (this.#checked.present.has(entry.line)) continue
        const isFull = batch.length >= mostRows || size >= mostBytes || batch[0]?.account !== entry.account
        if (isFull && batch.length > 0) {
          await this.#write(batch)
          progress('Importing', entry.count, bytes)
          batch = []
          size = 0
        }
        batch.push(entry)
        size += entry.bytes
      }
    await this.#write(batch)
    await this.#fill(this.#checked.heldBack.filter((held) => !this.#set.has(held)))
    await this.#refreshStatistics()
    await this.#correctSums()
    await this.#end()
  }

  /** The rows that are not written yet, some at a time. */
  async *#entries(): AsyncGenerator<{ readonly entries: readonly Entry[]; readonly bytes: number }> {
    const { file, target } = this.#import
    const { kept, isDone } = this.#checked
    if (kept) {
      for (const entries of inChunks(kept))
        yield { entries, bytes: (file.bytes * (entries[0]?.count ?? 0)) / this.#checked.rows }
      return
    }
    let count = 0
    for await (const { records, bytes } of recordsOf(file, target)) {
      const entries: Entry[] = []
      for (const record of records)
        if (!isDone(++count, record.line)) entries.push(entryOf(this.#row(record), count))
      yield { entries, bytes }
    }
    if (count !== this.#checked.rows) throw changedFile(this.#import.file)
  }

  #row(record: FileRecord): FileRow {
    const row = readRow(this.#import.target, record)
    if ('resource' in row) return row
    throw changedFile(this.#import.file)
  }

  /**
   * References to rows of the same batch are set with it. When the store refuses a batch, halves of it are tried, until the row is found. The
   * rows before it stay.
   */
  async #write(batch: readonly Entry[]): Promise<void> {
    const { mark } = this.#import
    const [first] = batch
    const last = batch.at(-1)
    if (!first || !last) return
    const { account } = first
    const next = { rows: last.count, endedAt: null }
    const atOnce = batch
      .flatMap(({ line }) => this.#held.get(line) ?? [])
      .filter(({ until }) => until <= last.line)
    try {
      await this.#change(account, async (changes) => {
        await mark.replace(changes.tx, this.#mark, next)
        const groups = Map.groupBy(batch, ({ resource }) => resource)
        for (const resource of inReferenceOrder(groups.keys()))
          await changes.insertMany(
            resource,
            (groups.get(resource) ?? []).map((entry) => this.#wholeRow(entry)),
            this.#sumsLater(account),
          )
        await this.#fillNow(changes, atOnce)
      })
    } catch (error) {
      if (!isRefusal(error)) throw error
      if (batch.length === 1) throw this.#refusals.row(last, error)
      const middle = Math.ceil(batch.length / 2)
      await this.#write(batch.slice(0, middle))
      return this.#write(batch.slice(middle))
    }
    this.#mark = next
    this.imported += batch.length
    for (const held of atOnce) this.#set.add(held)
  }

  /** A row is one version lower until it has all its references: nobody sees two forms of it with one version. */
  #wholeRow({ row, version, line }: Entry): WholeRow {
    const held = this.#held.get(line)
    if (!held) return { row, version }
    const missing = Object.fromEntries(Object.keys(held.references).map((field) => [field, null]))
    return { row: { ...row, ...missing }, version: Math.max(version - 1, 0) }
  }

  /** Sets references in transactions of their own, once all rows are there. */
  async #fill(all: readonly HeldBack[]): Promise<void> {
    for (const [account, group] of Map.groupBy(all, (held) => held.account))
      for (const some of inChunks(group)) await this.#fillSome(account, some)
  }

  async #fillSome(account: string, some: readonly HeldBack[]): Promise<void> {
    try {
      await this.#change(account, (changes) => this.#fillNow(changes, some))
    } catch (error) {
      const [first] = some
      if (!isRefusal(error) || !first) throw error
      if (some.length === 1) throw this.#refusals.references(first, error)
      const middle = Math.ceil(some.length / 2)
      await this.#fillSome(account, some.slice(0, middle))
      await this.#fillSome(account, some.slice(middle))
    }
  }

  async #fillNow(changes: ChangeSet, all: readonly HeldBack[]): Promise<void> {
    for (const [resource, rows] of Map.groupBy(all, (held) => held.resource))
      await changes.fillReferences(resource, rows, this.#sumsLater(changes.account))
  }

  /** What the file itself says of a sum stays until all rows are there. */
  #sumsLater(account: string): SumsLater {
    const { statedSums } = this.#checked
    return (owner, id) => statedSums.lineOf(owner, account, id) !== null
  }

  /** For the correction of sums, and for the lists that are read next. Rows of a small file change no plan of a list. */
  async #refreshStatistics(): Promise<void> {
    const hasSums = this.#checked.statedSums.groups().some(() => true)
    if (!hasSums && this.#checked.rows < mostRows) return
    const tables = [...this.#checked.resources].map(({ table }) => table)
    await refreshStatistics(this.#import.writer.store, tables, this.#import.warn)
  }

  async #correctSums(): Promise<void> {
    for (const [resource, account, ids] of this.#checked.statedSums.groups())
      for (const some of inChunks(ids)) await this.#correct(resource, account, some)
  }

  async #correct(resource: Resource, account: string, ids: readonly string[]): Promise<void> {
    try {
      this.corrected += await this.#change(account, async (changes) => {
        await changes.correctSums(resource, ids)
        return changes.changes.length
      })
    } catch (error) {
      if (!isRefusal(error)) throw error
      const [id = ''] = ids
      const line = this.#checked.statedSums.lineOf(resource, account, id)
      if (ids.length === 1) throw this.#refusals.sum(line, error)
      const middle = Math.ceil(ids.length / 2)
      await this.#correct(resource, account, ids.slice(0, middle))
      return this.#correct(resource, account, ids.slice(middle))
    }
  }

  #change<T>(account: string, work: (changes: ChangeSet) => Promise<T>): Promise<T> {
    return changeRows(this.#import.writer, { account, actor: this.#import.actor }, async (changes) => {
      const value = await work(changes)
      await demandGeneration(changes.tx, this.#import.generation)
      return value
    })
  }

  async #end(): Promise<void> {
    const { writer, mark, target } = this.#import
    const ended = { rows: this.#checked.rows, endedAt: new Date(target.now()).toISOString() }
    await writer.store.transaction((tx) => mark.replace(tx, this.#mark, ended))
  }
}

function* inChunks<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += mostRows) yield list.slice(from, from + mostRows)
}
