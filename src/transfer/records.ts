import { counted } from '../compile/names/plural.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { Problem } from '../problems.ts'
import { readJsonObject } from '../request/json-body.ts'
import { csvCells, hasOddQuotes } from './csv.ts'
import { type Line, mostLineBytes } from './lines.ts'

/** What one row of a file says, before anything is known of its resource. */
export interface FileRecord {
  /** The first of its lines. */
  readonly line: number
  readonly bytes: number
  /** By field; values are texts in CSV, where an empty cell is left out. */
  readonly values: JsonObject
  /** Why it cannot be read. */
  readonly fault: string | null
  /** It is the line of names, which has a mistake, and no row. */
  readonly isHead?: boolean
}

/** Makes records of lines. */
export interface RecordReader {
  read(line: Line): FileRecord | null
  /** What is left when all lines were read. */
  end(): FileRecord | null
}

const faulty = (line: number, bytes: number, fault: string): FileRecord => ({
  line,
  bytes,
  values: {},
  fault,
})

const tooLong = (line: number): FileRecord =>
  faulty(line, mostLineBytes, `is longer than ${mostLineBytes / 1024 / 1024} MB`)

/** A JSON object on each line. Empty lines are left out. */
export const jsonRecords = (maxDepth: number): RecordReader => ({
  read({ number, bytes }) {
    if (bytes === null) return tooLong(number)
    const text = bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes
    if (text.length === 0) return null
    try {
      return {
        line: number,
        bytes: bytes.length,
        values: readJsonObject(text, maxDepth, 'line'),
        fault: null,
      }
    } catch (error) {
      if (error instanceof Problem)
        return faulty(number, bytes.length, error.message.replace('line 1, column', 'column'))
      throw error
    }
  },
  end: () => null,
})

const carriageReturn = 0x0d
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

interface OpenRecord {
  readonly line: number
  readonly text: string
  readonly bytes: number
  /** Its last cell is quoted and goes on. */
  readonly isQuoted: boolean
}

/** What is wrong with the name of a column, or null. */
export type ColumnFault = (name: string) => string | null

/** RFC 4180, with a line of names first. */
export class CsvRecords implements RecordReader {
  readonly #columnFault: ColumnFault
  #columns: readonly string[] | null = null
  /** The line of names has a mistake, which every other line would repeat. */
  #isSpoilt = false
  /** The lines of a record so far. */
  #open: OpenRecord | null = null

  constructor(columnFault: ColumnFault) {
    this.#columnFault = columnFault
  }

  read({ number, bytes }: Line): FileRecord | null {
    if (this.#isSpoilt) return null
    if (bytes === null) return this.#drop(tooLong(number))
    let text: string
    try {
      text = decoder.decode(bytes)
    } catch {
      return this.#drop(faulty(number, bytes.length, 'is not valid UTF-8'))
    }
    const before = this.#open
    const open = {
      line: before?.line ?? number,
      text: before ? `${before.text}\n${text}` : text,
      bytes: (before?.bytes ?? 0) + bytes.length,
      isQuoted: (before?.isQuoted ?? false) !== hasOddQuotes(text),
    }
    if (open.bytes > mostLineBytes)
      return this.#drop(faulty(open.line, open.bytes, 'has a quote that is never closed'))
    this.#open = open
    return open.isQuoted ? null : this.#close()
  }

  end(): FileRecord | null {
    return this.#open && this.#close()
  }

  #drop(record: FileRecord): FileRecord {
    this.#open = null
    return record
  }

  #close(): FileRecord | null {
    const { line, text, bytes } = this.#open ?? { line: 0, text: '', bytes: 0 }
    this.#open = null
    const record = text.endsWith('\r') ? text.slice(0, -1) : text
    if (record === '') return null
    const cells = csvCells(record)
    if (typeof cells === 'string') return faulty(line, bytes, cells)
    const columns = this.#columns
    if (columns === null) return this.#head(line, cells)
    if (cells.length !== columns.length)
      return faulty(line, bytes, `has ${counted(cells.length, 'cell')}, and line 1 has ${columns.length}`)
    const values: { [column: string]: string } = {}
    cells.forEach((cell, at) => {
      if (cell !== null) values[columns[at] ?? ''] = cell
    })
    return { line, bytes, values, fault: null }
  }

  #head(line: number, cells: readonly (string | null)[]): FileRecord | null {
    const columns = cells.map((cell) => (cell ?? '').trim())
    const fault = this.#headFault(columns)
    this.#columns = columns
    this.#isSpoilt = fault !== null
    return fault === null ? null : { ...faulty(line, 0, fault), isHead: true }
  }

  #headFault(columns: readonly string[]): string | null {
    if (columns.length === 1 && /[;\t]/.test(columns[0] ?? ''))
      return 'separates its columns by something else than commas, as RFC 4180 does'
    const empty = columns.indexOf('')
    if (empty >= 0) return `has no name for column ${empty + 1}`
    const twice = columns.find((name, at) => columns.indexOf(name) !== at)
    if (twice !== undefined) return `names the column "${twice}" twice`
    const unknown = columns.map(this.#columnFault).find((fault) => fault !== null)
    if (unknown !== undefined) return unknown
    // Assigning it would set the prototype of a row's values, and nobody would see the column.
    return columns.includes('__proto__') ? '__proto__ is not a field of any resource' : null
  }
}
