import { networkOf } from '../../call/network-of.ts'
import { type BucketSize, createBuckets } from '../../guard/buckets.ts'
import { problem } from '../../problems.ts'

/** Counts attempts to sign in, right or wrong, known name or not. Of one process: several have a limit each. */
export interface SignInLimit {
  /** Runs the check of a password, or throws 429. */
  attempt<T>(address: string, name: string, check: () => Promise<T>): Promise<T>
}

/** Ten at once, then one every twenty seconds. */
const ofAddress: BucketSize = { perSecond: 1 / 20, burst: 10 }
/** From all addresses together, so that many addresses do not help much to guess one password. */
const ofName: BucketSize = { perSecond: 1 / 10, burst: 30 }
/** Each takes 32 MiB and a processor for some tenths of a second. */
const checksAtATime = 4

export const createSignInLimit = (now: () => number): SignInLimit => {
  const addresses = createBuckets(20_000)
  const names = createBuckets(20_000)
  let running = 0
  return {
    async attempt(address, name, check) {
      const at = now()
      const network = networkOf(address)
      const key = name.slice(0, 100)
      const left = Math.min(addresses.peek(network, ofAddress, at), names.peek(key, ofName, at))
      if (left < 0) throw tooMany(Math.ceil(-left / 1000))
      if (running >= checksAtATime) throw tooMany(1)
      addresses.take(network, ofAddress, at)
      names.take(key, ofName, at)
      running++
      try {
        return await check()
      } finally {
        running--
      }
    },
  }
}

const tooMany = (seconds: number): Error =>
  problem('too-many-requests', {
    detail: `There were too many attempts to sign in. Try again in ${seconds} s.`,
    headers: { 'Retry-After': String(seconds) },
  })
