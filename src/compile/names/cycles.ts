/** The cycles that names make of which each leads to one: `a` to `b`, and `b` to `a`. A name that leads to itself is one alone. */
export function cyclesOf(next: ReadonlyMap<string, string>): readonly (readonly string[])[] {
  const cycles: string[][] = []
  const seen = new Set<string>()
  for (const start of next.keys()) {
    const cycle: string[] = []
    let at: string | undefined = start
    while (at !== undefined && !seen.has(at)) {
      seen.add(at)
      cycle.push(at)
      at = next.get(at)
    }
    if (at === start && cycle.length > 0) cycles.push(cycle)
  }
  return cycles
}
