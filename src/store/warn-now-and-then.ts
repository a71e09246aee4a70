const quietMs = 60_000

/** A store that cannot be reached is logged once a minute, not with every attempt. */
export function warnNowAndThen(warn: (error: unknown) => void): (error: unknown) => void {
  let last = Number.NEGATIVE_INFINITY
  return (error) => {
    if (performance.now() - last < quietMs) return
    last = performance.now()
    warn(error)
  }
}
