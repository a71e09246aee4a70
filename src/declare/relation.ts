/** A row refers to one row of another resource, in the field `{relation}_id`. */
export interface BelongsTo<T = unknown> {
  readonly kind: 'belongs-to'
  readonly target: string
  /** Never set: it gives rules the fields of the target, where the relation was declared with the resource itself. */
  readonly targetType?: T
  readonly optional: boolean
  readonly immutable: boolean
  /** What happens to this row when the target is deleted. */
  readonly onTargetDelete: 'refuse' | 'cascade'
  readonly description?: string
  /** The relation's name before it was renamed. */
  readonly was?: string
}

/** Rows of another resource refer to this one; also a sub-collection, `/{this}/{id}/{relation}`. */
export interface HasMany {
  readonly kind: 'has-many'
  readonly target: string
  /** The belongs-to of the target that points here; needed only where it has several. */
  readonly by?: string
  /** The most rows one include of this relation shows. */
  readonly cap?: number
  /** Why a name that does not look like a plural noun is one all the same; it is a path segment. */
  readonly nameIsPluralBecause?: string
  readonly description?: string
}

export type RelationDeclaration = BelongsTo | HasMany
export type RelationDeclarations = { readonly [name: string]: RelationDeclaration }

interface BelongsToOptions {
  readonly optional?: boolean
  readonly immutable?: boolean
  readonly onTargetDelete?: 'refuse' | 'cascade'
  readonly description?: string
  /** The relation's name before it was renamed: while no version is published, a migration keeps its references. */
  readonly was?: string
}

/** A declared resource. */
interface Declared {
  readonly kind: 'resource'
  readonly name: string
}

/** The type of the target, where the resource itself was given. */
type TypeOf<T> = T extends Declared ? T : unknown

/** The target is a resource, or its name where the resource is declared further down. */
export function belongsTo<T extends string | Declared>(
  target: T,
): BelongsTo<TypeOf<T>> & { readonly optional: false }
export function belongsTo<T extends string | Declared, const O extends BelongsToOptions>(
  target: T,
  options: O,
): BelongsTo<TypeOf<T>> & { readonly optional: O extends { optional: true } ? true : false }
export function belongsTo(target: string | Declared, options: BelongsToOptions = {}): BelongsTo {
  return Object.freeze({
    kind: 'belongs-to',
    optional: false,
    immutable: false,
    onTargetDelete: 'refuse',
    ...options,
    target: isDeclared(target) ? target.name : target,
  })
}

/** A target of another type is reported when it is compiled. */
const isDeclared = (target: unknown): target is Declared =>
  typeof target === 'object' && target !== null && 'kind' in target && target.kind === 'resource'

export const hasMany = (target: string, options: Omit<HasMany, 'kind' | 'target'> = {}): HasMany =>
  Object.freeze({ kind: 'has-many', ...options, target })

/** `customer_id: string` for each belongs-to named `customer`. */
export type ReferenceValues<R> = {
  -readonly [K in keyof R as R[K] extends BelongsTo ? `${K & string}_id` : never]: R[K] extends {
    readonly optional: true
  }
    ? string | null
    : string
}
