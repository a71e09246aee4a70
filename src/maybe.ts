/** A value or a promise of it. SQLite answers synchronously, and a request that never waits creates no promise. */
export type Maybe<T> = T | Promise<T>

/** Calls `next` with the value: at once where it is there, else when the promise resolves. */
export const whenThere = <T, R>(value: Maybe<T>, next: (value: T) => Maybe<R>): Maybe<R> =>
  value instanceof Promise ? value.then(next) : next(value)
