import type { Caller } from '../call/caller.ts'
import { networkOf } from '../call/network-of.ts'
import type { RateModel, View } from '../compile/model.ts'
import { plainCounted } from '../compile/names/plural.ts'
import type { Maybe } from '../maybe.ts'
import { Problem, problem } from '../problems.ts'
import { type Buckets, createBuckets, type Taken } from './buckets.ts'
import type { SharedBuckets } from './rate-redis.ts'

/** The two header fields of draft-ietf-httpapi-ratelimit-headers, for the response to a call that was let through. */
export interface RateSignals {
  /** `RateLimit-Policy` */
  readonly policy: string
  /** `RateLimit` */
  readonly state: string
}

/** Who is counted; null where there are no credentials, so that the address is. */
export type Counted = Pick<Caller, 'account' | 'subject'> | null

export interface RateLimiter {
  /** Counts one call of an account and a subject within it, or of an address; throws 429. Null where calls are not counted. */
  take(caller: Counted, address: string, view: View | null): Maybe<RateSignals | null>
  /** Counts the further rows of a list as calls, after the call itself has counted for the first one. */
  takeMore(caller: Counted, address: string, view: View | null, rows: number): Maybe<RateSignals | null>
}

/** Buckets in another process, which several services may share. */
export interface SharedRates {
  readonly buckets: SharedBuckets
  /** The service, whose accounts are not those of another. */
  readonly service: string
}

export const unlimited: RateLimiter = { take: () => null, takeMore: () => null }

export const createRateLimiter = (rate: RateModel, shared: SharedRates | null): RateLimiter => {
  const perCaller = createPolicies('account', rate)
  const policies = new WeakMap<View, Policies>()
  // Callers choose their names: an account may be called like an address. So each kind has buckets of its own.
  const accounts = createBuckets()
  const addresses = createBuckets()
  const subjects = createBuckets()
  const ofResources = createBuckets()

  const policiesOf = (view: View, size: RateModel): Policies => {
    let own = policies.get(view)
    if (!own) {
      own = createPolicies(view.name, size)
      policies.set(view, own)
    }
    return own
  }

  /** All limits that a call must pass. A subject has a bucket beside each of its account's. */
  const limitsOf = (caller: Counted, address: string, view: View | null): readonly Limit[] => {
    const who = caller ? caller.account : networkOf(address)
    const kind = caller ? 'account' : 'address'
    const subject = caller?.subject ?? null
    const subjectKey = subject === null ? '' : JSON.stringify([who, subject])
    const limits: Limit[] = [
      { policy: perCaller.whole, buckets: caller ? accounts : addresses, key: who, sharedKey: '*' },
    ]
    if (subject !== null)
      limits.push({
        policy: perCaller.ofSubject,
        buckets: subjects,
        key: subjectKey,
        sharedKey: `*:${encoded(subject)}`,
      })
    if (!view?.rate) return limits
    const own = policiesOf(view, view.rate)
    // One bucket for all versions of a resource, so that a call to an older version does not avoid its rate.
    const { name } = view.resource
    limits.push({ policy: own.whole, buckets: ofResources, key: `${kind} ${name} ${who}`, sharedKey: name })
    if (subject !== null)
      limits.push({
        policy: own.ofSubject,
        buckets: ofResources,
        key: `subject ${name} ${subjectKey}`,
        sharedKey: `${name}:${encoded(subject)}`,
      })
    return limits
  }

  const takeShared = async (
    limits: readonly Limit[],
    { buckets, tag }: { readonly buckets: SharedBuckets; readonly tag: string },
    tokensOf: TokensOf,
  ): Promise<RateSignals | null> => {
    const taken = await buckets.take(
      limits.map(({ policy: { size }, sharedKey }) => ({
        key: `${tag}:${sharedKey}`,
        size,
        tokens: tokensOf(size),
      })),
    )
    return taken && judge(limits, taken)
  }

  const takeTokens = (
    caller: Counted,
    address: string,
    view: View | null,
    tokensOf: TokensOf,
  ): Maybe<RateSignals | null> => {
    const at = performance.now()
    const limits = limitsOf(caller, address, view)
    if (shared) {
      const tag = sharedTag(shared.service, caller, address)
      return takeShared(limits, { buckets: shared.buckets, tag }, tokensOf)
    }
    // All of them or none.
    for (const { policy, buckets, key } of limits) {
      const left = buckets.peek(key, policy.size, at, tokensOf(policy.size))
      if (left < 0) throw policy.refusal(left)
    }
    return judge(
      limits,
      limits.map(({ policy: { size }, buckets, key }) => buckets.take(key, size, at, tokensOf(size))),
    )
  }

  return {
    take: (caller, address, view) => takeTokens(caller, address, view, oneToken),
    // A deployment may lower the burst. The call has one token, and no bucket ever holds more than the others.
    takeMore: (caller, address, view, rows) =>
      takeTokens(caller, address, view, ({ burst }) => Math.min(rows, burst - 1)),
  }
}

/** A refusal of a list says that the list is not one request to the rate. */
export const refusedList = (error: unknown, rows: number): unknown =>
  error instanceof Problem && error.type === 'too-many-requests'
    ? new Problem(error.type, error, {
        ...error.details,
        detail: `A list counts as one request for each row, and this one has ${rows}. ${error.details.detail}`,
      })
    : error

/** How many tokens are taken from a bucket of a size. */
type TokensOf = (size: RateModel) => number

const oneToken: TokensOf = () => 1

/** A bucket that a call takes from. */
interface Limit {
  readonly policy: Policy
  readonly buckets: Buckets
  readonly key: string
  /** Its name in Redis, after the tag. Names of resources have no colon. */
  readonly sharedKey: string
}

/**
 * The part of a name in Redis that all buckets of a caller have in common. The braces keep them on one node of a Redis cluster, and names that
 * callers choose cannot have any.
 */
const sharedTag = (service: string, caller: Counted, address: string): string =>
  `nounkit:${service}:{${caller ? `account:${encoded(caller.account)}` : `address:${encoded(networkOf(address))}`}}`

const encoded = (name: string): string => name.replace(/[%{}]/g, (brace) => encodeURIComponent(brace))

const judge = (limits: readonly Pick<Limit, 'policy'>[], taken: readonly Taken[]): RateSignals => {
  const signals = limits.map(({ policy }, i) => policy.signals(taken[i] ?? 0))
  return {
    policy: signals.map((signal) => signal.policy).join(', '),
    state: signals.map((signal) => signal.state).join(', '),
  }
}

/** The policy of an account, or of an account for one resource, and that of each subject within it. */
interface Policies {
  readonly whole: Policy
  readonly ofSubject: Policy
}

/** A subject is one person of an account. It gets half, so that it cannot use up what the others need. */
const createPolicies = (name: string, size: RateModel): Policies => {
  const half = { perSecond: size.perSecond / 2, burst: Math.ceil(size.burst / 2) }
  const subjectName = name === 'account' ? 'subject' : `${name}-subject`
  return { whole: createPolicy(name, size), ofSubject: createPolicy(subjectName, half) }
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
