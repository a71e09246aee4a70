import { networkOf } from '../call/network-of.ts'
import type { RateModel } from '../compile/model.ts'
import type { Maybe } from '../maybe.ts'
import { problem } from '../problems.ts'
import { createBuckets } from './buckets.ts'

/**
 * Counts wrong keys and tokens by address. Only wrong ones are ever refused for that: whether credentials are right is found out by a look-up or
 * a signature check, and an address that has failed too often gets few of these at a time.
 */
export interface FailedAuthentication {
  /** Checks credentials that this process does not know to be right. Beyond the limit, those of an address wait for each other. */
  check<T>(address: string, work: () => Maybe<T>): Maybe<T>
  /** Counts a failure. Throws 429 when the address has failed too often. */
  count(address: string): void
}

export const noLimit: FailedAuthentication = { check: (_, work) => work(), count: () => {} }

/** More failures a second than typing errors explain. A lower rate of the API lowers this one too. */
const mostPerSecond = 10
const mostAtOnce = 50
/** Checks of one address at a time, after too many failures. A check takes less than a millisecond, so that right credentials wait for little. */
const checksAtATime = 4
/** Each of them is a request in flight, of which a process has a limited number. */
const mostInLine = 100

export const createFailedAuthentication = (
  rate: RateModel,
  now: () => number = () => performance.now(),
): FailedAuthentication => {
  const size = {
    perSecond: Math.min(mostPerSecond, rate.perSecond),
    burst: Math.max(1, Math.min(mostAtOnce, rate.burst)),
  }
  const buckets = createBuckets(20_000)
  const lines = new Map<string, Line>()
  return {
    check(address, work) {
      const network = networkOf(address)
      const line = lines.get(network)
      if (!line && buckets.peek(network, size, now()) >= 0) return work()
      return inLine(line ?? newLine(lines, network), work)
    },
    count(address) {
      const left = buckets.take(networkOf(address), size, now())
      if (left < 0) throw tooManyFailures(left)
    },
  }
}

const tooManyFailures = (left: number): Error => {
  const seconds = Math.max(1, Math.ceil(-left / 1000))
  return problem('too-many-requests', {
    detail: `These credentials are wrong, and so were too many others from this address. The next failure is counted anew in ${seconds} s.`,
    headers: { 'Retry-After': String(seconds) },
  })
}

const tooManyInLine = (): Error =>
  problem('too-many-requests', {
    detail:
      'Too many credentials from this address were wrong, so that its credentials are checked a few at a time, and too many wait for that.',
    headers: { 'Retry-After': '1' },
  })

/** The checks of one address. It is kept while any are running. */
interface Line {
  running: number
  readonly waiting: (() => void)[]
  readonly whenEmpty: () => void
}

const newLine = (lines: Map<string, Line>, network: string): Line => {
  const line = { running: 0, waiting: [], whenEmpty: () => lines.delete(network) }
  lines.set(network, line)
  return line
}

const inLine = <T>(line: Line, work: () => Maybe<T>): Maybe<T> => {
  if (line.running === checksAtATime) {
    if (line.waiting.length >= mostInLine) throw tooManyInLine()
    return new Promise<void>((resolve) => line.waiting.push(resolve)).then(() => run(line, work))
  }
  line.running++
  return run(line, work)
}

const run = <T>(line: Line, work: () => Maybe<T>): Maybe<T> => {
  let result: Maybe<T>
  try {
    result = work()
  } catch (error) {
    leave(line)
    throw error
  }
  if (result instanceof Promise) return result.finally(() => leave(line))
  leave(line)
  return result
}

const leave = (line: Line): void => {
  const next = line.waiting.shift()
  // The next one takes over the place, so that nobody who comes meanwhile gets it.
  if (next) return next()
  line.running--
  if (line.running === 0) line.whenEmpty()
}
