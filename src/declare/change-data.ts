import type { z } from 'zod'
import type { Method, ResourceLimits, ScopeRule } from './resource.ts'
import type { RuleKind } from './rule.ts'

/**
 * One difference between a version and the next newer one, as data that can be read both ways.
 * Resources and fields are named as the NEWER version calls them, except the first word of a rename.
 */
export type Change =
  | RenameResource
  | RenameField
  | RenameRelation
  | MapValues
  | ChangeType
  | RemoveField
  | AddRequiredField
  | MakeRequired
  | RemoveInclude
  | RemoveFilter
  | RemoveSort
  | RemoveSearch
  | RemoveCount
  | RemoveBulk
  | ChangeLimit
  | RequireIdempotencyKey
  | RequireScope
  | RemoveMethod
  | ChangeDefault
  | ChangeRule
  | ChangeFieldScope
  | Custom

/** The change of one kind. */
export type ChangeOfKind<K extends Change['kind']> = Extract<Change, { readonly kind: K }>

export interface ChangeOptions {
  /** Why it changed, for the migration guide. */
  readonly why?: string
}

interface OfResource extends ChangeOptions {
  readonly resource: string
}
interface OfField extends OfResource {
  readonly field: string
}

export interface RenameResource extends ChangeOptions {
  readonly kind: 'rename-resource'
  readonly from: string
  readonly to: string
}
export interface RenameField extends OfResource {
  readonly kind: 'rename-field'
  readonly from: string
  readonly to: string
}
export interface RenameRelation extends OfResource {
  readonly kind: 'rename-relation'
  readonly from: string
  readonly to: string
}
export interface MapValues extends OfField {
  readonly kind: 'map-values'
  /** old value → new value; values not named are the same in both. */
  readonly values: { readonly [old: string]: string }
  /** Values only the newer version has → what the older one reads instead. Lossy: needs `why`. */
  readonly onlyInNewer: { readonly [newer: string]: string }
}
export interface ChangeType extends OfField {
  readonly kind: 'change-type'
  readonly was: z.ZodType
  readonly codec: CodecName
}
/** Codecs compile into SQL, so that an old type costs nothing per row. */
export type CodecName =
  | 'integer-as-string'
  | 'boolean-as-integer'
  | 'cents-as-decimal-string'
  | 'datetime-as-unix-seconds'
export interface RemoveField extends OfField {
  readonly kind: 'remove-field'
  readonly was: z.ZodType
  /** What the older version reads in rows that newer ones create; needed where the field was never null. */
  readonly whenAbsent?: string | number | boolean
}
export interface AddRequiredField extends OfField {
  readonly kind: 'add-required-field'
  readonly whenAbsent: string | number | boolean
}
export interface MakeRequired extends OfField {
  readonly kind: 'make-required'
  readonly whenAbsent: string | number | boolean
}
export interface RemoveInclude extends OfResource {
  readonly kind: 'remove-include'
  readonly path: string
}
export interface RemoveFilter extends OfField {
  readonly kind: 'remove-filter'
}
export interface RemoveSort extends OfField {
  readonly kind: 'remove-sort'
}
export interface RemoveSearch extends OfField {
  readonly kind: 'remove-search'
}
export interface RemoveCount extends OfResource {
  readonly kind: 'remove-count'
}
export interface RemoveBulk extends OfResource {
  readonly kind: 'remove-bulk'
}
export interface ChangeLimit extends OfResource {
  readonly kind: 'change-limit'
  readonly limit: keyof ResourceLimits
  readonly was: number
}
export interface RequireIdempotencyKey extends OfResource {
  readonly kind: 'require-idempotency-key'
}
export interface RequireScope extends OfResource {
  readonly kind: 'require-scope'
  readonly method: Method
  readonly was: ScopeRule
}
export interface RemoveMethod extends OfResource {
  readonly kind: 'remove-method'
  readonly method: Method
}
export interface ChangeDefault extends OfField {
  readonly kind: 'change-default'
  readonly was: string | number | boolean | null
}
/** A rule on rows is new, or another. It holds in every version at once. */
export interface ChangeRule extends OfResource {
  readonly kind: 'change-rule'
  readonly rule: RuleKind
}
/** A field needs another scope. It does so in every version at once. */
export interface ChangeFieldScope extends OfField {
  readonly kind: 'change-field-scope'
}
type JsonObject = { [key: string]: unknown }
/** For everything else: code per row. `up` reads what the older version sends, `down` makes what it shows. */
export interface Custom extends OfResource {
  readonly kind: 'custom'
  /** The older version's fields that this change makes, with their schemas, in place of `replaces`. */
  readonly fields: { readonly [older: string]: z.ZodType }
  /** The newer version's fields that they stand for. */
  readonly replaces: readonly string[]
  readonly up: (older: JsonObject) => JsonObject
  readonly down: (newer: JsonObject) => JsonObject
  readonly samples: readonly { readonly older: JsonObject; readonly newer: JsonObject }[]
}

/**
 * Never set: it gives `api(…)` the names that a change uses, to check them by their types. All are those of the newer version; `never`
 * stands for none.
 */
export interface Naming<
  Resource extends string,
  Field extends string = never,
  Relation extends string = never,
  Value extends string = never,
> {
  readonly names?: {
    readonly resource: Resource
    readonly field: Field
    readonly relation: Relation
    readonly value: Value
  }
}
