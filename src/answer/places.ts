import type { Caller } from '../call/caller.ts'
import type { AnswerCode, Resource } from '../compile/model.ts'
import type { AnswerName } from '../declare/answers.ts'
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

/** Of what callers share: one of them has no more than its part. */
export interface CallerShares {
  /** False where the caller has its share. It is counted all the same: `giveBack` must follow. */
  take(caller: Caller): boolean
  giveBack(caller: Caller): void
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
    const { caller } = call
    const hasShare = this.#shares.take(caller)
    const isFree = ++this.#taken <= this.#most
    try {
      if (!isFree)
        throw noPlace(`${this.#most} answers of code are running, which is as many as may run at once.`)
      if (!hasShare) throw noPlace('As many answers of code are running for this caller as is its share.')
      return await answerOf(call)
    } finally {
      this.#taken--
      this.#shares.giveBack(caller)
    }
  }
}

async function answerOf(call: CodeCall): Promise<unknown> {
  const { resource, name, asked } = call
  const { answered } = resource
  const code: AnswerCode | null = answered?.[name] ?? null
  if (!answered || !code) throw new Error(`${resource.name} has no answers.${name}`)
  const ending = new AbortController()
  try {
    const answer = code(asked, call.context(ending.signal))
    return isThenable(answer) ? await withinTime(answer, answered.withinMs, ending) : answer
  } catch (error) {
    throw error instanceof Error ? error : threwOther(call, error)
  }
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
