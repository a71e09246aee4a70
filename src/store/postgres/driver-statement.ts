import { type Row, StoreError, type Value } from '../store.ts'
import { coded } from './errors.ts'

/** What the server answered to the last statement of a text. */
export interface Answer {
  readonly rows: readonly Row[]
  /** What it did: `COMMIT`, `SELECT 25`, `INSERT 0 1`. */
  readonly tag: string
}

/** Called back as soon as the answer is there: a promise between would be one more per statement. */
export type Done = (error: Error | null, answer: Answer) => void

/** A query of the driver: sends itself, and is told of each message that answers it. */
interface Query {
  /** Prepared under this name, once per connection. */
  name: string | undefined
}

export type StatementClass = new (
  text: string,
  values: readonly Value[],
  name: string | undefined,
  done: Done,
) => Query

/**
 * A query that keeps rows as they come, in place of its results: those describe every column anew for each
 * call, and copy what they are given.
 */
export const statementClass = (
  DriverQuery: new (text: string, values: readonly Value[]) => Query,
): StatementClass =>
  class Statement extends DriverQuery {
    readonly #done: Done
    #parsers: readonly (Parser | undefined)[] = []
    #rows: Row[] = []
    #tag = ''
    #failure: Error | null = null
    #isOver = false

    constructor(text: string, values: readonly Value[], name: string | undefined, done: Done) {
      super(text, values)
      this.name = name
      this.#done = done
    }

    handleRowDescription({ fields }: { readonly fields: readonly { readonly dataTypeID: number }[] }): void {
      this.#rows = []
      this.#parsers = fields.map(({ dataTypeID }) => parsers[dataTypeID])
    }

    handleDataRow({ fields }: { readonly fields: Value[] }): void {
      try {
        for (let at = 0; at < fields.length; at++) {
          const parse = this.#parsers[at]
          if (parse && fields[at] !== null) fields[at] = parse(String(fields[at]))
        }
        this.#rows.push(fields)
      } catch (error) {
        this.#failure = error as Error
      }
    }

    handleCommandComplete({ text }: { readonly text: string }): void {
      this.#tag = text
    }

    handleError(error: Error): void {
      this.#end(coded(this.#failure ?? error))
    }

    handleReadyForQuery(): void {
      this.#end(this.#failure)
    }

    /** Of a value that it could not send, the driver tells twice. */
    #end(error: Error | null): void {
      if (this.#isOver) return
      this.#isOver = true
      this.#done(error, { rows: this.#rows, tag: this.#tag })
    }
  }

type Parser = (text: string) => number

/** Numbers and booleans become values, all else stays the text that the server wrote. By the numbers of their types. */
const parsers: { readonly [type: number]: Parser } = {
  // Booleans travel as 0 and 1 on every store.
  16: (text) => (text === 't' ? 1 : 0),
  20: wholeNumber,
  21: Number,
  23: Number,
  26: Number,
  700: Number,
  701: Number,
}

function wholeNumber(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number)) return number
  throw new StoreError('out-of-range', `PostgreSQL: ${text} is past 2^53`)
}
