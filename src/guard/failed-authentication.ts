import type { RateModel } from '../compile/model.ts'
import { problem } from '../problems.ts'
import { createBuckets } from './buckets.ts'

/** Wrong keys and tokens, counted per address: each one may cost a look-up or a signature check. */
export interface FailedAuthentication {
  /** Throws 429 when the address has failed too often to be worth another check. */
  demandPatience(address: string): void
  count(address: string): void
}

export const forgiving: FailedAuthentication = { demandPatience: () => {}, count: () => {} }

/** Nobody mistypes a key ten times a second. A lower rate of the API lowers this one too. */
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
    demandPatience(address) {
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

/** One IPv6 customer has a whole /64, so that is what counts as an address. */
const networkOf = (address: string): string => {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = ''] = address.split('::', 1)
  const groups = head.split(':')
  return groups.slice(0, 4).join(':')
}
