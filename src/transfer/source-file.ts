import { createHash } from 'node:crypto'
import { closeSync, createReadStream, createWriteStream, openSync, readSync, statSync } from 'node:fs'
import { extname } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StoreRefused } from '../store/store.ts'
import { LineSplitter } from './lines.ts'
import type { ImportTarget } from './read-row.ts'
import { type ColumnFault, CsvRecords, type FileRecord, jsonRecords, type RecordReader } from './records.ts'

/** A file that can be read more than once. */
export interface SourceFile {
  readonly path: string
  /** As the user named it, for messages. */
  readonly name: string
  readonly bytes: number
  /** When it was changed last, in milliseconds since 1970. */
  readonly changedAt: number
  readonly format: 'jsonl' | 'csv'
}

const chunkBytes = 1024 * 1024

/** Writes a stream to a file, so that it can be read twice. */
export const spool = (input: Readable, path: string): Promise<void> =>
  pipeline(input, createWriteStream(path, { mode: 0o600 }))

/** Throws what the system says of a file that cannot be read, and a sentence of ours where it is no such file. */
export function openSource(path: string, name: string, refuse: (message: string) => Error): SourceFile {
  const { size: bytes, mtimeMs: changedAt } = statSync(path)
  const begin = firstBytes(path)
  if (begin.length === 0) throw refuse(`${name} is empty.`)
  if (/^(?:fffe|feff)/.test(begin.toString('hex', 0, 2))) throw refuse(`${name} is UTF-16. Save it as UTF-8.`)
  const first = begin
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()[0]
  if (first === '[')
    throw refuse(
      `${name} is one JSON array. Write each row on a line of its own: jq -c '.[]' ${name} > rows.jsonl`,
    )
  if (hasBareReturns(begin))
    throw refuse(`${name} ends its lines with CR alone. Save it with line ends of LF or CRLF.`)
  const isJson =
    /^\.(jsonl|ndjson|json)$/i.test(extname(name)) || (first === '{' && !/^\.csv$/i.test(extname(name)))
  return { path, name, bytes, changedAt, format: isJson ? 'jsonl' : 'csv' }
}

/** Line ends of CR alone, as some spreadsheets write them: the whole file would be one line. */
const hasBareReturns = (begin: Buffer): boolean =>
  !begin.includes('\n') && /\r./.test(begin.toString('latin1'))

/** So many that the first line ends within them. */
const mostFirstBytes = 64 * 1024

function firstBytes(path: string): Buffer {
  const buffer = Buffer.alloc(mostFirstBytes)
  const file = openSync(path, 'r')
  try {
    return buffer.subarray(0, readSync(file, buffer))
  } finally {
    closeSync(file)
  }
}

/**
 * A hash of the whole content, and of what the command says of rows that name no resource and no account themselves. A table keeps its name
 * where its resource is renamed.
 */
export async function hashOf(
  { path }: SourceFile,
  { resource, account }: Pick<ImportTarget, 'resource' | 'account'>,
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([resource?.table ?? null, account]))
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) hash.update(chunk)
  return hash.digest('hex')
}

export interface RecordsRead {
  readonly records: readonly FileRecord[]
  /** How far the file was read. */
  readonly bytes: number
}

/** The records of a file, some at a time. */
export async function* readRecords(
  file: SourceFile,
  maxDepth: number,
  columnFault: ColumnFault,
): AsyncGenerator<RecordsRead> {
  const reader: RecordReader = file.format === 'csv' ? new CsvRecords(columnFault) : jsonRecords(maxDepth)
  const splitter = new LineSplitter()
  let bytes = 0
  for await (const chunk of createReadStream(file.path, { highWaterMark: chunkBytes })) {
    bytes += chunk.length
    demandUnchanged(file)
    const records = splitter.push(chunk).flatMap((line) => reader.read(line) ?? [])
    if (records.length > 0) yield { records, bytes }
  }
  demandUnchanged(file)
  const last = splitter.end().flatMap((line) => reader.read(line) ?? [])
  const left = reader.end()
  yield { records: left ? [...last, left] : last, bytes }
}

/** A file is read more than once, and every time it must be the same. */
function demandUnchanged(file: SourceFile): void {
  const now = statSync(file.path, { throwIfNoEntry: false })
  if (now?.size !== file.bytes || now.mtimeMs !== file.changedAt) throw changedFile(file)
}

export const changedFile = ({ name }: SourceFile): StoreRefused =>
  new StoreRefused(`${name} was changed while it was imported. Run the import again.`)
