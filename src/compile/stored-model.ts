import type { Comparison, RuleData } from '../declare/condition.ts'
import type { StatesField } from '../declare/field.ts'
import type { Hooks } from '../declare/hooks.ts'
import type { JsonSchema } from '../declare/json-schema.ts'
import type { RuleKind } from '../declare/rule.ts'
import type { FieldKind } from '../kinds/kinds.ts'
import type { ProblemKind } from '../problems.ts'

// What the store keeps, in the names of the newest version, and the rules that judge its rows.

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
  /** The belongs-to relations that lead to stored rows, which the store checks. */
  readonly references: readonly BelongsToModel[]
  /** The fields of cascading relations for which the store refuses the delete of a row that is referred to: who knows them deletes these rows first. */
  readonly restricting: ReadonlySet<string>
  /** The fields of `restricting` for which this process, too, refuses the delete: see `NamesRecord`. */
  readonly refusing: ReadonlySet<string>
  readonly hasMany: readonly HasManyModel[]
  /** The belongs-to relation that a sub-resource is nested under. */
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
  /** The schema of a value that is set. Whether it may be null or absent is `nullable` and `required`. */
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

/** How a field is stored. */
export type ColumnOfField = Pick<Field, 'column' | 'kind' | 'stored' | 'whenNone' | 'mayLack'>

/** A sum that is added up when it is read: the rows that it adds up, and how. */
export interface CountedSum {
  readonly source: Resource
  readonly feed: SumFeed
}

export interface ValueMap {
  /** Total over the stored values. */
  readonly down: ReadonlyMap<string, string>
  /** Total over the shown values; of several stored values with one image, the one a write means. */
  readonly up: ReadonlyMap<string, string>
}

/** How the store keeps the values of a field. `down`: stored → declared; `up`: declared → stored. */
export interface StoredValues extends ValueMap {
  /** Stored values that mean the same as another one since: they are to become that one before the declaration is served. */
  readonly joins: ReadonlyMap<string, string>
  /** The version that joins them; null where there are none. */
  readonly joinedFor: string | null
}

// ---- rules

/** A rule of a resource, checked. */
export interface Rule {
  readonly kind: RuleKind
  /** The rule as it was declared, for contracts and documents. `own` is the engine's rule for rows with an owner. */
  readonly condition: RuleData | { readonly kind: 'own' }
  /**
   * In negation normal form: there is no `not`, every leaf has its own opposite instead. So a leaf that compares with NULL, which is not
   * true, makes nothing true.
   */
  readonly root: RuleNode
  /** The scopes that it asks for: their answers decide its statement. */
  readonly scopes: readonly string[]
  /** All else that it reads of a caller, each once: values that its statement binds. */
  readonly callerValues: readonly CallerValue[]
}

/** The rules that a resource declares; null where it declares none. */
export type Rules = { readonly [K in RuleKind]: Rule | null }

export type RuleNode =
  | Joined
  | { readonly kind: 'has'; readonly scope: string; readonly negated: boolean }
  | RuleLeaf

interface Joined {
  readonly kind: 'all-of' | 'any-of'
  readonly of: readonly RuleNode[]
}

/** A condition that becomes SQL. */
export type RuleLeaf =
  | {
      readonly kind: 'compare'
      readonly operator: Comparison
      readonly left: FieldPath | CallerValue
      readonly right: RuleOperand
    }
  | {
      readonly kind: 'in'
      readonly field: FieldPath
      readonly values: readonly Constant[]
      readonly negated: boolean
    }
  | { readonly kind: 'null'; readonly field: FieldPath; readonly negated: boolean }
  | {
      readonly kind: 'includes'
      readonly list: CallerValue
      readonly element: RuleOperand
      readonly negated: boolean
    }

export type RuleOperand = FieldPath | CallerValue | Constant

/** A field of the row, or of the row that its to-one relations lead to. */
export interface FieldPath {
  readonly kind: 'field'
  readonly path: readonly BelongsToModel[]
  readonly field: Field
}

/** A value in the form in which the kind is stored. */
export interface Constant {
  readonly kind: 'constant'
  readonly value: unknown
  readonly as: FieldKind
}

/**
 * Something about the caller as a value of a kind, or as a list of such values; null where it is absent or does not fit. There is one
 * object for all uses of the same value in an API, so that statements bind it once.
 */
export interface CallerValue {
  readonly kind: 'caller-value'
  /** `program` is true for a caller without a subject, and absent for others. */
  readonly source: 'claim' | 'subject' | 'consumer' | 'program' | 'now'
  /** The name of the claim; empty for other sources. */
  readonly name: string
  readonly as: FieldKind
  readonly isList: boolean
}
