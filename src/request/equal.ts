import { isDeepStrictEqual } from 'node:util'

/** Equal as JSON values: key order does not matter, absence is null. */
export const sameJson = (a: unknown, b: unknown): boolean =>
  a === b || isDeepStrictEqual(a ?? null, b ?? null)
