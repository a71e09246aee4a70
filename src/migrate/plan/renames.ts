/** The wanted name of a table, column or index, and its older names, newest first. */
export interface Named {
  readonly name: string
  readonly former: readonly string[]
}

export interface Move {
  readonly from: string
  readonly to: string
}

/**
 * The renames from present names to wanted ones, in an order in which each new name is free when it is used. A name that is
 * wanted and present is not renamed.
 */
export function movesOf(wanted: readonly Named[], present: Iterable<string>): readonly Move[] {
  const there = new Set(present)
  const moves: Move[] = []
  const moved = new Set<string>()
  const next = (): Move | undefined => {
    for (const { name, former } of wanted) {
      if (there.has(name)) continue
      const from = former.find((old) => there.has(old) && !moved.has(old))
      if (from !== undefined) return { from, to: name }
    }
    return undefined
  }
  for (let move = next(); move; move = next()) {
    there.delete(move.from)
    there.add(move.to)
    moved.add(move.to)
    moves.push(move)
  }
  return moves
}

/** The distinct older names, newest first, without the present one. */
export const formerNames = (name: string, former: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(former.filter((old) => old !== undefined && old !== name) as string[]),
]

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
