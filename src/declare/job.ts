import type { z } from 'zod'
import type { Nameable, RowMeant } from './reach.ts'

/** A length of time: `30s`, `5m`, `6h`, `7d`. */
export type Duration = `${number}${'s' | 'm' | 'h' | 'd'}`

/** As whom a job calls, within its own account. */
export interface JobCaller {
  /** `['*']` unless said. */
  readonly scopes?: readonly string[]
  readonly subject?: string
  readonly claims?: { readonly [name: string]: unknown }
}

/** As whom code of this process calls. */
export interface ActingAs extends JobCaller {
  /** Not needed where the API has `accounts: 'one'`. */
  readonly account?: string
}

/**
 * The client of an API of which nothing is known here. It is `any`, because the type of the API is made of its jobs: say
 * `as<Client<typeof library>>()` to have types.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above
type AnyClient = any

/** A resource by itself or by its name. `any` stands for a resource of which nothing is known. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type AnyNoun = any

interface RunContext {
  /** The same for every attempt of a run: pass it on to other services, so that they do the work once. */
  readonly id: string
  /** 1 for the first attempt. */
  readonly attempt: number
  /** Aborts when the process stops, when the run took too long, or when another process has taken it over. */
  readonly signal: AbortSignal
}

/** What a job may do. It runs after the transaction that handed it over, in one of its own account's processes, outside of any transaction. */
export interface JobContext extends RunContext {
  readonly account: string
  /** The client of the API, in this process, for the job's own account. Rules and validation hold. */
  as<C = AnyClient>(caller?: JobCaller): C
  /** One row of the account, whatever the rules say; null where there is none. */
  find<const T extends Nameable<AnyNoun>>(resource: T, id: string): Promise<RowMeant<T, AnyNoun> | null>
}

/** What work at regular times may do. It has no account of its own. */
export interface EveryContext extends RunContext {
  /** The client of the API, in this process, for an account. */
  as<C = AnyClient>(caller?: ActingAs): C
}

export interface JobOptions {
  /** The waits before each further attempt: `['5s', '30s', '5m', '1h', '6h']` unless said. `[]` for one attempt. */
  readonly retries?: readonly Duration[]
  /** How long a run may take; `15m` unless said. Then its signal aborts, and the attempt has failed. */
  readonly within?: Duration
}

export interface JobDeclaration<Schema extends z.ZodType = z.ZodType> extends JobOptions {
  readonly kind: 'job'
  readonly schema: Schema
  run(payload: z.output<Schema>, context: JobContext): unknown
}

/** `1h`, or times of day as a cron expression in a time zone, which is UTC unless said. */
export type Schedule = Duration | { readonly cron: string; readonly zone?: string }

export interface EveryDeclaration extends Pick<JobOptions, 'within'> {
  readonly kind: 'every'
  readonly schedule: Schedule
  run(context: EveryContext): unknown
}

/** The jobs of an API, by their names. */
export type JobDeclarations = {
  // A method, so that a job with any payload is one.
  readonly [name: string]: JobDeclaration | EveryDeclaration
}

/**
 * Work that is done later, and surely: hooks hand it over with `later`, in the transaction of their rows.
 *
 * @example
 * const remind = job(z.object({ loan_id: z.string() }), async ({ loan_id }, { as, id }) => { … }, { retries: ['5s', '1m'] })
 */
export const job = <Schema extends z.ZodType>(
  schema: Schema,
  run: (payload: z.output<Schema>, context: JobContext) => unknown,
  options: JobOptions = {},
): JobDeclaration<Schema> => Object.freeze({ ...options, kind: 'job', schema, run })

/**
 * Work at regular times, by one process at a time.
 *
 * @example
 * every({ cron: '0 3 * * *', zone: 'Europe/Berlin' }, async ({ as, signal }) => { … })
 */
export const every = (
  schedule: Schedule,
  run: (context: EveryContext) => unknown,
  options: Pick<JobOptions, 'within'> = {},
): EveryDeclaration => Object.freeze({ ...options, kind: 'every', schedule, run })

/** What hooks say when they hand a job over. */
export interface LaterOptions {
  /** When it is due; at once unless said. A `Date`, or an RFC 3339 text. */
  readonly at?: Date | string
  /** Drops the job where one of the same name with this text waits for its first attempt. */
  readonly unique?: string
}

/** The payload that a job takes; anything where the job is only named. */
export type PayloadOf<J> = J extends { readonly schema: infer S extends z.ZodType } ? z.input<S> : unknown

/** Hands a job over: by itself, so that its payload is typed, or by its name. */
export type Later = <const J extends string | JobDeclaration>(
  job: J,
  payload: PayloadOf<J>,
  options?: LaterOptions,
) => Promise<void>
