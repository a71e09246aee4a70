/** The circles that names make of which each leads to one: `a` to `b`, and `b` to `a`. A name that leads to itself is one alone. */
export function circlesOf(next: ReadonlyMap<string, string>): readonly (readonly string[])[] {
  const circles: string[][] = []
  const seen = new Set<string>()
  for (const start of next.keys()) {
    const circle: string[] = []
    let at: string | undefined = start
    while (at !== undefined && !seen.has(at)) {
      seen.add(at)
      circle.push(at)
      at = next.get(at)
    }
    if (at === start && circle.length > 0) circles.push(circle)
  }
  return circles
}
