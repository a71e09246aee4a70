export const dayMs = 86_400_000

/** `2026-06-01`, UTC. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** Every day from the one to the other, both included. */
export const daysBetween = (from: number, to: number): readonly string[] => {
  const days: string[] = []
  for (let at = from - (from % dayMs); at <= to; at += dayMs) days.push(dayOf(at))
  return days
}
