/** A row refers to one row of another resource, in the field `{relation}_id`. */
export interface BelongsTo {
  readonly kind: 'belongs-to'
  readonly target: string
  readonly optional: boolean
  readonly immutable: boolean
  /** What happens to this row when the target is deleted. */
  readonly onTargetDelete: 'refuse' | 'cascade'
  readonly description?: string
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
}

export function belongsTo(target: string): BelongsTo & { readonly optional: false }
export function belongsTo<const O extends BelongsToOptions>(
  target: string,
  options: O,
): BelongsTo & { readonly optional: O extends { optional: true } ? true : false }
export function belongsTo(target: string, options: BelongsToOptions = {}): BelongsTo {
  return Object.freeze({
    kind: 'belongs-to',
    optional: false,
    immutable: false,
    onTargetDelete: 'refuse',
    ...options,
    target,
  })
}

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
