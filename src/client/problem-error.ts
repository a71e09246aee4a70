import type { FieldError, ProblemMembers } from './problem-members.ts'

/** What the service answered instead of what was asked for (RFC 9457). `Name` is the problem's name in the reference. */
export type ProblemBody<Name = string> = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
} & (Name extends keyof ProblemMembers ? ProblemMembers[Name] : { readonly errors?: readonly FieldError[] })

/** A refusal by the service. `isProblem(error, 'unique-conflict')` tells which. */
export class ProblemError<Name = string> extends Error {
  /** As it was sent: a URL, whose page explains the problem. */
  readonly type: string
  readonly status: number
  readonly title: string
  readonly detail: string
  /** What is wrong, one entry each, in the names of the version that was called. */
  readonly errors: readonly FieldError[]
  readonly requestId: string
  /** Seconds to wait before the next try, where the service said so. */
  readonly retryAfter: number | null
  /** How often the request was sent. */
  readonly tries: number
  readonly body: ProblemBody<Name>

  constructor(call: string, body: ProblemBody<Name>, retryAfter: number | null, tries: number) {
    const { type, status, title, detail, instance } = body
    const errors = (body as ProblemBody).errors ?? []
    const faults = errors.map((one) => `${one.pointer ?? one.parameter ?? one.header ?? ''} ${one.detail}`)
    super(`${call}: ${status} ${problemName(type)}: ${[detail, ...faults].join(' ')}`)
    this.name = 'ProblemError'
    this.type = type
    this.status = status
    this.title = title
    this.detail = detail
    this.errors = errors
    this.requestId = instance
    this.retryAfter = retryAfter
    this.tries = tries
    this.body = body
  }
}

/** A call that got no answer of the service: the network failed, or something else answered. */
export class CallError extends Error {
  /** How often the request was sent. */
  readonly tries: number
  /** The status of the last answer, where there was one. */
  readonly status: number | null
  /** Seconds to wait before the next try, where the last answer said so. */
  readonly retryAfter: number | null

  constructor(
    message: string,
    tries: number,
    status: number | null,
    retryAfter: number | null,
    cause?: unknown,
  ) {
    super(message, { cause })
    this.name = 'CallError'
    this.tries = tries
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** The types that IANA registers, by the name that the reference of problems has for them. */
const registered: { readonly [end: string]: string } = {
  'quota-exceeded': 'too-many-requests',
  'temporary-reduced-capacity': 'overloaded',
}

/** `/problems/unique-conflict` → `unique-conflict`. */
const problemName = (type: string): string => {
  const end = type.replace(/^.*[/#]/, '')
  return registered[end] ?? end
}

/** Whether there is no such row. That there is no such path, or no such version, is a mistake in how the API is called. */
export const isMissingRow = (error: unknown): boolean =>
  isProblemNamed(error, 'not-found') && !('missing' in (error as ProblemError).body)

/** Whether the error is this problem. Without a name: whether it is any. */
export const isProblemNamed = (error: unknown, name?: string): boolean =>
  error instanceof ProblemError && (name === undefined || problemName(error.type) === name)
