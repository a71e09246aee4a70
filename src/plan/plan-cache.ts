/** Shapes that callers can multiply (sets of fields) are bounded. */
export const mostRowStatements = 2_000

/** Plans by the shape of what they are for, at most `most` of them: beyond, the oldest is forgotten and planned again. */
export class PlanCache<T> {
  readonly #plans = new Map<string, T>()

  /** Forgets all plans: what they were made from has changed. */
  clear(): void {
    this.#plans.clear()
  }

  get(shape: string, most: number, plan: () => T): T {
    const known = this.#plans.get(shape)
    if (known !== undefined) return known
    const made = plan()
    if (this.#plans.size >= most) {
      const [oldest] = this.#plans.keys()
      if (oldest !== undefined) this.#plans.delete(oldest)
    }
    this.#plans.set(shape, made)
    return made
  }
}
