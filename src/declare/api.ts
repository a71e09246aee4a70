import type { Sound } from './across.ts'
import type { NeedsScope } from './field.ts'
import type { JobDeclarations } from './job.ts'
import type { DeclaredResource } from './relation.ts'
import type { RateDeclaration, ResourceDeclaration, ResourceLimits } from './resource.ts'
import type { RuleDeclarations } from './rule.ts'
import type { VersionDeclaration } from './version.ts'

export interface ApiLimits extends ResourceLimits {
  readonly jsonDepth?: number
  readonly headerBytes?: number
  /** The most rows that the includes of one request may return. */
  readonly rowsPerRequest?: number
  readonly idempotencyHours?: number
  readonly requestsInFlight?: number
  /** Open streams of events per account and process. */
  readonly streams?: number
  /** The most webhook endpoints of an account. */
  readonly webhookEndpoints?: number
  /** The most rows that are deleted along with another one. */
  readonly cascadeRows?: number
  /** The most answers of code, of nouns with `answers`, that run at once in a process. */
  readonly answersInFlight?: number
}

/**
 * JWT bearer tokens of one issuer, and how their claims map to account, consumer and scopes. The issuer, its keys and the audience are
 * settings of a deployment: they may stand here or in the environment, and are in no contract.
 */
export interface TokenDeclaration {
  /** Exactly as in the claim `iss`. Unless said, `NOUNKIT_TOKEN_ISSUER` says it. */
  readonly issuer?: string
  /** A URL, or the path of a file beside the declaration. Unless said, the issuer's OpenID discovery document tells the URL. */
  readonly jwks?: string
  /** What `aud` must have. Unless said, every access token of the issuer is accepted, whatever service it was made for. */
  readonly audience?: string
  /** `['RS256', 'ES256', 'EdDSA']` unless said; never `none`, never HMAC. */
  readonly algorithms?: readonly string[]
  readonly clockSkewSeconds?: number
  /**
   * Put before the subject and the consumer of its tokens, so that they are not taken for those of another issuer: `partners:`.
   * Of several issuers, at most one has none.
   */
  readonly prefix?: string
  /** Claim names, with dots for nested claims; `account`, `client_id`, `scope` unless said. With `accounts: 'one'` none names the account. */
  readonly claims?: { readonly account?: string; readonly consumer?: string; readonly scopes?: string }
}

export interface CorsDeclaration {
  readonly origins: readonly string[] | '*'
  readonly maxAgeSeconds?: number
}

export interface EventsDeclaration {
  /** How many days an event can be read. */
  readonly keepDays: number
}

/** `true` keeps entries for 365 days. */
export type AuditDeclaration = boolean | { readonly keepDays: number }

/** Rows for an empty store, in the head's names; a function, so that rows are built only when they are needed. */
export interface SeedDeclaration {
  /** Needed unless the API has `accounts: 'one'`. */
  readonly accounts?: readonly string[]
  /** Shared rows, by resource, in the order they are to be inserted. */
  shared?(): readonly SeedRow[]
  /** Rows of an account; those of the only one, where the API has `accounts: 'one'`. */
  account?(account: string): readonly SeedRow[]
  /** The keys that `serve --demo` makes and prints; one for each account, with the scope `*`, unless said. */
  readonly demoKeys?: readonly DemoKey[]
}
/** A kind of caller to try out. */
export interface DemoKey {
  /** Needed unless the API has `accounts: 'one'`. */
  readonly account?: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly subject?: string
  readonly claims?: { readonly [name: string]: unknown }
  /** Paths that show what this caller reads, such as `/v1/loans?include=copy`. */
  readonly reads?: readonly string[]
}
export interface SeedRow {
  readonly resource: string
  readonly values: { readonly id: string; readonly [field: string]: unknown }
}

/** Scopes of the API's own, each with a sentence that says what it opens. */
export type ScopeDeclarations = { readonly [scope: string]: string }

export interface ApiOptions {
  readonly title?: string
  readonly description?: string
  readonly resources: readonly ResourceDeclaration[]
  /** Newest first; `[version('v1')]` unless said. */
  readonly versions?: readonly VersionDeclaration[]
  /** The version that serves paths without one; none unless said. */
  readonly unversioned?: string
  readonly limits?: ApiLimits
  /** `'one'` for an API of one tenant: every key and token belongs to the same account, which nobody has to name. */
  readonly accounts?: 'one'
  /** Requests per second and account; 100 with a burst of 200 unless said. */
  readonly rate?: RateDeclaration
  /** When the shared rate counter is unreachable: let calls through (`open`, the default) or refuse them. */
  readonly rateStoreAway?: 'open' | 'closed'
  /** A list where tokens of several issuers are accepted. */
  readonly tokens?: TokenDeclaration | readonly TokenDeclaration[]
  /** Scopes beyond `{resource}:read` and `{resource}:write`, for rules and fields that ask for them. */
  readonly scopes?: ScopeDeclarations
  /** Every committed change of a row is an event, for all resources that belong to accounts; none unless said. */
  readonly events?: EventsDeclaration
  /** Who changed which row is recorded, for all resources; only what operators do, unless said. */
  readonly audit?: AuditDeclaration
  readonly cors?: CorsDeclaration
  /** Addresses (CIDR) of proxies whose Forwarded and X-Forwarded-* headers and request ids are trusted. */
  readonly proxies?: readonly string[]
  readonly seed?: SeedDeclaration
  /** Work that hooks hand over, and work at regular times, by names. */
  readonly jobs?: JobDeclarations
}

export interface ApiDeclaration extends ApiOptions {
  readonly kind: 'api'
  readonly name: string
}

/**
 * A declaration whose resources, newest version, events and audit the compiler knows, for the types of a client: `client<typeof shop>(…)`. What
 * it adds is never set.
 */
export interface TypedApi<Resources, Version extends string, Events, Audit> extends ApiDeclaration {
  readonly typed?: {
    readonly resources: Resources
    readonly version: Version
    readonly events: Events
    readonly audit: Audit
  }
}

/** The name of the newest version. */
type NewestOf<V extends readonly VersionDeclaration[]> = V extends readonly [
  { readonly name: infer N extends string },
  ...unknown[],
]
  ? N
  : V extends readonly []
    ? 'v1'
    : string

/** The scopes that the rules and the fields of a resource ask for; none where its type is the general one. */
type ScopesOf<D> = Known<ScopesOfRules<D>> | ScopesOfFields<D>
type ScopesOfRules<D> = D extends { readonly rules?: RuleDeclarations<never, infer S> } ? S : never
type ScopesOfFields<D> = D extends { readonly fields: infer F }
  ? { [K in keyof F]-?: F[K] extends NeedsScope<infer S> ? Known<S> : never }[keyof F]
  : never
type Known<S extends string> = string extends S ? never : S

/** Scopes that rules and fields ask for must be declared: TypeScript names those that are missing in `scopes`. */
type NeededScopes<D extends DeclaredResource> = [UnknownScopes<D>] extends [never]
  ? unknown
  : { readonly scopes: { readonly [scope in UnknownScopes<D>]: string } }
type UnknownScopes<D extends DeclaredResource> = Exclude<
  ScopesOf<D>,
  `${D['name']}:read` | `${D['name']}:write`
>

/** With `ResourceDeclaration` in place of `DeclaredResource`, a resource that is written within the list would take its general types from it. */
export const api = <
  const T extends readonly DeclaredResource[],
  const V extends readonly VersionDeclaration[] = readonly [],
  E extends EventsDeclaration | undefined = undefined,
  const A extends AuditDeclaration = false,
>(
  name: Sound<NoInfer<T>, NoInfer<V>>,
  // What is wrong comes first, so that it stands at the beginning of the error.
  options: NeededScopes<NoInfer<T>[number]> &
    Omit<ApiOptions, 'resources' | 'versions' | 'events' | 'audit'> & {
      readonly resources: T
      readonly versions?: V
      /** Every committed change of a row is an event, for all resources that belong to accounts; none unless said. */
      readonly events?: E
      /** Who changed which row is recorded, for all resources; only what operators do, unless said. */
      readonly audit?: A
    },
): TypedApi<
  T[number],
  NewestOf<V>,
  E extends EventsDeclaration ? true : false,
  A extends false ? false : true
> => Object.freeze({ kind: 'api', ...(options as unknown as ApiOptions), name: name as string })
