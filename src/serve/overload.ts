import { type Problem, problem } from '../problems.ts'

/** How many requests are worked on at once: past the ceiling a request is turned away at once instead of making all slow. */
export interface Admission {
  /** False when the request must be turned away; else `leave` must follow. */
  enter(): boolean
  leave(): void
  /** A request waits for its body: a slow client holds no place meanwhile, only memory for what has come. */
  beginBody(): void
  /** False when too much of all bodies together is in memory. */
  growBody(bytes: number): boolean
  /** With all that had come. The request has a place again, and goes on only if `mayGoOn`. */
  endBody(bytes: number): void
  /** False when the places were taken while it waited: it must be turned away. */
  mayGoOn(): boolean
  readonly inFlight: number
  readonly turnedAway: number
  /** How late the last timer came, in milliseconds: the work queued before it. */
  readonly lag: number
  close(): void
}

const sampleMs = 100
/** Seconds of queued work are overload; a pause of the collector or a slow disk is not, so it takes two samples. */
const lagLimitMs = 1_000
/** Bodies that are still arriving, all together. */
const bodyBytesLimit = 256 * 1_048_576

export const createAdmission = (ceiling: number): Admission => {
  let inFlight = 0
  let turnedAway = 0
  let bodyBytes = 0
  let lag = 0
  let lateSamples = 0
  let expected = performance.now() + sampleMs
  const timer = setInterval(() => {
    const now = performance.now()
    lag = Math.max(0, now - expected)
    expected = now + sampleMs
    lateSamples = lag > lagLimitMs ? lateSamples + 1 : 0
  }, sampleMs).unref()

  const hasRoom = (others: number): boolean => {
    if (others < ceiling && lateSamples <= 1) return true
    turnedAway++
    return false
  }

  return {
    enter() {
      if (!hasRoom(inFlight)) return false
      inFlight++
      return true
    },
    leave() {
      inFlight--
    },
    beginBody() {
      inFlight--
    },
    growBody(bytes) {
      bodyBytes += bytes
      return bodyBytes <= bodyBytesLimit
    },
    endBody(bytes) {
      bodyBytes -= bytes
      inFlight++
    },
    mayGoOn: () => hasRoom(inFlight - 1),
    get inFlight() {
      return inFlight
    },
    get turnedAway() {
      return turnedAway
    },
    get lag() {
      return lag
    },
    close: () => clearInterval(timer),
  }
}

export const overloaded = (): Problem =>
  problem('overloaded', {
    detail: 'More requests are in flight than this process takes on. This one was not looked at.',
    headers: { 'Retry-After': '1' },
  })
