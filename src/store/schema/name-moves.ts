/** Something that is wanted under a name, and the names it had, newest first. */
export interface Named {
  readonly name: string
  readonly former: readonly string[]
}

export interface Move {
  readonly from: string
  readonly to: string
}

/**
 * Which of the names that are there become which that are wanted, in an order in which each is free when it is taken. Who is
 * there under its own name stays, whatever else is there.
 */
export function movesOf(wanted: readonly Named[], present: Iterable<string>): readonly Move[] {
  const there = new Set(present)
  const moves: Move[] = []
  const settled = new Set<string>()
  const next = (): Move | undefined => {
    for (const { name, former } of wanted) {
      if (there.has(name)) continue
      const from = former.find((old) => there.has(old) && !settled.has(old))
      if (from !== undefined) return { from, to: name }
    }
    return undefined
  }
  for (let move = next(); move; move = next()) {
    there.delete(move.from)
    there.add(move.to)
    settled.add(move.to)
    moves.push(move)
  }
  return moves
}

/** Rings of names that went round: each one's old name is the next one's new name. What is there looks the same before and after. */
export function ringsOf(nameThen: ReadonlyMap<string, string>): readonly (readonly string[])[] {
  const rings: string[][] = []
  const seen = new Set<string>()
  for (const start of nameThen.keys()) {
    const ring: string[] = []
    let at: string | undefined = start
    while (at !== undefined && !seen.has(at)) {
      seen.add(at)
      ring.push(at)
      at = nameThen.get(at)
    }
    if (at === start && ring.length > 1) rings.push(ring)
  }
  return rings
}

/** The names a thing had, newest first, each once, without the one it has. */
export const formerNames = (name: string, former: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(former.filter((old) => old !== undefined && old !== name) as string[]),
]
