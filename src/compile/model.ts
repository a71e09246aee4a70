import type { ApiDeclaration, ApiLimits, EventsDeclaration } from '../declare/api.ts'
import type { Change, CodecName, Custom } from '../declare/change.ts'
import type { StatesField } from '../declare/field.ts'
import type { Hooks } from '../declare/hooks.ts'
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
import type { CountedSum } from './counted-sum.ts'
import type { Rules } from './rules/checked-rule.ts'
import type { NamesRecord } from './stored-names.ts'
import type { ValueMap } from './value-map.ts'

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
  /** Those that have a table: all but the ones whose rows are answered by code. */
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

// ---- what is stored -------------------------------------------------------------------------------------------------

export interface Resource {
  readonly name: string
  /** `order-items` → `order_items`; another name where the store made the table under an older one. */
  readonly table: string
  readonly shared: boolean
  /** Whether every committed change of a row is an event. */
  readonly events: boolean
  /** Whether every committed change of a row is an audit entry. */
  readonly audited: boolean
  /** Whether its rows stay when their account is deleted. */
  readonly keptOnDeletion: boolean
  /** The code that answers for its rows, which are not stored then; null where they are. */
  readonly answered: AnsweredModel | null
  /** Added by the engine, whose code runs around its writes as hooks do. */
  readonly engineMade: boolean
  /** Lists that name no sort begin with the newest row. */
  readonly newestFirst: boolean
  readonly idPrefix: string
  readonly description: string
  /** Every stored column but `account_id` and `version`: `id`, references, fields (kept ones of old versions last), `created_at`, `updated_at`. */
  readonly fields: readonly Field[]
  readonly field: ReadonlyMap<string, Field>
  readonly belongsTo: readonly BelongsToModel[]
  /** Those of them that lead to stored rows, which the store checks. */
  readonly references: readonly BelongsToModel[]
  /** The fields of cascading relations for which the store refuses the delete of a row that is referred to: who knows them deletes these rows first. */
  readonly restricting: ReadonlySet<string>
  /** Those of them for which this process, too, refuses the delete: see `NamesRecord`. */
  readonly refusing: ReadonlySet<string>
  readonly hasMany: readonly HasManyModel[]
  /** The belongs-to it lives under, for a sub-resource. */
  readonly owner: BelongsToModel | null
  /** Sets of field names. */
  readonly uniques: readonly (readonly string[])[]
  /** Every set of fields that a filter, a sort, a rule or a has-many needs an index for (without account_id and id, which are added). */
  readonly indexes: readonly (readonly string[])[]
  /** Every set of fields in which a version searches, sorted by name. */
  readonly searches: readonly (readonly string[])[]
  /** Sums on other rows that must be recomputed when a row of this resource is written. */
  readonly feeds: readonly SumFeed[]
  readonly onlyWhile: readonly WhileRule[]
  readonly deleteOnlyWhile: readonly { readonly field: string; readonly values: readonly string[] }[]
  /** The problems that its hooks may refuse with, by code. */
  readonly problems: ReadonlyMap<string, ProblemKind>
  readonly hooks: Hooks<never>
  readonly hasHooks: { readonly create: boolean; readonly update: boolean; readonly delete: boolean }
  /** The scopes that decide which rows and fields a caller is shown, sorted. Empty for nearly every resource. */
  readonly asks: readonly string[]
  /** Which rows callers may see and write. */
  readonly rules: Rules
  /** Belongs-to relations of other resources that point here, and what a delete does to those rows. */
  readonly dependents: readonly Dependent[]
}

/** The functions of a noun that is answered by code. */
export interface AnsweredModel {
  readonly create: AnswerCode | null
  readonly get: AnswerCode | null
  readonly list: AnswerCode | null
  /** How long an answer may take. */
  readonly withinMs: number
}

/** A function of the API's author, typed where it is declared. */
export type AnswerCode = (asked: unknown, context: unknown) => unknown

export interface Field {
  readonly name: string
  /** Its name; another one where the store made the column under an older name. */
  readonly column: string
  /** Values of the store and those of the declaration, where the store wrote them under older names; null where they are the same. */
  readonly stored: StoredValues | null
  readonly kind: FieldKind
  /** Of a value that is set; `null` and absence are `nullable` and `required`. */
  readonly schema: JsonSchema
  /** May be NULL in the store (optional, or kept only for an old version). */
  readonly nullable: boolean
  /** May be left out of a create; `z.string().nullable()` alone must be sent, be it as null. */
  readonly optional: boolean
  /** What absence means; `undefined` when there is no default. */
  readonly default: unknown
  /** What a row without a value shows in versions that require one; undefined where no version or earlier declaration wrote such rows. */
  readonly whenNone: unknown
  /** Whether the store may have rows without a value, although the field is required. */
  readonly mayLack: boolean
  /**
   * A sum that is added up when it is read, because processes of an older declaration write its parts and do not keep it; null where the column
   * has it.
   */
  readonly counted: CountedSum | null
  readonly readOnly: boolean
  readonly writeOnly: boolean
  readonly immutable: boolean
  readonly open: boolean
  /** A caller sees and sends it only with all of these scopes. */
  readonly needsScopes: readonly string[]
  readonly states: StatesField | null
  readonly sum: { readonly relation: HasManyModel; readonly of: readonly string[] } | null
  /** For a reference: the belongs-to it is the id of. */
  readonly relation: BelongsToModel | null
  /** Only an old version can see it (it was removed since). */
  readonly kept: boolean
  readonly description: string
}

export interface BelongsToModel {
  readonly kind: 'belongs-to'
  readonly name: string
  readonly source: Resource
  readonly target: Resource
  /** `{name}_id`. */
  readonly field: string
  readonly optional: boolean
  readonly onTargetDelete: 'refuse' | 'cascade'
  readonly description: string
}

export interface HasManyModel {
  readonly kind: 'has-many'
  readonly name: string
  readonly source: Resource
  readonly target: Resource
  /** The belongs-to that points here: of the target, or of the join. */
  readonly by: BelongsToModel
  /** Many-to-many: the join's belongs-to that leads to the target. Null where rows of the target point here themselves. */
  readonly through: BelongsToModel | null
  readonly cap: number | null
  readonly description: string
}

export interface SumFeed {
  /** The field on the owner that holds the sum. */
  readonly field: Field
  readonly on: Resource
  /** The belongs-to of the fed-from resource that leads to `on`. */
  readonly by: BelongsToModel
  readonly of: readonly string[]
}

export interface WhileRule {
  readonly relation: BelongsToModel
  readonly field: string
  readonly values: readonly string[]
}

export interface Dependent {
  readonly relation: BelongsToModel
  readonly onDelete: 'refuse' | 'cascade'
}

// ---- what a version shows -------------------------------------------------------------------------------------------

export interface Version {
  readonly name: string
  /** That of the model. */
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
  /** Of collections that the engine itself serves, such as events. */
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
  /** Whether this version tells events of the resource. */
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

/** Of totals: what is counted, and how. Keys are names in this version. */
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
  /** Of a value that is set, in this version's terms. */
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
  /** Those of the stored field, or of all fields that it is made from. */
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

/** How the store keeps the values of a field. `down`: stored → declared; `up`: declared → stored. */
export interface StoredValues extends ValueMap {
  /** Stored values that mean the same as another one since: they are to become that one before the declaration is served. */
  readonly joins: ReadonlyMap<string, string>
  /** The version that joins them; null where there are none. */
  readonly joinedFor: string | null
}

export interface ViewRelation {
  readonly name: string
  readonly relation: BelongsToModel | HasManyModel
  readonly target: () => View
  /** Of a many-to-many: the view of the join, which a caller must be able to read as well. */
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
