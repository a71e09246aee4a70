import type { RateModel, View } from '../compile/model.ts'
import { plainCounted } from '../compile/names/plural.ts'
import type { Maybe } from '../maybe.ts'
import { type Problem, problem } from '../problems.ts'
import { createBuckets, type Taken } from './buckets.ts'
import { networkOf } from './network-of.ts'
import type { NamedBucket, SharedBuckets } from './rate-redis.ts'

/** The two header fields of draft-ietf-httpapi-ratelimit-headers, for the response to a call that was let through. */
export interface RateSignals {
  /** `RateLimit-Policy` */
  readonly policy: string
  /** `RateLimit` */
  readonly state: string
}

export interface RateLimiter {
  /** Counts one call of an account, or of an address where the account is null; throws 429. Null where calls are not counted. */
  take(account: string | null, address: string, view: View | null): Maybe<RateSignals | null>
  /** Counts the further rows of a list as calls, after the call itself has counted for the first one. */
  takeMore(
    account: string | null,
    address: string,
    view: View | null,
    rows: number,
  ): Maybe<RateSignals | null>
}

/** Buckets in another process, which several services may share. */
export interface SharedRates {
  readonly buckets: SharedBuckets
  /** The service, whose accounts are not those of another. */
  readonly service: string
}

export const unlimited: RateLimiter = { take: () => null, takeMore: () => null }

export const createRateLimiter = (
  rate: RateModel,
  shared: SharedRates | null = null,
  now: () => number = () => performance.now(),
): RateLimiter => {
  const perCaller = createPolicy('account', rate)
  const policies = new WeakMap<View, Policy>()
  // Callers choose their names: an account may be called like an address. So each kind has buckets of its own.
  const accounts = createBuckets()
  const addresses = createBuckets()
  const ofResources = createBuckets()

  const policyOf = (view: View, size: RateModel): Policy => {
    let policy = policies.get(view)
    if (!policy) {
      policy = createPolicy(view.name, size)
      policies.set(view, policy)
    }
    return policy
  }

  const takeShared = async (
    limits: readonly Limit[],
    buckets: SharedBuckets,
  ): Promise<RateSignals | null> => {
    const taken = await buckets.take(limits)
    return taken && judge(limits, taken)
  }

  const takeTokens = (
    account: string | null,
    address: string,
    view: View | null,
    tokensOf: TokensOf,
  ): Maybe<RateSignals | null> => {
    const who = account ?? networkOf(address)
    const buckets = account === null ? addresses : accounts
    const own = view?.rate ? { policy: policyOf(view, view.rate), resource: view.resource.name } : null
    if (shared) {
      const tag = sharedTag(shared.service, account, who)
      const limits = [sharedLimit(perCaller, tag, '*', tokensOf)]
      if (own) limits.push(sharedLimit(own.policy, tag, own.resource, tokensOf))
      return takeShared(limits, shared.buckets)
    }
    if (own === null) return perCaller.signals(buckets.take(who, rate, now(), tokensOf(rate)))
    // One bucket for all versions of a resource, so that a call to an older version does not avoid its rate.
    const key = `${account === null ? 'address' : 'account'} ${own.resource} ${who}`
    const { size } = own.policy
    const at = now()
    const refused = ofResources.peek(key, size, at, tokensOf(size))
    if (refused < 0) throw own.policy.refusal(refused)
    const left = buckets.take(who, rate, at, tokensOf(rate))
    if (left < 0) throw perCaller.refusal(left)
    return judge([{ policy: perCaller }, own], [left, ofResources.take(key, size, at, tokensOf(size))])
  }

  return {
    take: (account, address, view) => takeTokens(account, address, view, one),
    // A deployment may lower the burst. The call has one token, and no bucket ever holds more than the others.
    takeMore: (account, address, view, rows) =>
      takeTokens(account, address, view, ({ burst }) => Math.min(rows, burst - 1)),
  }
}

/** How many tokens are taken from a bucket of a size. */
type TokensOf = (size: RateModel) => number

const one: TokensOf = () => 1

interface Limit extends NamedBucket {
  readonly policy: Policy
}

/**
 * The part of a name in Redis that both buckets of a caller have in common. The braces keep them on one node of a Redis cluster, and names that
 * callers choose cannot have any.
 */
const sharedTag = (service: string, account: string | null, who: string): string =>
  `nounkit:${service}:{${account === null ? 'address' : 'account'}:${encoded(who)}}`

const encoded = (name: string): string => name.replace(/[%{}]/g, (brace) => encodeURIComponent(brace))

const sharedLimit = (policy: Policy, tag: string, of: string, tokensOf: TokensOf): Limit => ({
  policy,
  key: `${tag}:${of}`,
  size: policy.size,
  tokens: tokensOf(policy.size),
})

const judge = (limits: readonly Pick<Limit, 'policy'>[], taken: readonly Taken[]): RateSignals => {
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
