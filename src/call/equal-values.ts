import { isDeepStrictEqual } from 'node:util'

/** Whether two values of a field are equal: the order of keys does not matter, and absence is null. */
export const equalValues = (a: unknown, b: unknown): boolean =>
  a === b || isDeepStrictEqual(a ?? null, b ?? null)
