import type { PlainRequest } from '../call/exchange.ts'
import type { Maybe } from '../maybe.ts'
import { type Problem, problem } from '../problems.ts'
import { CallerTurns } from './caller-turns.ts'
import { addressHolder, FairLimit, type Holder } from './fair-limit.ts'

const sampleMs = 100
/** Two samples in a row this late mean overload. A single late one may be a garbage collection or a slow disk. */
const lagLimitMs = 1_000
/** A request that has waited this long for its turn is refused: its client may have given up. */
const mostWaitMs = 5_000

/** What this process may hold for all callers together. Each of them has a share. */
export interface Bounds {
  /** Bytes of request bodies that are still arriving. */
  readonly bodyBytes: number
  /** Bytes of answers that clients have not taken yet. */
  readonly answerBytes: number
  /** Open connections of a server. */
  readonly connections: number
}

export const defaultBounds: Bounds = {
  bodyBytes: 256 * 1_048_576,
  answerBytes: 256 * 1_048_576,
  connections: 10_000,
}

export interface AdmissionOptions extends Partial<Bounds> {
  /** The event loop has nothing else to do, so that a late timer means too many requests. */
  readonly ownsProcess: boolean
}

/** What tells callers apart before they are authenticated. */
export type AskingRequest = Pick<PlainRequest, 'address' | 'headers' | 'caller'>

/** Whoever sends other credentials with each request gets a turn for each, at the price of a refusal. */
const whoAsks = ({ address, headers, caller }: AskingRequest): string =>
  JSON.stringify([address, headers.authorization, caller?.account, caller?.subject])

/** Limits the requests in flight: a request over the ceiling is refused at once, so that it does not slow down the others. */
export class Admission {
  readonly #ceiling: number
  readonly #bodies: FairLimit
  /** Bytes of answers that clients have not taken yet. */
  readonly answers: FairLimit
  readonly #turns = new CallerTurns()
  readonly #ownsProcess: boolean
  readonly #timer: NodeJS.Timeout | undefined
  #inFlight = 0
  #refused = 0
  #lag = 0
  #lateSamples = 0
  #expected = performance.now() + sampleMs

  constructor(ceiling: number, { ownsProcess, ...bounds }: AdmissionOptions) {
    this.#ceiling = ceiling
    this.#ownsProcess = ownsProcess
    const { bodyBytes, answerBytes } = { ...defaultBounds, ...bounds }
    this.#bodies = new FairLimit(bodyBytes)
    this.answers = new FairLimit(answerBytes)
    if (ownsProcess) this.#timer = setInterval(() => this.#sample(), sampleMs).unref()
  }

  /** False when the request, which arrived at `startedAt`, must be refused as `overloaded()`. Otherwise `leave` must follow. */
  enter(startedAt: number): boolean {
    if (this.#ownsProcess && performance.now() - startedAt > mostWaitMs) return this.refuse()
    if (!this.#hasRoom(this.#inFlight)) return false
    this.#inFlight++
    return true
  }

  /** Does work of a request at once, or when it is its caller's turn. Null, which is counted as a refusal, where too many wait. */
  inTurn<T>(request: AskingRequest, work: () => Maybe<T>): Maybe<T> | null {
    const done = this.#turns.take(
      () => whoAsks(request),
      () => addressHolder(request.address),
      work,
    )
    if (done === null) this.refuse()
    return done
  }

  /** Counts a request that is refused as `overloaded()`. */
  refuse(): false {
    this.#refused++
    return false
  }

  leave(): void {
    this.#inFlight--
  }

  /** A request that waits for its body is not counted, so that slow clients cannot use up the ceiling. */
  beginBody(): void {
    this.#inFlight--
  }

  /** False when the bodies that are arriving for the holder take more memory than its share. */
  growBody(holder: Holder, bytes: number): boolean {
    return this.#bodies.take(holder, bytes)
  }

  /** Releases the bytes of a body and counts its request again, which continues only if `mayContinue`. */
  endBody(holder: Holder, bytes: number): void {
    this.#bodies.giveBack(holder, bytes)
    this.#inFlight++
  }

  /** False when other requests reached the ceiling while this one waited for its body. */
  mayContinue(): boolean {
    return this.#hasRoom(this.#inFlight - 1)
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get refused(): number {
    return this.#refused
  }

  /** How late the last sample was, in milliseconds: the time that queued work delayed it. */
  get lag(): number {
    return this.#lag
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #hasRoom(others: number): boolean {
    return (others < this.#ceiling && this.#lateSamples <= 1) || this.refuse()
  }

  #sample(): void {
    const now = performance.now()
    this.#lag = Math.max(0, now - this.#expected)
    this.#expected = now + sampleMs
    this.#lateSamples = this.#lag > lagLimitMs ? this.#lateSamples + 1 : 0
  }
}

/** A body is refused while it arrives, so that the bodies of other callers have room. */
export const bodiesOverShare = (): Problem =>
  problem('overloaded', {
    detail:
      'The bodies that are arriving for this caller take more than its share of the memory of this process. This request was not processed.',
    headers: { 'Retry-After': '1' },
  })

export const overloaded = (): Problem =>
  problem('overloaded', {
    detail: 'More requests are in flight than this process accepts. This request was not processed.',
    headers: { 'Retry-After': '1' },
  })
