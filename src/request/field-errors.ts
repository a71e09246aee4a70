import { listMember } from '../compile/resources/bulk.ts'
import type { FieldError } from '../problems.ts'

/** How many mistakes an answer shows. */
export const mostShown = 100

/** Where a row of a list stands in the body: `/data/3`. */
export const placeOf = (index: number): string => `/${listMember}/${index}`

/** A mistake in a part of a body, with the pointer from the body's root. */
export const placedError = (error: FieldError, place: string): FieldError =>
  error.pointer === undefined ? error : { ...error, pointer: `#${place}${error.pointer.slice(1)}` }

/**
 * The mistakes of one request. A body may have tens of thousands, so only those that an answer shows are put into words, which may mean to
 * compare a name with all that were declared. The others are counted.
 */
export class FieldErrors {
  readonly #shown: FieldError[] = []
  readonly #whole: FieldErrors | null
  readonly #place: string
  #count = 0

  /** `whole` and `place` are for a part of a body, such as `/data/3`: its mistakes are counted here, and shown among those of the whole body. */
  constructor(whole: FieldErrors | null = null, place = '') {
    this.#whole = whole
    this.#place = place
  }

  static of(...errors: readonly FieldError[]): FieldErrors {
    const made = new FieldErrors()
    for (const error of errors) made.add(() => error)
    return made
  }

  add(inWords: () => FieldError): void {
    this.#count++
    if (this.#whole) this.#whole.add(() => placedError(inWords(), this.#place))
    else if (this.#count <= mostShown) this.#shown.push(inWords())
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
