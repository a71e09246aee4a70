import { durationBounds } from './figures.ts'

/**
 * The time in milliseconds within which that share of the requests was answered; null where there are none. Within a bucket, requests are
 * taken to be spread evenly, so that it is an estimate between the bounds of the bucket.
 */
export const quantile = (buckets: ArrayLike<number>, share: number): number | null => {
  const counts = Array.from(buckets)
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let before = 0
  for (const [slot, count] of counts.entries()) {
    if (count > 0 && before + count >= share * total) {
      const [from, to] = [durationBounds[slot - 1] ?? 0, durationBounds[slot] ?? durationBounds.at(-1) ?? 0]
      return 1_000 * (from + ((share * total - before) / count) * Math.max(0, to - from))
    }
    before += count
  }
  return null
}
