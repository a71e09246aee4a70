import { problem } from '../problems.ts'
import { SettingMistake } from '../setting-mistake.ts'
import type { BucketSize, Taken } from './buckets.ts'

/** One bucket of a call: an account's, or an account's on one resource. */
export interface NamedBucket {
  readonly key: string
  readonly size: BucketSize
}

/** Buckets that many processes share. Takes from all or from none, in one step, by the server's own clock. */
export interface SharedBuckets {
  /** One result per bucket; null when the server is away and calls are let through. */
  take(buckets: readonly NamedBucket[]): Promise<readonly Taken[] | null>
  close(): Promise<void>
}

export interface SharedBucketOptions {
  readonly url: string
  readonly whenAway: 'open' | 'closed'
  readonly warn: (message: string, error: unknown) => void
}

const answerWithinMs = 500
/** After a failure nobody asks for a moment: a server that hangs must not make each call wait for it. */
const restMs = 1_000
const warnEveryMs = 10_000

// The same arithmetic as in buckets.ts. Values travel as text: Redis cuts the fraction off numbers that a script returns.
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local results, fullAts, refused = {}, {}, false
for i, key in ipairs(KEYS) do
  local interval = 1000 / tonumber(ARGV[i * 2 - 1])
  local fullAt = math.max(tonumber(redis.call('GET', key) or now), now) + interval
  local room = tonumber(ARGV[i * 2]) * interval - (fullAt - now)
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
    redis.call('SET', key, string.format('%.3f', fullAts[i]), 'PX', math.ceil(fullAts[i] - now))
  end
end
return results`

type TakeCommand = (count: number, ...keysAndSizes: (string | number)[]) => Promise<string[]>

export const openSharedBuckets = async (options: SharedBucketOptions): Promise<SharedBuckets> => {
  const { Redis } = await loadClient()
  const client = new Redis(options.url, {
    // A call must not wait for a server that is away: it is let through, or refused.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: answerWithinMs,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
    lazyConnect: true,
  })
  const warn = atMostEvery(warnEveryMs, options.warn)
  client.on('error', (error) => warn('the shared counter of rates is away', error))
  client.defineCommand('nounkitTake', { lua: script })
  await client.connect().catch((error: unknown) => warn('the shared counter of rates is away', error))
  const take = (client as unknown as { nounkitTake: TakeCommand }).nounkitTake.bind(client)

  let restUntil = Number.NEGATIVE_INFINITY
  const away = (): null => {
    if (options.whenAway === 'open') return null
    throw counterAway()
  }

  return {
    async take(buckets) {
      if (performance.now() < restUntil) return away()
      const keys = buckets.map(({ key }) => key)
      const sizes = buckets.flatMap(({ size }) => [size.perSecond, size.burst])
      try {
        return (await take(keys.length, ...keys, ...sizes)).map(Number)
      } catch (error) {
        restUntil = performance.now() + restMs
        warn('the shared counter of rates is away', error)
        return away()
      }
    },
    async close() {
      client.disconnect()
    },
  }
}

const counterAway = () =>
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
