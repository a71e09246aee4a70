import type { RowOf } from './answered-rows.ts'
import type { ClientOf, ClientOptions, EventOf } from './client-types.ts'
import { makeClient } from './make-client.ts'
import { isProblemNamed, type ProblemError } from './problem-error.ts'
import type { ProblemMembers } from './problem-members.ts'
import type { ShapeOf } from './shape-of.ts'
import { verifiedBody } from './verify-webhook.ts'

export type { IncludedList, List, Page, Total } from './answered-rows.ts'
export type { CallOptions, ClientOptions, Deprecation } from './client-types.ts'
export { CallError, ProblemError } from './problem-error.ts'
export type { FieldError } from './problem-members.ts'

/** The client of a declaration: `Client<typeof shop>`. A conditional type, so that errors show what it stands for. */
export type Client<Api> = ShapeOf<Api> extends infer S ? ClientOf<S> : never
/** A row with what was included: `Row<typeof shop, 'orders', 'customer' | 'items.product'>`. */
export type Row<Api, Name extends string, Include extends string = never> = RowOf<ShapeOf<Api>, Name, Include>
/** What happened to a row of a declaration: `Event<typeof shop>`. */
export type Event<Api> = EventOf<ShapeOf<Api>>

/**
 * A client of the newest version of a declaration.
 *
 * @example
 * const api = client<typeof shop>({ url: 'https://api.example.com', key })
 * const order = await api.orders.get(id, { include: ['customer'] })
 */
export const client = <Api>(options: ClientOptions<ShapeOf<Api>['version'] & string>): Client<Api> =>
  makeClient(options) as Client<Api>

/**
 * Whether an error is a problem with this name, as in the reference of problems. `isProblem<typeof shop>` also knows the problems that
 * hooks of the declaration refuse with.
 */
export function isProblem(error: unknown): error is ProblemError
export function isProblem<Name extends keyof ProblemMembers>(
  error: unknown,
  name: Name,
): error is ProblemError<Name>
export function isProblem<Api>(
  error: unknown,
  name: (ShapeOf<Api>['problems'] & string) | keyof ProblemMembers,
): error is ProblemError
export function isProblem(error: unknown, name?: string): boolean {
  return isProblemNamed(error, name)
}

/** The event of a call to a webhook, if the secret signed it within five minutes; else it throws. `body` is the body as it came. */
export const verifyWebhook = async <Api>(
  secret: string,
  headers: Parameters<typeof verifiedBody>[1],
  body: string | Uint8Array,
): Promise<Event<Api>> => JSON.parse(await verifiedBody(secret, headers, body)).data
