import type { FieldError } from '../problems.ts'

/** How many mistakes an answer shows. */
export const mostShown = 100

/**
 * The mistakes of one request. A body may have tens of thousands, so only those that an answer shows are put into words, which may mean to
 * compare a name with all that were declared. The others are counted.
 */
export class FieldErrors {
  readonly #shown: FieldError[] = []
  #count = 0

  static of(...errors: readonly FieldError[]): FieldErrors {
    const made = new FieldErrors()
    for (const error of errors) made.add(() => error)
    return made
  }

  add(inWords: () => FieldError): void {
    this.#count++
    if (this.#count <= mostShown) this.#shown.push(inWords())
  }

  get count(): number {
    return this.#count
  }

  /** The first ones. */
  get shown(): readonly FieldError[] {
    return this.#shown
  }

  /** Both, as a problem has them. */
  get details(): { readonly errors: readonly FieldError[]; readonly more: number } {
    return { errors: this.#shown, more: this.#count - this.#shown.length }
  }
}
