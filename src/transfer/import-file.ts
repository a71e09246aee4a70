import type { Resource } from '../compile/model.ts'
import { StoreRefused } from '../store/store.ts'
import type { Actor } from '../write/actor.ts'
import type { Writer } from '../write/writer.ts'
import { FileCheck } from './check-file.ts'
import type { HeldBack } from './held-back.ts'
import type { ImportMark, Mark } from './import-mark.ts'
import { unlessMigrated } from './migrated-meanwhile.ts'
import { MistakeLog } from './mistake-log.ts'
import { columnFault, type FileRow, type ImportTarget, missingOption, namedRow, readRow } from './read-row.ts'
import { readRecords, type SourceFile } from './source-file.ts'
import { StoredRows } from './stored-rows.ts'

/** Reading the rows of such a file once instead of twice saves a fifth of the CPU time of an import. */
const mostKeptBytes = 64 * 1024 * 1024

/** What is needed to write a row. What the file itself said of it was checked and is not kept. */
export interface Entry extends Omit<FileRow, 'given'> {
  /** The number of rows of the file up to it. */
  readonly count: number
}

export const entryOf = ({ line, bytes, resource, account, version, row }: FileRow, count: number): Entry => ({
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
  /** Who imports it. */
  readonly actor: Actor
  readonly mark: ImportMark
  /** Rows of the lines before it count as imported: the first lines of a file that was corrected. */
  readonly from: number
  /** The generation of the store for which the declaration was found to fit. */
  readonly generation: number
  /** Called now and then with how far the file was read. */
  progress(what: 'Checking' | 'Importing', rows: number, bytes: number): void
  /** Called with what did not succeed, and keeps no row from being written. */
  warn(sentence: string): void
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
  readonly heldBack: readonly HeldBack[]
  readonly statedSums: FileCheck['statedSums']
  readonly resources: ReadonlySet<Resource>
  /** Whether a row is one of those that an earlier run has written, by how many rows there are up to it, and its line. */
  readonly isDone: (count: number, line: number) => boolean
  /** How many of the rows are in the store already. */
  readonly before: number
}

export const recordsOf = (file: SourceFile, target: ImportTarget) =>
  readRecords(file, target.model.limits.jsonDepth, (name) => columnFault(target, name))

/** Reads the whole file and writes nothing: all mistakes are found before the first row is written. */
export const checkFile = (what: FileImport, done: Mark | null): Promise<CheckedFile> =>
  unlessMigrated(what.writer.store, what.generation, () => readWholeFile(what, done))

async function readWholeFile(
  { file, target, writer, from, progress }: FileImport,
  done: Mark | null,
): Promise<CheckedFile> {
  const mistakes = new MistakeLog()
  const check = new FileCheck(new StoredRows(writer.store), mistakes)
  const resources = new Set<Resource>()
  const kept: Entry[] | null = file.bytes <= mostKeptBytes ? [] : null
  const isDone = (count: number, line: number): boolean => count <= (done?.rows ?? 0) || line < from
  let [rows, doneRows] = [0, 0]
  for await (const { records, bytes } of recordsOf(file, target)) {
    const [old, fresh]: [FileRow[], FileRow[]] = [[], []]
    for (const record of records) {
      if (!record.isHead) rows++
      const missing = rows === 1 ? missingOption(target, record) : null
      if (missing !== null)
        throw new StoreRefused(`${file.name}:${record.line}: ${missing}. Nothing was imported.`)
      const row = readRow(target, record)
      if ('resource' in row) resources.add(row.resource)
      if (!('resource' in row)) {
        for (const fault of row) mistakes.add(record.line, fault)
        const named = namedRow(target, record)
        if (named) check.faulty(record.line, named)
      } else if (isDone(rows, row.line)) old.push(row)
      else {
        fresh.push(row)
        kept?.push(entryOf(row, rows))
      }
    }
    doneRows += old.length
    await check.rows(old, true)
    await check.rows(fresh, false)
    progress('Checking', rows, bytes)
  }
  const { present, statedSums, references } = check
  const heldBack = references.heldBack()
  const before = doneRows + present.size
  return { kept, rows, mistakes, present, heldBack, statedSums, resources, isDone, before }
}
