import type { ApiDeclaration, ApiLimits, EventsDeclaration } from '../declare/api.ts'
import type { Change, CodecName, Custom } from '../declare/change.ts'
import type { StatesField } from '../declare/field.ts'
import type { EveryDeclaration, JobDeclaration } from '../declare/job.ts'
import type { JsonSchema } from '../declare/json-schema.ts'
import type {
  IdempotencyMode,
  Method,
  RateDeclaration,
  ResourceLimits,
  ScopeRule,
} from '../declare/resource.ts'
import type { RuleKind } from '../declare/rule.ts'
import type { FieldKind } from '../kinds/kinds.ts'
import type { ProblemKind } from '../problems.ts'
import type { BelongsToModel, Field, HasManyModel, Resource, ValueMap } from './stored-model.ts'
import type { NamesRecord } from './stored-names.ts'

export type * from './stored-model.ts'

/**
 * The compiled declaration. Two layers: a `Resource` is what the store keeps, in the head's names; a `View` is what
 * one version shows of it. Requests are read, planned and answered against views only, so no code asks which version it is.
 */
export interface Model {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly declaration: ApiDeclaration
  /** What the paths of all URLs begin with, where the API is mounted in another server: `/api`. Requests come without it, and headers get it from the shell. */
  readonly prefix: string
  /** The account of all rows and callers, where the API has only one; else null. */
  readonly soleAccount: string | null
  readonly resources: ReadonlyMap<string, Resource>
  /** The resources that have a table: all but those that code answers for. */
  readonly stored: ReadonlyMap<string, Resource>
  /** Newest first. */
  readonly versions: readonly Version[]
  readonly head: Version
  /** Serves paths without a version. */
  readonly unversioned: Version | null
  readonly limits: ApiLimitsModel
  readonly rate: RateModel
  /** The declared scopes, each with its sentence for people. */
  readonly scopes: ReadonlyMap<string, string>
  /** Null where the API has no events. */
  readonly events: EventsDeclaration | null
  /** Null where no change of a row is recorded, but those by operators. */
  readonly audit: EventsDeclaration | null
  /** By name. */
  readonly jobs: ReadonlyMap<string, JobModel>
  /** All problems of the service, by type: the engine's own, then those that resources declare. */
  readonly problems: ReadonlyMap<string, ProblemKind>
  /** The frozen contracts that it was compiled with, to compile it again with the names of a store. */
  readonly contracts: ReadonlyMap<string, unknown>
  /** What the store has recorded of its names, where the model is bound to one. */
  readonly names: NamesRecord
}

export type RateModel = Required<RateDeclaration>

/** Work that hooks hand over. */
export interface QueuedJob {
  readonly kind: 'queued'
  readonly name: string
  readonly declaration: JobDeclaration
  /** The milliseconds before each further attempt. */
  readonly retriesMs: readonly number[]
  readonly withinMs: number
}

/** Work at regular times. */
export interface RegularJob {
  readonly kind: 'regular'
  readonly name: string
  readonly declaration: EveryDeclaration
  readonly withinMs: number
  /** The next time after `now`, in Unix milliseconds. `due` is the time before, from which lengths of time are counted. */
  nextAfter(now: number, due?: number): number
}

export type JobModel = QueuedJob | RegularJob

export type LimitsModel = Required<ResourceLimits>
export type ApiLimitsModel = Required<ApiLimits>

// ---- what a version shows -------------------------------------------------------------------------------------------

export interface Version {
  readonly name: string
  /** The prefix of the model, such as `/api`. */
  readonly prefix: string
  readonly head: boolean
  /** Unix seconds of 00:00 UTC, or null. `sunset` is the last second of its day. */
  readonly published: Day | null
  readonly deprecated: Day | null
  readonly sunset: Day | null
  /** The title of the API, as it was when the version was published. */
  readonly title: string
  readonly description: string
  /** The next newer one. */
  readonly successor: Version | null
  /** The limits of collections that the engine itself serves, such as events. */
  readonly limits: LimitsModel
  readonly changes: readonly Change[]
  /** Views by their name in this version. */
  readonly views: ReadonlyMap<string, View>
  /** Views by the resource's name in the head. */
  readonly viewOf: ReadonlyMap<string, View>
}

export interface Day {
  /** `2026-06-01` */
  readonly date: string
  readonly seconds: number
}

export interface View {
  readonly version: Version
  /** `clients` */
  readonly name: string
  readonly resource: Resource
  /** `events` and `audit`: the collection of all events or audit entries, which the engine itself serves. `totals`: rows of another resource, counted in groups. */
  readonly serves: 'rows' | 'events' | 'audit' | 'totals'
  /** What is counted, where it serves totals; else null. */
  readonly totals: TotalsView | null
  /** Whether this version shows events of the resource. */
  readonly events: boolean
  /** Whether this version shows audit entries of the resource. */
  readonly audited: boolean
  /** In the order they are shown. */
  readonly fields: readonly ViewField[]
  readonly field: ReadonlyMap<string, ViewField>
  readonly relations: ReadonlyMap<string, ViewRelation>
  /** The whitelist as paths in this version's names, parents included, sorted. */
  readonly includePaths: readonly string[]
  readonly include: ReadonlyMap<string, IncludeNode>
  /** Names in this version; of a filter through relations a path: `customer.email`. */
  readonly filters: ReadonlySet<string>
  readonly filterOf: ReadonlyMap<string, FilterTarget>
  readonly sorts: ReadonlySet<string>
  /** The fields in whose words `search` finds rows. */
  readonly searched: ReadonlySet<string>
  /** Whether filters can be alternatives: `filter[or][0][status]`. */
  readonly eitherOr: boolean
  /** Whether a list can be asked how many rows its filters find. */
  readonly counted: boolean
  /** Whether a POST may bring a list of rows. */
  readonly bulk: boolean
  /** Whether `/{version}/{name}` exists. */
  readonly topLevel: boolean
  /** `/{owner}/{id}/{segment}` for each has-many that leads here. */
  readonly under: readonly SubCollection[]
  readonly methods: ReadonlySet<Method>
  /** What a GET reads: both, but where code answers for only one of them. */
  readonly reads: { readonly one: boolean; readonly list: boolean }
  readonly idempotency: { readonly mode: IdempotencyMode; readonly storesBody: boolean }
  readonly requireIfMatch: boolean
  readonly cacheControl: string
  readonly scopes: { readonly [M in Method]: ScopeRule }
  readonly limits: LimitsModel
  readonly rate: RateModel | null
  /** Rules that the version was published with (null: none), in words, where newer ones hold in their place. Rows are protected alike in all versions. */
  readonly publishedRules: ReadonlyMap<RuleKind, string | null>
  /** What a create in this version stores (by the store's field name) where it sent nothing or cannot send anything. */
  readonly whenAbsent: ReadonlyMap<string, unknown>
  /** Code per row, newest change first (the order `down` runs in); empty for nearly every view. */
  readonly customs: readonly CustomStep[]
  readonly description: string
}

/** What a view of totals counts, and how. Keys are names in this version. */
export interface TotalsView {
  /** The view whose rows are counted: their filters, rule and account hold. */
  readonly of: () => View
  /** The fields of these rows by which they can be grouped. */
  readonly by: ReadonlyMap<string, ViewField>
  /** The fields of these rows that are added up. */
  readonly sums: ReadonlyMap<string, ViewField>
}

/** One field as a version shows it: either stored (`field`) or made by a custom step (`made`). */
export interface ViewField {
  readonly name: string
  readonly field: Field | null
  /** Index into the view's `customs`, and the key in what that step's `down` returns (and its `up` takes). */
  readonly made: { readonly step: number; readonly key: string } | null
  /** The schema of a value that is set, in this version's terms. */
  readonly schema: JsonSchema
  readonly kind: FieldKind
  /** Must be sent on create and replace. */
  readonly required: boolean
  readonly nullable: boolean
  readonly default: unknown
  readonly readOnly: boolean
  readonly writeOnly: boolean
  readonly immutable: boolean
  readonly open: boolean
  /** The scopes of the stored field, or of all fields that the field is made from. */
  readonly needsScopes: readonly string[]
  /** The scopes that the version was published with, where newer ones hold in their place; null where those that hold were published. */
  readonly publishedScopes: readonly string[] | null
  /** Stored value → shown value and back; null where they are the same. */
  readonly values: ValueMap | null
  readonly codec: CodecName | null
  /** Allowed moves in this version's values; null where the field is no state. */
  readonly states: StatesField | null
  /** For references: the view of the target. */
  readonly target: (() => View) | null
  readonly description: string
}

export interface ViewRelation {
  readonly name: string
  readonly relation: BelongsToModel | HasManyModel
  readonly target: () => View
  /** The view of the join of a many-to-many, which a caller must be able to read as well. */
  readonly join: (() => View) | null
  /** Most rows of one include; for a has-many. */
  readonly cap: number
  readonly description: string
}

/** What a filter is about: a field of the row, or of a row that to-one relations lead to. */
export interface FilterTarget {
  /** From the row on; empty for its own fields. */
  readonly steps: readonly ViewRelation[]
  /** The field under the name of the filter. It may be null where a relation on the way may be. */
  readonly field: ViewField
}

export interface IncludeNode {
  readonly relation: ViewRelation
  readonly children: ReadonlyMap<string, IncludeNode>
}

export interface SubCollection {
  /** The name in this version, hyphenated: `order-items`. */
  readonly segment: string
  readonly owner: () => View
  /** The has-many as the owner's view names it. */
  readonly relation: ViewRelation
  /** The rows' own reference to the owner; null where rows of a join link them to it, and they are only read here. */
  readonly by: BelongsToModel | null
  /** What the resource offers and this place allows. */
  readonly methods: ReadonlySet<Method>
}

export interface CustomStep {
  readonly change: Custom
  /** What `down` takes and `up` returns: the replaced fields as the newer version names and shows them. One of them may itself be `made` by an earlier (newer) step. */
  readonly newer: readonly ViewField[]
}
