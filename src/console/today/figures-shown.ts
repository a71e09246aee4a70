export const wholeNumber = (value: number): string => Math.round(value).toLocaleString('en')

/** Three digits are enough to compare: 0.42, 4.2, 42, 420. */
export const short = (value: number): string => {
  if (value >= 99.5) return wholeNumber(value)
  if (value >= 9.95) return String(Math.round(value * 10) / 10)
  return String(Math.round(value * 100) / 100)
}

export const milliseconds = (ms: number): string =>
  ms >= 10_000 ? `${short(ms / 1_000)} s` : `${short(ms)} ms`

export const secondsShown = (value: number): string =>
  value >= 5_400
    ? `${short(value / 3_600)} h`
    : value >= 120
      ? `${short(value / 60)} min`
      : `${short(value)} s`
