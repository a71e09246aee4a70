import type { FieldDeclarations } from './field.ts'
import type { Hooks } from './hooks.ts'
import type { ProblemDeclarations } from './problem.ts'
import type { RelationDeclarations } from './relation.ts'
import type { RowOf } from './row.ts'
import type { RowTerms, RuleDeclarations } from './rule.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `authenticated`: any valid key; `public`: no key at all; otherwise the name of a scope. */
export type ScopeRule = 'public' | 'authenticated' | (string & {})

export interface ResourceLimits {
  /** Include: relations a call, depth, rows per to-many. */
  readonly includeRelations?: number
  readonly includeDepth?: number
  readonly includeRows?: number
  readonly pageDefault?: number
  readonly pageMax?: number
  readonly bodyBytes?: number
}

export type IdempotencyMode = 'optional' | 'required' | 'off'

export interface IdempotencyDeclaration {
  readonly mode: IdempotencyMode
  /** `reread`: responses are stored without their body; a replay shows the row as it is now, and says so. */
  readonly body?: 'stored' | 'reread'
}

export interface RateDeclaration {
  readonly perSecond: number
  readonly burst?: number
}

export interface ResourceOptions<
  F extends FieldDeclarations,
  R extends RelationDeclarations,
  P extends ProblemDeclarations = ProblemDeclarations,
  S extends string = string,
> {
  readonly fields: F
  readonly relations?: R
  readonly description?: string
  /** The resource's name before it was renamed: while no version is published, a migration keeps its rows. */
  readonly was?: string
  /** Shared by all accounts: a catalogue. */
  readonly shared?: boolean
  /** The belongs-to relation this resource lives under; makes it a sub-resource. */
  readonly owner?: keyof R & string
  /** Put before every id, as in `ord_018f…`. */
  readonly idPrefix?: string
  /** Why a name that does not look like a plural noun is one all the same ("a mass noun"). */
  readonly nameIsPluralBecause?: string
  /** Fields (or sets of fields) whose values no two rows of an account share. */
  readonly unique?: readonly (string | readonly string[])[]
  readonly filter?: readonly string[]
  readonly sort?: readonly string[]
  /** The relation paths a consumer may include. */
  readonly include?: readonly string[]
  /** The methods offered; all, unless said. */
  readonly methods?: readonly Method[]
  readonly idempotencyKey?: IdempotencyMode | IdempotencyDeclaration
  /** PUT, PATCH and DELETE without If-Match are refused (428). */
  readonly requireIfMatch?: boolean
  readonly cacheControl?: string
  /** `{resource}:read` and `{resource}:write`, unless said. A method's own rule wins over read and write. */
  readonly scopes?: { readonly read?: ScopeRule; readonly write?: ScopeRule } & {
    readonly [M in Method]?: ScopeRule
  }
  readonly rate?: RateDeclaration
  readonly limits?: ResourceLimits
  /** `false` leaves the resource out of the API's events. */
  readonly events?: boolean
  /** Rows are created, changed and deleted only while the related row's field has one of the values. */
  readonly onlyWhile?: { readonly [relation: string]: { readonly [field: string]: readonly string[] } }
  /** A row is deleted only while its own field has one of the values. */
  readonly deleteOnlyWhile?: { readonly [field: string]: readonly string[] }
  /** Which rows a caller may read, create, change and delete; all of its account, unless said. */
  readonly rules?: RuleDeclarations<RowTerms<F, R>, S>
  /** What hooks may refuse with, by code. */
  readonly problems?: P
  readonly hooks?: Hooks<RowOf<F, R>, keyof P & string>
}

/** What the engine's own resources may be beyond declared ones. */
export interface EngineMade {
  /** Fields whose column has another name, because every table has a column of theirs. */
  readonly columns?: { readonly [field: string]: string }
  /** Lists begin with the newest row. */
  readonly newestFirst?: boolean
}

/** `S` are the scopes that its rules ask for. */
export interface ResourceDeclaration<
  F extends FieldDeclarations = FieldDeclarations,
  R extends RelationDeclarations = RelationDeclarations,
  N extends string = string,
  S extends string = string,
> extends Omit<ResourceOptions<F, R>, 'hooks' | 'owner' | 'rules'> {
  readonly kind: 'resource'
  readonly name: N
  readonly owner?: string
  /** Only for resources that the engine itself adds to an API. */
  readonly engineMade?: EngineMade
  // Hooks and rules are contravariant in their row, so a declaration of known fields is only assignable to the general one through this.
  readonly hooks?: Hooks<never>
  readonly rules?: RuleDeclarations<never, S>
}

export const resource = <
  const N extends string,
  const F extends FieldDeclarations,
  const R extends RelationDeclarations = Record<never, never>,
  const P extends ProblemDeclarations = Record<never, never>,
  const S extends string = never,
>(
  name: N,
  options: ResourceOptions<F, R, P, S>,
): ResourceDeclaration<F, R, N, S> =>
  Object.freeze({ kind: 'resource', ...options, name }) as unknown as ResourceDeclaration<F, R, N, S>
