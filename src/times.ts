/** Lengths of time in milliseconds. */
export const secondMs = 1_000
export const minuteMs = 60_000
export const hourMs = 3_600_000
export const dayMs = 86_400_000

const unitMs: { readonly [unit: string]: number } = { s: secondMs, m: minuteMs, h: hourMs, d: dayMs }

/** `90d`, `+200d`, `-3h`, `10m`, `30s` in milliseconds, or null when the text has another form. */
export const readDuration = (text: string): number | null => {
  const match = /^([+-]?)(\d{1,9})([smhd])$/.exec(text.trim())
  if (!match) return null
  const size = Number(match[2]) * (unitMs[match[3] ?? ''] ?? 0)
  return match[1] === '-' ? -size : size
}

/** The UTC day of a time in Unix milliseconds: `2026-06-01`. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The UTC minute of a time in Unix milliseconds: `2026-06-01 14:05`. */
export const minuteOf = (time: number): string => new Date(time).toISOString().slice(0, 16).replace('T', ' ')

/** The same with its time zone, for messages. */
export const minuteInUtc = (time: number): string => `${minuteOf(time)} UTC`

/** Every UTC day from the one to the other, both included. */
export const daysBetween = (from: number, to: number): readonly string[] => {
  const days: string[] = []
  for (let at = from - (from % dayMs); at <= to; at += dayMs) days.push(dayOf(at))
  return days
}
