import { type Move, movesOf } from '../plan/renames.ts'

/**
 * The renames that a declaration says with `was` and that the names of the store do not show yet. A name that another one leaves in the same
 * step is free: `b: was('a')` and `c: was('b')` move both.
 */
export const declaredMoves = (
  names: Iterable<string>,
  formerOf: (name: string) => string | undefined,
  present: Iterable<string>,
): readonly Move[] =>
  movesOf(
    [...names].map((name) => ({ name, former: [formerOf(name) ?? []].flat() })),
    present,
  )
