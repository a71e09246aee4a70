import type { RateModel } from '../compile/model.ts'
import { problem } from '../problems.ts'
import { createBuckets } from './buckets.ts'

/** Counts wrong keys and tokens by address: each one may cost a look-up or a signature check. */
export interface FailedAuthentication {
  /** Throws 429 when the address has failed too often. */
  refuseIfTooMany(address: string): void
  count(address: string): void
}

export const noLimit: FailedAuthentication = { refuseIfTooMany: () => {}, count: () => {} }

/** More failures a second than typing errors explain. A lower rate of the API lowers this one too. */
const mostPerSecond = 10
const mostAtOnce = 50

export const createFailedAuthentication = (
  rate: RateModel,
  now: () => number = () => performance.now(),
): FailedAuthentication => {
  const size = {
    perSecond: Math.min(mostPerSecond, rate.perSecond),
    burst: Math.max(1, Math.min(mostAtOnce, rate.burst)),
  }
  const buckets = createBuckets(20_000)
  return {
    refuseIfTooMany(address) {
      const left = buckets.peek(networkOf(address), size, now())
      if (left >= 0) return
      const seconds = Math.max(1, Math.ceil(-left / 1000))
      throw problem('too-many-requests', {
        detail: `Too many calls with wrong credentials came from this address. The next one is looked at in ${seconds} s.`,
        headers: { 'Retry-After': String(seconds) },
      })
    },
    count(address) {
      buckets.take(networkOf(address), size, now())
    },
  }
}

/** An IPv6 customer usually has a whole /64, so all of it counts as one address. */
const networkOf = (address: string): string => {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = ''] = address.split('::', 1)
  const groups = head.split(':')
  return groups.slice(0, 4).join(':')
}
