import { problem } from '../problems.ts'
import { SettingMistake } from '../setting-mistake.ts'
import type { BucketSize, Taken } from './buckets.ts'

/** One bucket that a call takes from: the account's, or the account's for one resource. */
export interface NamedBucket {
  readonly key: string
  readonly size: BucketSize
  readonly tokens: number
}

/** Buckets in Redis that several processes share. One script takes from all buckets or from none, by the clock of Redis. */
export interface SharedBuckets {
  /** One result per bucket; null when Redis does not answer and calls are let through. */
  take(buckets: readonly NamedBucket[]): Promise<readonly Taken[] | null>
  close(): Promise<void>
}

export interface SharedBucketOptions {
  readonly url: string
  readonly whenAway: 'open' | 'closed'
  readonly warn: (message: string, error: unknown) => void
}

const answerWithinMs = 500
/** After a failure Redis is not asked for this long: otherwise every call would wait for a server that hangs. */
const restMs = 1_000
const warnEveryMs = 10_000

// The same arithmetic as in buckets.ts. Results are text: Redis truncates numbers that a script returns to integers.
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local results, fullAts, refused = {}, {}, false
for i, key in ipairs(KEYS) do
  local interval = 1000 / tonumber(ARGV[i * 3 - 2])
  local fullAt = math.max(tonumber(redis.call('GET', key) or now), now) + tonumber(ARGV[i * 3]) * interval
  local room = tonumber(ARGV[i * 3 - 1]) * interval - (fullAt - now)
  fullAts[i] = fullAt
  if room >= -0.001 then
    results[i] = string.format('%.0f', math.floor(room / interval + 0.001))
  else
    refused = true
    results[i] = string.format('%.3f', room)
  end
end
if not refused then
  for i, key in ipairs(KEYS) do
    redis.call('SET', key, string.format('%.3f', fullAts[i]), 'PX', math.max(1, math.ceil(fullAts[i] - now)))
  end
end
return results`

type TakeCommand = (count: number, ...keysAndSizes: (string | number)[]) => Promise<string[]>

export const openSharedBuckets = async (options: SharedBucketOptions): Promise<SharedBuckets> => {
  const { Redis } = await loadClient()
  const client = new Redis(options.url, {
    // A call must not wait for a server that does not answer: it is let through, or refused.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: answerWithinMs,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
    lazyConnect: true,
  })
  const warn = atMostEvery(warnEveryMs, options.warn)
  client.on('error', (error) => warn('Redis, which counts rates, does not answer', error))
  client.defineCommand('nounkitTake', { lua: script })
  await client.connect().catch((error: unknown) => warn('Redis, which counts rates, does not answer', error))
  const take = (client as unknown as { nounkitTake: TakeCommand }).nounkitTake.bind(client)

  let restUntil = Number.NEGATIVE_INFINITY
  const unreachable = (): null => {
    if (options.whenAway === 'open') return null
    throw redisUnreachable()
  }

  return {
    async take(buckets) {
      if (performance.now() < restUntil) return unreachable()
      const keys = buckets.map(({ key }) => key)
      const sizes = buckets.flatMap(({ size, tokens }) => [size.perSecond, size.burst, tokens])
      try {
        return (await take(keys.length, ...keys, ...sizes)).map(Number)
      } catch (error) {
        restUntil = performance.now() + restMs
        warn('Redis, which counts rates, does not answer', error)
        return unreachable()
      }
    },
    async close() {
      client.disconnect()
    },
  }
}

const redisUnreachable = () =>
  problem('store-unavailable', {
    detail: 'Calls are counted in a store that does not answer at the moment, so none is let through.',
    headers: { 'Retry-After': '1' },
  })

const loadClient = async (): Promise<Pick<typeof import('ioredis'), 'Redis'>> => {
  try {
    return await import('ioredis')
  } catch (error) {
    throw new SettingMistake(
      'NOUNKIT_REDIS_URL is set, but the package ioredis is missing. Run "npm install ioredis".',
      { cause: error },
    )
  }
}

const atMostEvery = (
  milliseconds: number,
  warn: SharedBucketOptions['warn'],
): ((message: string, error: unknown) => void) => {
  let last = Number.NEGATIVE_INFINITY
  return (message, error) => {
    if (performance.now() - last < milliseconds) return
    last = performance.now()
    warn(message, error)
  }
}
