import type { Statement } from '../plan/statement.ts'
import { problem } from '../problems.ts'
import type { Value } from '../store/store.ts'

/**
 * Holds an answer to the limit on its bytes, twice: by what the statement measured before it built any text, and by the finished text,
 * which escapes and the names of fields make longer.
 */
export class AnswerSize {
  readonly #statement: Statement
  /** How many rows were asked for; null for one row by its id. */
  readonly #limit: number | null
  /** Where most bytes are: an include path, or '' for the rows themselves. */
  readonly #largest: string

  /** `measured`: the bytes of each place, as the statement gives them. */
  constructor(statement: Statement, measured: Value, limit: number | null) {
    this.#statement = statement
    this.#limit = limit
    this.#largest = ''
    if (!statement.measured) return
    const bytes = String(measured).trim().split(' ').map(Number)
    this.#largest = statement.measured[bytes.indexOf(Math.max(...bytes))] ?? ''
    this.check(bytes.reduce((sum, one) => sum + one, 0))
  }

  check(bytes: number): void {
    if (bytes > this.#most) throw this.#tooLarge()
  }

  get #most(): number {
    return this.#statement.rows.view.limits.responseBytes
  }

  #tooLarge(): Error {
    const { view, tree } = this.#statement.rows
    const include = this.#largest || (tree.length === 1 ? tree[0]?.relation.name : '')
    const from = include || (tree.length > 0 ? `${view.name} and their includes` : view.name)
    return problem('response-too-large', {
      detail: `The answer would have more than ${this.#most} bytes, and most of them come from ${from}. ${this.#advice(include ?? '')}`,
      members: { limit: this.#most, ...(include ? { include } : {}) },
    })
  }

  #advice(include: string): string {
    const ways = [
      ...(this.#limit !== null && this.#limit > 1 ? [`ask for fewer rows than limit=${this.#limit}`] : []),
      ...(include ? [`leave ${include} out of include`] : []),
      ...(!include && this.#statement.rows.tree.length > 0 ? ['include fewer relations'] : []),
    ]
    if (ways.length === 0)
      return 'The row alone is too large: only a higher limits.responseBytes can show it.'
    const text = ways.join(', or ')
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
  }
}
