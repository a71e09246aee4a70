import type { Model, RateModel } from '../compile/model.ts'
import { SettingMistake } from '../setting-mistake.ts'
import { createFailedAuthentication, type FailedAuthentication, noLimit } from './failed-authentication.ts'
import { createRateLimiter, type RateLimiter, unlimited } from './rate.ts'
import { openSharedBuckets, type SharedBuckets } from './rate-redis.ts'

export interface Rates {
  readonly limiter: RateLimiter
  readonly failures: FailedAuthentication
  close(): Promise<void>
}

export interface RateSettings {
  readonly model: Model
  /** `NOUNKIT_RATE`: a number of requests per second, or `off`. */
  readonly rate?: string | undefined
  /** `NOUNKIT_REDIS_URL`: the Redis in which several processes count together. */
  readonly redisUrl?: string | undefined
  readonly warn: (message: string, error: unknown) => void
}

export const openRates = async ({ model, rate, redisUrl, warn }: RateSettings): Promise<Rates> => {
  const size = readRate(rate, model.rate)
  if (size === null) return { limiter: unlimited, failures: noLimit, close: async () => {} }
  const shared = redisUrl ? await openShared(redisUrl, model, warn) : null
  return {
    limiter: createRateLimiter(size, shared && { buckets: shared, service: model.name }),
    failures: createFailedAuthentication(size),
    close: async () => shared?.close(),
  }
}

/** Null for no limit. */
export const readRate = (setting: string | undefined, declared: RateModel): RateModel | null => {
  if (setting === undefined || setting === '') return declared
  if (setting === 'off') return null
  const perSecond = Number(setting)
  if (Number.isFinite(perSecond) && perSecond > 0)
    return { perSecond, burst: Math.max(1, Math.ceil(2 * perSecond)) }
  throw new SettingMistake(
    `NOUNKIT_RATE is "${setting}". Write a number of requests per second greater than 0, or "off".`,
  )
}

const openShared = (url: string, model: Model, warn: RateSettings['warn']): Promise<SharedBuckets> =>
  openSharedBuckets({ url, whenAway: model.declaration.rateStoreAway ?? 'open', warn })
