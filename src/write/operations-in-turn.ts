/**
 * The operations of one transaction. They run one at a time, because a hook may start several at once. One that fails ends the
 * transaction, even if a hook catches the error: a part of it may have been written.
 */
export class OperationsInTurn {
  #last: Promise<unknown> = Promise.resolve()
  readonly #calls = new Set<Promise<unknown>>()
  #failure: unknown

  run<T>(operation: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => {
      if (this.#failure !== undefined) throw this.#failure
      return operation()
    })
    this.#last = turn.catch((error: unknown) => {
      this.#failure ??= error
    })
    return turn
  }

  /**
   * Notes a call of a hook, which `settled` waits for. A hook may forget to await a call, and Node ends the process when a rejected
   * promise has no handler: the one that is added here is enough.
   */
  track<T>(call: Promise<T>): Promise<T> {
    const ended = call.then(
      () => {},
      () => {},
    )
    this.#calls.add(ended)
    void ended.then(() => this.#calls.delete(ended))
    return call
  }

  /** Resolves when all tracked calls and all operations have ended; throws what an operation threw. */
  async settled(): Promise<void> {
    while (this.#calls.size > 0) await Promise.all(this.#calls)
    await this.#last
    if (this.#failure !== undefined) throw this.#failure
  }
}
