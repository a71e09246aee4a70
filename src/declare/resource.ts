import type { AnswerName, Answers } from './answers.ts'
import type { FieldDeclarations } from './field.ts'
import type { Hooks, SoundHooks } from './hooks.ts'
import type { TypeMistake } from './mistake.ts'
import type {
  BelongsToName,
  Choices,
  FieldName,
  FilterName,
  IncludePath,
  OnlyWhile,
  OwnFieldName,
  SoundSums,
} from './names.ts'
import type { ProblemDeclarations } from './problem.ts'
import type { KnownNoun } from './reach.ts'
import type { RelationDeclarations } from './relation.ts'
import type { RowOf } from './row.ts'
import type { RowTerms, RuleDeclarations, RuleKind } from './rule.ts'
import type { TotalsDeclaration } from './totals-declaration.ts'

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
  /** The most bytes of the answer to a GET. */
  readonly responseBytes?: number
  /** How far the rows of a list are counted. */
  readonly countRows?: number
  /** The most rows that one POST creates, where the resource declares `bulk`. */
  readonly bulkRows?: number
  /** The most rows that totals count. */
  readonly totalRows?: number
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

/** Relation → field of the target → values. */
type WhileDeclaration = {
  readonly [relation: string]: { readonly [field: string]: readonly string[] }
}

/** Options whose values the types of a client need: which fields can be filtered by, which methods there are, and so on. */
export interface KnownOptions<
  Field extends string = string,
  BelongsTo extends string = string,
  Filter extends string = string,
> {
  readonly filter: Filter
  readonly sort: Field
  readonly search: Field
  readonly count: boolean
  readonly bulk: boolean
  readonly methods: Method
  readonly owner: BelongsTo
  readonly shared: boolean
  readonly events: boolean
  /** `boolean` where the resource does not say: then the API does. */
  readonly audit: boolean
  readonly rules: RuleKind
  readonly problems: string
  /** What is counted, for a resource whose rows are totals. */
  readonly totals: TotalsDeclaration
  /** The functions by which code answers for it; never where its rows are stored. */
  readonly answers: string
}

export interface ResourceOptions<
  F extends FieldDeclarations,
  R extends RelationDeclarations,
  P extends ProblemDeclarations = ProblemDeclarations,
  S extends string = string,
  N extends string = string,
  I extends string = string,
  W = WhileDeclaration,
  X extends KnownOptions<FieldName<F, R>, BelongsToName<R>, FilterName<F, R>> = KnownOptions<
    FieldName<F, R>,
    BelongsToName<R>,
    FilterName<F, R>
  >,
  Created = unknown,
  Updated = unknown,
> {
  /** Its rows are totals of the rows of another resource, and it has no fields of its own. */
  readonly totals?: X['totals']
  /** Only totals have none. That they are left out is found when it is compiled: a union of options is slow to check. */
  readonly fields?: F & SoundSums<F, R>
  readonly relations?: R
  readonly description?: string
  /** The resource's name before it was renamed: while no version is published, a migration keeps its rows. */
  readonly was?: string
  /** Shared by all accounts: a catalogue. */
  readonly shared?: X['shared']
  /** The belongs-to relation this resource lives under; makes it a sub-resource. */
  readonly owner?: X['owner']
  /** Put before every id, as in `ord_018f…`. */
  readonly idPrefix?: string
  /** Why a name that does not look like a plural noun is one all the same ("a mass noun"). */
  readonly nameIsPluralBecause?: string
  /** Fields (or sets of fields) whose values no two rows of an account share. */
  readonly unique?: readonly (OwnFieldName<F, R> | readonly OwnFieldName<F, R>[])[]
  readonly filter?: readonly X['filter'][]
  readonly sort?: readonly X['sort'][]
  /** The texts in which `?search=ada lov` finds rows: each word is the beginning of a word in one of them. */
  readonly search?: readonly X['search'][]
  /** `?count=true` on a list tells how many rows its filters find, up to `limits.countRows`. */
  readonly count?: X['count']
  /** A POST may bring a list, `{ "data": [{ … }, … ] }`, of which all rows are created or none; at most `limits.bulkRows`. */
  readonly bulk?: X['bulk']
  /** The relation paths a consumer may include. */
  readonly include?: readonly I[]
  /** The methods offered; all, unless said. */
  readonly methods?: readonly X['methods'][]
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
  readonly events?: X['events']
  /** Whether it is recorded who changes its rows; as the API says, unless said. */
  readonly audit?: X['audit']
  /** Its rows stay when their account is deleted: what must be kept for the books. */
  readonly keepOnAccountDeletion?: boolean
  /** Rows are created, changed and deleted only while the related row's field has one of the values. */
  readonly onlyWhile?: W & OnlyWhile<R>
  /** A row is deleted only while its own field has one of the values. */
  readonly deleteOnlyWhile?: Choices<F>
  /** Which rows a caller may read, create, change and delete; all of its account, unless said. */
  readonly rules?: RuleDeclarations<RowTerms<F, R>, S> & { readonly [K in X['rules']]?: unknown }
  /** What hooks may refuse with, by code. */
  readonly problems?: P
  readonly hooks?: Hooks<RowOf<F, R>, keyof P & string, KnownNoun<N, F, R>, Created, Updated>
  /** Code that answers in place of a table. Methods without a function are not offered. */
  readonly answers?: Answers<F, R, keyof P & string, KnownNoun<N, F, R>, X['filter'], X['sort']> & {
    readonly [K in X['answers']]?: unknown
  }
  /** How long the code may take for an answer, such as `5s`; ten seconds unless said. */
  readonly answerWithin?: string
}

/** What the engine's own resources may be beyond declared ones. */
export interface EngineMade {
  /** Fields whose column has another name, because every table has a column of theirs. */
  readonly columns?: { readonly [field: string]: string }
  /** Lists begin with the newest row. */
  readonly newestFirst?: boolean
  /** Fields that no version shows: only code around writes sets them. They may be null. */
  readonly hidden?: { readonly [field: string]: 'integer' | 'string' }
  /** The field with the subject that owns a row: a caller with a subject has the rows of that subject, one without has all. */
  readonly ownedBy?: string
}

/** Options of which a declaration keeps the types. All others have the general ones, so that every declaration is one of the general type. */
type Typed = 'totals' | 'fields' | 'relations' | 'include' | 'onlyWhile' | 'hooks' | 'rules' | 'answers'

/**
 * `N` is its name, `S` are the scopes that its rules ask for, `I` its include paths, `W` what its rows are written only while, `X` what a
 * client needs to know besides.
 */
export interface ResourceDeclaration<
  F extends FieldDeclarations = FieldDeclarations,
  R extends RelationDeclarations = RelationDeclarations,
  N extends string = string,
  S extends string = string,
  I extends string = string,
  W = WhileDeclaration,
  X extends KnownOptions = KnownOptions,
> extends Omit<ResourceOptions<FieldDeclarations, RelationDeclarations>, Typed> {
  readonly kind: 'resource'
  readonly name: N
  /** Its rows are totals of the rows of another resource, and it has no fields of its own. */
  readonly totals?: TotalsDeclaration
  readonly fields: F
  readonly relations?: R
  readonly include?: readonly I[]
  readonly onlyWhile?: W
  /** Only for resources that the engine itself adds to an API. */
  readonly engineMade?: EngineMade
  // Hooks and rules are contravariant in their row, so a declaration of known fields is only assignable to the general one through this.
  readonly hooks?: Hooks<never>
  readonly rules?: RuleDeclarations<never, S>
  readonly answers?: { readonly [K in AnswerName]?: (asked: never, context: never) => unknown }
  /** Never set: it carries what the types of a client need. */
  readonly known?: X
}

export const resource = <
  const N extends string,
  const F extends FieldDeclarations = FieldDeclarations,
  const R extends RelationDeclarations = Record<never, never>,
  const P extends ProblemDeclarations = Record<never, never>,
  const S extends string = never,
  const I extends IncludePath<R> = never,
  const W extends OnlyWhile<R> = Record<never, never>,
  const Filter extends FilterName<F, R> = never,
  const Sort extends FieldName<F, R> = never,
  const Count extends boolean = false,
  const M extends Method = Method,
  const Owner extends BelongsToName<R> = never,
  const Shared extends boolean = false,
  const Events extends boolean = true,
  const Rules extends RuleKind = never,
  const Bulk extends boolean = false,
  const A extends AnswerName = never,
  const Of extends string = never,
  const By extends string = never,
  const Sum extends string = never,
  const Search extends FieldName<F, R> = never,
  const Audit extends boolean = boolean,
  Created = never,
  Updated = never,
>(
  // What is wrong with the options as a whole is told at the name.
  name: N &
    (IsTotals<NoInfer<Of>> extends true
      ? SoundTotals<F, keyof R | keyof P | I | keyof W | Filter | Sort | Search | Owner | Rules | A>
      : SoundHooks<NoInfer<Created>, NoInfer<Updated>, F, R>),
  options: ResourceOptions<
    F,
    R,
    P,
    S,
    N,
    I,
    W,
    OptionsGiven<
      Filter,
      Sort,
      Count,
      M,
      Owner,
      Shared,
      Events,
      Rules,
      keyof P & string,
      Bulk,
      Search,
      TotalsDeclaration<Of, By, Sum>,
      A,
      Audit
    >,
    Created,
    Updated
  >,
): ResourceDeclaration<
  F,
  R,
  N,
  S,
  I,
  W,
  OptionsGiven<
    Filter,
    Sort,
    Count,
    M,
    Owner,
    Shared,
    Events,
    Rules,
    keyof P & string,
    Bulk,
    Search,
    [Of] extends [never] ? never : TotalsDeclaration<Of, By, Sum>,
    A,
    Audit
  >
> => Object.freeze({ kind: 'resource', ...options, name }) as never

type IsTotals<Of> = [Of] extends [never] ? false : string extends Of ? false : true

/** Other options that rows have and totals do not are found when it is compiled. */
type SoundTotals<F, OfRows> = string extends keyof F
  ? [OfRows] extends [never]
    ? unknown
    : TypeMistake<'totals have no options of rows: the resource that they count has them'>
  : TypeMistake<'totals have no fields of their own'>

export interface OptionsGiven<
  Filter,
  Sort,
  Count,
  M,
  Owner,
  Shared,
  Events,
  Rules,
  Problems,
  Bulk,
  Search,
  T,
  A,
  Audit,
> {
  readonly filter: Filter
  readonly sort: Sort
  readonly search: Search
  readonly count: Count
  readonly bulk: Bulk
  readonly methods: M
  readonly owner: Owner
  readonly shared: Shared
  readonly events: Events
  readonly audit: Audit
  readonly rules: Rules
  readonly problems: Problems
  readonly totals: T
  readonly answers: A
}
