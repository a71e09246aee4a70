/**
 * The statuses that a hook may refuse with. The other 4xx statuses have rules of HTTP that only the engine can follow: 401 needs a
 * challenge, 405 an Allow, 410 is a retired version, 412 an If-Match, 429 a time to wait.
 */
export const refusalStatuses = [400, 402, 403, 404, 409, 422, 423, 451] as const

/** A way in which hooks of a resource refuse, declared so that consumers can know of it beforehand. */
export interface ProblemDeclaration {
  readonly status: (typeof refusalStatuses)[number]
  /** The same for every refusal of this kind; what differs is its `detail`. */
  readonly title: string
  /** What happened, for the problem's page and the OpenAPI document. */
  readonly description?: string
  /** How a consumer fixes it, for the same. */
  readonly fix?: string
}

/** By code: a kebab-case name, which is also the last part of the problem's `type`. */
export type ProblemDeclarations = { readonly [code: string]: ProblemDeclaration }
