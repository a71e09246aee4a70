/** What may be there already. SQLite answers at once, and a request that never waits costs no promise on its way. */
export type Maybe<T> = T | Promise<T>

/** Goes on at once with what is there, and later with what is not. */
export const whenThere = <T, R>(value: Maybe<T>, next: (value: T) => Maybe<R>): Maybe<R> =>
  value instanceof Promise ? value.then(next) : next(value)
