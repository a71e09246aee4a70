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

interface ChangeOptions {
  /** Why it changed, for the migration guide. */
  readonly why?: string
}

export interface RenameResource extends ChangeOptions {
  readonly kind: 'rename-resource'
  readonly from: string
  readonly to: string
}
export interface RenameField extends ChangeOptions {
  readonly kind: 'rename-field'
  readonly resource: string
  readonly from: string
  readonly to: string
}
export interface RenameRelation extends ChangeOptions {
  readonly kind: 'rename-relation'
  readonly resource: string
  readonly from: string
  readonly to: string
}
export interface MapValues extends ChangeOptions {
  readonly kind: 'map-values'
  readonly resource: string
  readonly field: string
  /** old value → new value; values not named are the same in both. */
  readonly values: { readonly [old: string]: string }
  /** Values only the newer version has → what the older one reads instead. Lossy: needs `why`. */
  readonly onlyInNewer: { readonly [newer: string]: string }
}
export interface ChangeType extends ChangeOptions {
  readonly kind: 'change-type'
  readonly resource: string
  readonly field: string
  readonly was: z.ZodType
  readonly codec: CodecName
}
/** Codecs compile into SQL, so that an old type costs nothing per row. */
export type CodecName =
  | 'integer-as-string'
  | 'boolean-as-integer'
  | 'cents-as-decimal-string'
  | 'datetime-as-unix-seconds'
export interface RemoveField extends ChangeOptions {
  readonly kind: 'remove-field'
  readonly resource: string
  readonly field: string
  readonly was: z.ZodType
  /** What the older version reads in rows that newer ones create; needed where the field was never null. */
  readonly whenAbsent?: string | number | boolean
}
export interface AddRequiredField extends ChangeOptions {
  readonly kind: 'add-required-field'
  readonly resource: string
  readonly field: string
  readonly whenAbsent: string | number | boolean
}
export interface MakeRequired extends ChangeOptions {
  readonly kind: 'make-required'
  readonly resource: string
  readonly field: string
  readonly whenAbsent: string | number | boolean
}
export interface RemoveInclude extends ChangeOptions {
  readonly kind: 'remove-include'
  readonly resource: string
  readonly path: string
}
export interface RemoveFilter extends ChangeOptions {
  readonly kind: 'remove-filter'
  readonly resource: string
  readonly field: string
}
export interface RemoveSort extends ChangeOptions {
  readonly kind: 'remove-sort'
  readonly resource: string
  readonly field: string
}
export interface ChangeLimit extends ChangeOptions {
  readonly kind: 'change-limit'
  readonly resource: string
  readonly limit: keyof ResourceLimits
  readonly was: number
}
export interface RequireIdempotencyKey extends ChangeOptions {
  readonly kind: 'require-idempotency-key'
  readonly resource: string
}
export interface RequireScope extends ChangeOptions {
  readonly kind: 'require-scope'
  readonly resource: string
  readonly method: Method
  readonly was: ScopeRule
}
export interface RemoveMethod extends ChangeOptions {
  readonly kind: 'remove-method'
  readonly resource: string
  readonly method: Method
}
export interface ChangeDefault extends ChangeOptions {
  readonly kind: 'change-default'
  readonly resource: string
  readonly field: string
  readonly was: string | number | boolean | null
}
/** A rule on rows is new, or another. It holds in every version at once. */
export interface ChangeRule extends ChangeOptions {
  readonly kind: 'change-rule'
  readonly resource: string
  readonly rule: RuleKind
}
/** A field needs another scope. It does so in every version at once. */
export interface ChangeFieldScope extends ChangeOptions {
  readonly kind: 'change-field-scope'
  readonly resource: string
  readonly field: string
}
type JsonObject = { [key: string]: unknown }
/** For everything else: code per row. `up` reads what the older version sends, `down` makes what it shows. */
export interface Custom extends ChangeOptions {
  readonly kind: 'custom'
  readonly resource: string
  /** The older version's fields that this change makes, with their schemas, in place of `replaces`. */
  readonly fields: { readonly [older: string]: z.ZodType }
  /** The newer version's fields that they stand for. */
  readonly replaces: readonly string[]
  readonly up: (older: JsonObject) => JsonObject
  readonly down: (newer: JsonObject) => JsonObject
  readonly samples: readonly { readonly older: JsonObject; readonly newer: JsonObject }[]
}

export const renameResource = (from: string, to: string, options: ChangeOptions = {}): RenameResource =>
  Object.freeze({ kind: 'rename-resource', from, to, ...options })
export const renameField = (
  resource: string,
  from: string,
  to: string,
  options: ChangeOptions = {},
): RenameField => Object.freeze({ kind: 'rename-field', resource, from, to, ...options })
export const renameRelation = (
  resource: string,
  from: string,
  to: string,
  options: ChangeOptions = {},
): RenameRelation => Object.freeze({ kind: 'rename-relation', resource, from, to, ...options })
export const mapValues = (
  resource: string,
  field: string,
  values: MapValues['values'],
  options: ChangeOptions & { readonly onlyInNewer?: MapValues['onlyInNewer'] } = {},
): MapValues =>
  Object.freeze({
    kind: 'map-values',
    resource,
    field,
    values,
    ...options,
    onlyInNewer: options.onlyInNewer ?? {},
  })
export const changeType = (
  resource: string,
  field: string,
  options: ChangeOptions & Pick<ChangeType, 'was' | 'codec'>,
): ChangeType => Object.freeze({ kind: 'change-type', resource, field, ...options })
export const removeField = (
  resource: string,
  field: string,
  options: ChangeOptions & Pick<RemoveField, 'was' | 'whenAbsent'>,
): RemoveField => Object.freeze({ kind: 'remove-field', resource, field, ...options })
export const addRequiredField = (
  resource: string,
  field: string,
  options: ChangeOptions & Pick<AddRequiredField, 'whenAbsent'>,
): AddRequiredField => Object.freeze({ kind: 'add-required-field', resource, field, ...options })
export const makeRequired = (
  resource: string,
  field: string,
  options: ChangeOptions & Pick<MakeRequired, 'whenAbsent'>,
): MakeRequired => Object.freeze({ kind: 'make-required', resource, field, ...options })
export const removeInclude = (resource: string, path: string, options: ChangeOptions = {}): RemoveInclude =>
  Object.freeze({ kind: 'remove-include', resource, path, ...options })
export const removeFilter = (resource: string, field: string, options: ChangeOptions = {}): RemoveFilter =>
  Object.freeze({ kind: 'remove-filter', resource, field, ...options })
export const removeSort = (resource: string, field: string, options: ChangeOptions = {}): RemoveSort =>
  Object.freeze({ kind: 'remove-sort', resource, field, ...options })
export const changeLimit = (
  resource: string,
  limit: keyof ResourceLimits,
  options: ChangeOptions & { readonly was: number },
): ChangeLimit => Object.freeze({ kind: 'change-limit', resource, limit, ...options })
export const requireIdempotencyKey = (resource: string, options: ChangeOptions = {}): RequireIdempotencyKey =>
  Object.freeze({ kind: 'require-idempotency-key', resource, ...options })
export const requireScope = (
  resource: string,
  method: Method,
  options: ChangeOptions & { readonly was: ScopeRule },
): RequireScope => Object.freeze({ kind: 'require-scope', resource, method, ...options })
export const removeMethod = (resource: string, method: Method, options: ChangeOptions = {}): RemoveMethod =>
  Object.freeze({ kind: 'remove-method', resource, method, ...options })
export const changeDefault = (
  resource: string,
  field: string,
  options: ChangeOptions & Pick<ChangeDefault, 'was'>,
): ChangeDefault => Object.freeze({ kind: 'change-default', resource, field, ...options })
export const changeRule = (resource: string, rule: RuleKind, options: Required<ChangeOptions>): ChangeRule =>
  Object.freeze({ kind: 'change-rule', resource, rule, ...options })
export const changeFieldScope = (
  resource: string,
  field: string,
  options: Required<ChangeOptions>,
): ChangeFieldScope => Object.freeze({ kind: 'change-field-scope', resource, field, ...options })
export const custom = (resource: string, options: Omit<Custom, 'kind' | 'resource'>): Custom =>
  Object.freeze({ kind: 'custom', resource, ...options })
