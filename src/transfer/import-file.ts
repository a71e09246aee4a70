import type { Resource } from '../compile/model.ts'
import { StoreError, type StoreErrorKind, StoreRefused } from '../store/store.ts'
import { changeRows } from '../write/change-rows.ts'
import type { WholeRow } from '../write/row-change.ts'
import type { Writer } from '../write/writer.ts'
import { FileCheck, type HeldBack } from './check-file.ts'
import type { ImportMark, Mark } from './import-mark.ts'
import { MistakeLog } from './mistake-log.ts'
import { columnFault, type FileRow, type ImportTarget, readRow } from './read-row.ts'
import type { FileRecord } from './records.ts'
import { readRecords, type SourceFile } from './source-file.ts'
import { StoredRows } from './stored-rows.ts'

/** A transaction has at most so many rows, and about so many bytes of the file. */
const mostRows = 1_000
const mostBytes = 4 * 1024 * 1024

/** Reading the rows of such a file once instead of twice saves a fifth of the CPU time of an import. */
const mostKeptBytes = 64 * 1024 * 1024

/** What is needed to write a row. What the file itself said of it was checked and is not kept. */
interface Entry extends Omit<FileRow, 'given'> {
  /** The number of rows of the file up to it. */
  readonly count: number
}

const entryOf = ({ line, bytes, resource, account, version, row }: FileRow, count: number): Entry => ({
  line,
  bytes,
  resource,
  account,
  version,
  row,
  count,
})

export interface FileImport {
  readonly file: SourceFile
  readonly target: ImportTarget
  readonly writer: Writer
  readonly mark: ImportMark
  /** Called now and then with how far the file was read. */
  progress(what: 'Checking' | 'Importing', rows: number, bytes: number): void
}

/** What a file holds, after all of it was checked. */
export interface CheckedFile {
  /** The rows that are not written yet, where the file is small enough to keep them; else it is read again. */
  readonly kept: readonly Entry[] | null
  /** How many rows it has. */
  readonly rows: number
  readonly mistakes: MistakeLog
  /** Lines whose rows the store has. */
  readonly present: ReadonlySet<number>
  readonly heldBack: ReadonlyMap<number, readonly HeldBack[]>
  readonly statedSums: FileCheck['statedSums']
  readonly resources: ReadonlySet<Resource>
  /** The first rows, which an earlier run has written. */
  readonly done: Mark | null
}

const recordsOf = (file: SourceFile, target: ImportTarget) =>
  readRecords(file, target.model.limits.jsonDepth, (name) => columnFault(target, name))

/** Reads the whole file and writes nothing: all mistakes are found before the first row is written. */
export async function checkFile(
  { file, target, writer, progress }: FileImport,
  done: Mark | null,
): Promise<CheckedFile> {
  const mistakes = new MistakeLog()
  const check = new FileCheck(new StoredRows(writer.store), mistakes)
  const resources = new Set<Resource>()
  const kept: Entry[] | null = file.bytes <= mostKeptBytes ? [] : null
  let rows = 0
  for await (const { records, bytes } of recordsOf(file, target)) {
    const [old, fresh]: [FileRow[], FileRow[]] = [[], []]
    for (const record of records) {
      rows++
      const row = readRow(target, record)
      if ('resource' in row) resources.add(row.resource)
      if (!('resource' in row)) for (const fault of row) mistakes.add(record.line, fault)
      else if (rows <= (done?.rows ?? 0)) old.push(row)
      else {
        fresh.push(row)
        kept?.push(entryOf(row, rows))
      }
    }
    await check.rows(old, true)
    await check.rows(fresh, false)
    progress('Checking', rows, bytes)
  }
  const { present, statedSums } = check
  return { kept, rows, mistakes, present, heldBack: check.heldBack(), statedSums, resources, done }
}

/** Writes the rows of a file that was checked, in batches that are a transaction each. */
export class Importer {
  readonly #import: FileImport
  readonly #checked: CheckedFile
  #mark: Mark | null
  /** How many rows this run has written. */
  imported = 0
  /** How many rows had another sum than their rows give. */
  corrected = 0

  constructor(what: FileImport, checked: CheckedFile) {
    this.#import = what
    this.#checked = checked
    this.#mark = checked.done
  }

  async run(): Promise<void> {
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
    await this.#fillReferences()
    await this.#correctSums()
    await this.#end()
  }

  /** The rows that are not written yet, some at a time. */
  async *#entries(): AsyncGenerator<{ readonly entries: readonly Entry[]; readonly bytes: number }> {
    const { file, target } = this.#import
    const { kept, done } = this.#checked
    if (kept) {
      for (const entries of inChunks(kept))
        yield { entries, bytes: (file.bytes * (entries[0]?.count ?? 0)) / this.#checked.rows }
      return
    }
    let count = 0
    for await (const { records, bytes } of recordsOf(file, target)) {
      const entries: Entry[] = []
      for (const record of records)
        if (++count > (done?.rows ?? 0)) entries.push(entryOf(this.#row(record), count))
      yield { entries, bytes }
    }
  }

  #row(record: FileRecord): FileRow {
    const row = readRow(this.#import.target, record)
    if ('resource' in row) return row
    throw new StoreRefused(
      `${this.#import.file.name} was changed while it was imported. Run the import again.`,
    )
  }

  /** When the store refuses a batch, halves of it are tried, until the row is found. The rows before it stay. */
  async #write(batch: readonly Entry[]): Promise<void> {
    const { writer, mark } = this.#import
    const [first] = batch
    const last = batch.at(-1)
    if (!first || !last) return
    const { account } = first
    const next: Mark = { rows: last.count, endedAt: null }
    try {
      await changeRows(writer, account, async (changes) => {
        await mark.replace(changes.tx, this.#mark, next)
        for (const [resource, group] of Map.groupBy(batch, ({ resource }) => resource))
          await changes.insertMany(
            resource,
            group.map((entry) => this.#wholeRow(entry)),
            (owner, id) => this.#checked.statedSums.lineOf(owner, account, id) !== null,
          )
      })
    } catch (error) {
      if (!isRefusal(error)) throw error
      if (batch.length === 1) throw refusedRow(this.#import.file, last, error)
      const middle = Math.ceil(batch.length / 2)
      await this.#write(batch.slice(0, middle))
      return this.#write(batch.slice(middle))
    }
    this.#mark = next
    this.imported += batch.length
  }

  #wholeRow({ row, version, line }: Entry): WholeRow {
    const held = this.#checked.heldBack.get(line) ?? []
    return { row, version, heldBack: held.map(({ field }) => field) }
  }

  async #fillReferences(): Promise<void> {
    const all = [...this.#checked.heldBack.values()].flat()
    for (const [account, group] of Map.groupBy(all, (one) => one.account))
      for (const some of inChunks(group))
        await changeRows(this.#import.writer, account, async (changes) => {
          for (const { resource, id, field, value } of some)
            await changes.fillReference(resource, id, field, value)
        })
  }

  async #correctSums(): Promise<void> {
    for (const [resource, account, ids] of this.#checked.statedSums.groups())
      for (const some of inChunks(ids))
        this.corrected += await changeRows(this.#import.writer, account, async (changes) => {
          await changes.correctSums(resource, some)
          return changes.changes.length
        })
  }

  async #end(): Promise<void> {
    const { writer, mark, target } = this.#import
    const { rows } = this.#checked
    const endedAt = new Date(target.now()).toISOString()
    await writer.store.transaction((tx) => mark.replace(tx, this.#mark, { rows, endedAt }))
  }
}

const refusals: ReadonlySet<StoreErrorKind> = new Set(['unique', 'foreign-key', 'out-of-range'])

const isRefusal = (error: unknown): error is StoreError =>
  error instanceof StoreError && refusals.has(error.kind)

const refusedRow = (file: SourceFile, { line }: Entry, cause: StoreError): StoreRefused =>
  new StoreRefused(
    `${file.name}:${line}: the store refuses this row: ${cause.message}. The rows before it are imported. Correct this line, and import it with those after it.`,
    cause,
  )

function* inChunks<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += mostRows) yield list.slice(from, from + mostRows)
}
