import type { Caller } from '../call/caller.ts'
import type { AnswerCode, Resource } from '../compile/model.ts'
import type { AnswerName } from '../declare/answers.ts'
import type { Maybe } from '../maybe.ts'
import { type Problem, problem } from '../problems.ts'

/** A call of the code of a noun. */
export interface CodeCall {
  readonly caller: Caller
  readonly resource: Resource
  readonly name: AnswerName
  readonly asked: unknown
  /** What the code is given besides. */
  context(signal: AbortSignal): unknown
}

/** Bounds how many places one caller has, so that one caller cannot take them all. */
export interface CallerShares {
  /** Takes a place for the caller. The result gives the place back; null where the caller has its share already. */
  take(caller: Caller): (() => void) | null
}

/** How many answers of code run at once in this process. A place is free again when the time of its answer is over. */
export class AnswerPlaces {
  readonly #most: number
  readonly #shares: CallerShares
  #taken = 0

  constructor(most: number, shares: CallerShares) {
    this.#most = most
    this.#shares = shares
  }

  /** What the code answers within its time. Code that does not end is not waited for. */
  async run(call: CodeCall): Promise<unknown> {
    if (this.#taken >= this.#most)
      throw noPlace(`${this.#most} answers of code are running, which is as many as may run at once.`)
    const giveBack = this.#shares.take(call.caller)
    if (!giveBack) throw noPlace('As many answers of code are running for this caller as is its share.')
    this.#taken++
    try {
      return await answerOf(call)
    } catch (error) {
      throw error instanceof Error ? error : threwOther(call, error)
    } finally {
      this.#taken--
      giveBack()
    }
  }
}

function answerOf({ resource, name, asked, context }: CodeCall): Maybe<unknown> {
  const { answered } = resource
  const code: AnswerCode | null = answered?.[name] ?? null
  if (!answered || !code) throw new Error(`${resource.name} has no answers.${name}`)
  const ending = new AbortController()
  const answer = code(asked, context(ending.signal))
  return isThenable(answer) ? withinTime(answer, answered.withinMs, ending) : answer
}

const isThenable = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof (answer as { readonly then?: unknown } | null | undefined)?.then === 'function'

/** Code that ignores its signal is not waited for, and nobody is told of an error that comes too late. */
async function withinTime(
  answer: PromiseLike<unknown>,
  withinMs: number,
  ending: AbortController,
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const timer = setTimeout(() => {
    const timedOut = answerTimedOut(withinMs)
    ending.abort(timedOut)
    reject(timedOut)
  }, withinMs)
  answer.then(resolve, reject)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
  }
}

const threwOther = ({ resource, name }: CodeCall, cause: unknown): Error =>
  new Error(`answers.${name} of ${resource.name} threw what is no Error`, { cause })

const noPlace = (why: string): Problem =>
  problem('overloaded', {
    detail: `${why} This request was not processed.`,
    headers: { 'Retry-After': '1' },
  })

const answerTimedOut = (ms: number): Problem =>
  problem('answer-timed-out', {
    detail: `There was no answer within ${ms >= 1_000 ? `${ms / 1_000} s` : `${ms} ms`}. The work may have been done all the same.`,
  })
