import type { RateModel, View } from '../compile/model.ts'
import { plainCounted } from '../compile/plural.ts'
import type { Maybe } from '../maybe.ts'
import { type Problem, problem } from '../problems.ts'
import { createBuckets, type Taken } from './buckets.ts'
import type { NamedBucket, SharedBuckets } from './rate-redis.ts'

/** The two header fields of draft-ietf-httpapi-ratelimit-headers, for the response to a call that was let through. */
export interface RateSignals {
  /** `RateLimit-Policy` */
  readonly policy: string
  /** `RateLimit` */
  readonly state: string
}

export interface RateLimiter {
  /** Counts one call of an account (or of an address, where no key is needed); throws 429. Null where calls are not counted. */
  take(who: string, view: View | null): Maybe<RateSignals | null>
}

export const unlimited: RateLimiter = { take: () => null }

export const createRateLimiter = (
  rate: RateModel,
  shared: SharedBuckets | null = null,
  now: () => number = () => performance.now(),
): RateLimiter => {
  const account = createPolicy('account', rate)
  const policies = new WeakMap<View, Policy>()
  const buckets = createBuckets()

  const policyOf = (view: View, size: RateModel): Policy => {
    let policy = policies.get(view)
    if (!policy) {
      policy = createPolicy(view.name, size)
      policies.set(view, policy)
    }
    return policy
  }

  const takeShared = async (
    limiter: SharedBuckets,
    limits: readonly Limit[],
  ): Promise<RateSignals | null> => {
    const taken = await limiter.take(limits)
    return taken && judge(limits, taken)
  }

  return {
    take(who, view) {
      if (view === null || view.rate === null) {
        if (shared) return takeShared(shared, [accountLimit(account, who)])
        return account.signals(buckets.take(who, rate, now()))
      }
      // One bucket for all versions of a resource, so that a call to an older version does not avoid its rate.
      const own: Limit = {
        policy: policyOf(view, view.rate),
        key: `{${who}}:${view.resource.name}`,
        size: view.rate,
      }
      const limits = [accountLimit(account, who), own]
      if (shared) return takeShared(shared, limits)
      const at = now()
      const refused = buckets.peek(own.key, own.size, at)
      if (refused < 0) throw own.policy.refusal(refused)
      const left = buckets.take(who, rate, at)
      if (left < 0) throw account.refusal(left)
      return judge(limits, [left, buckets.take(own.key, own.size, at)])
    },
  }
}

interface Limit extends NamedBucket {
  readonly policy: Policy
}

// The braces keep both buckets of an account on one node of a Redis cluster.
const accountLimit = (policy: Policy, who: string): Limit => ({
  policy,
  key: `{${who}}:*`,
  size: policy.size,
})

const judge = (limits: readonly Limit[], taken: readonly Taken[]): RateSignals => {
  const signals = limits.map(({ policy }, i) => policy.signals(taken[i] ?? 0))
  return {
    policy: signals.map((signal) => signal.policy).join(', '),
    state: signals.map((signal) => signal.state).join(', '),
  }
}

interface Policy {
  readonly size: RateModel
  /** Throws 429 when the call was refused. */
  signals(taken: Taken): RateSignals
  refusal(taken: Taken): Problem
}

const createPolicy = (name: string, size: RateModel): Policy => {
  const policy = `"${name}";${quota(size.perSecond)}`
  // "t" is the time until more is available: one interval, because a bucket fills steadily.
  const refill = Math.max(1, Math.ceil(1 / size.perSecond))
  const made: (RateSignals | undefined)[] = []

  const refusal = (taken: Taken): Problem => {
    const seconds = Math.max(1, Math.ceil(-taken / 1000))
    return problem('too-many-requests', {
      detail: `More than ${plainCounted(size.perSecond, 'request')} a second (${size.burst} at once) for "${name}". The next one is possible in ${seconds} s.`,
      members: { 'violated-policies': [name] },
      headers: {
        'Retry-After': String(seconds),
        'RateLimit-Policy': policy,
        RateLimit: `"${name}";r=0;t=${seconds}`,
      },
    })
  }

  return {
    size,
    refusal,
    signals(taken) {
      if (taken < 0) throw refusal(taken)
      const known = made[taken]
      if (known) return known
      const signals = { policy, state: `"${name}";r=${taken};t=${refill}` }
      if (taken < 10_000) made[taken] = signals
      return signals
    },
  }
}

/** A quota and its window are whole numbers: half a request a second is one in two seconds. */
const quota = (perSecond: number): string => {
  if (Number.isInteger(perSecond)) return `q=${perSecond};w=1`
  const window = Math.max(1, Math.ceil(1 / perSecond))
  return `q=${Math.max(1, Math.floor(perSecond * window))};w=${window}`
}
