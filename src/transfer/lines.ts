/** A line of a file, without its line break. */
export interface Line {
  /** From 1. */
  readonly number: number
  /** Null where the line is longer than any row can be. */
  readonly bytes: Buffer | null
}

/** A longer line is no row: it would only fill the memory. */
export const mostLineBytes = 16 * 1024 * 1024

const lineFeed = 0x0a
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** Splits the bytes of a file, which come in chunks, into lines. */
export class LineSplitter {
  #number = 0
  /** The chunks of a line that has not ended yet. */
  #parts: Buffer[] = []
  #length = 0

  /** The lines that end in this chunk. */
  push(chunk: Buffer): readonly Line[] {
    const lines: Line[] = []
    let from = 0
    for (let to = chunk.indexOf(lineFeed); to >= 0; to = chunk.indexOf(lineFeed, from)) {
      this.#add(chunk.subarray(from, to))
      lines.push(this.#take())
      from = to + 1
    }
    this.#add(chunk.subarray(from))
    return lines
  }

  /** The last line, where no line break ends it. */
  end(): readonly Line[] {
    return this.#length > 0 ? [this.#take()] : []
  }

  #add(part: Buffer): void {
    this.#length += part.length
    if (this.#length <= mostLineBytes && part.length > 0) this.#parts.push(part)
  }

  #take(): Line {
    const [first, ...more] = this.#parts
    const whole = more.length === 0 ? (first ?? Buffer.alloc(0)) : Buffer.concat(this.#parts)
    const isTooLong = this.#length > mostLineBytes
    this.#parts = []
    this.#length = 0
    this.#number++
    return { number: this.#number, bytes: isTooLong ? null : this.#number === 1 ? withoutMark(whole) : whole }
  }
}

/** Programs for Windows write a byte order mark before the first line. */
const withoutMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, 3).equals(byteOrderMark) ? bytes.subarray(3) : bytes
