/** How fast a bucket fills, and how much it holds. */
export interface BucketSize {
  readonly perSecond: number
  readonly burst: number
}

/**
 * The result of taking tokens, as one number so that nothing is allocated. Zero or more: taken, and so many are left. Negative:
 * refused, and the tokens are there in so many milliseconds.
 */
export type Taken = number

/**
 * Token buckets in memory, each stored as the time at which it will be full again (the "generic cell rate algorithm"). A full
 * bucket needs no entry, so the map is no larger than the number of active callers.
 */
export interface Buckets {
  take(key: string, size: BucketSize, now: number, tokens?: number): Taken
  /** The same result as `take`, without taking. */
  peek(key: string, size: BucketSize, now: number, tokens?: number): Taken
}

interface Bucket {
  fullAt: number
}

export const createBuckets = (maxBuckets = 100_000): Buckets => {
  const buckets = new Map<string, Bucket>()

  const makeRoom = (now: number): void => {
    for (const [key, bucket] of buckets) if (bucket.fullAt <= now) buckets.delete(key)
    // All of them are in use: the oldest eighth is dropped and starts full again. An eighth, so that not every new caller causes this.
    if (buckets.size >= maxBuckets) {
      for (const [key] of buckets.entries().take(Math.ceil(maxBuckets / 8))) buckets.delete(key)
    }
  }

  return {
    take(key, size, now, tokens = 1) {
      let bucket = buckets.get(key)
      if (!bucket) {
        if (buckets.size >= maxBuckets) makeRoom(now)
        bucket = { fullAt: now }
        buckets.set(key, bucket)
      }
      const taken = afterTaking(bucket.fullAt, size, now, tokens)
      if (taken >= 0) bucket.fullAt = Math.max(bucket.fullAt, now) + (tokens * 1000) / size.perSecond
      return taken
    },
    peek: (key, size, now, tokens = 1) => afterTaking(buckets.get(key)?.fullAt ?? now, size, now, tokens),
  }
}

const afterTaking = (
  fullAt: number,
  { perSecond, burst }: BucketSize,
  now: number,
  tokens: number,
): Taken => {
  const interval = 1000 / perSecond
  const missing = Math.max(fullAt, now) + tokens * interval - now
  const room = burst * interval - missing
  // A rounding error must not refuse the last token of a full bucket.
  return room >= -1e-6 ? Math.floor(room / interval + 1e-6) : room
}
