/** A declared resource, where only its name matters. */
export interface DeclaredResource {
  readonly kind: 'resource'
  readonly name: string
}

/**
 * A row refers to one row of another resource, in the field `{relation}_id`. `T` is the type of the target where the relation was
 * declared with the resource itself, else `unknown`; `Name` is the target's name.
 */
export interface BelongsTo<T = unknown, Name extends string = string, Optional extends boolean = boolean> {
  readonly kind: 'belongs-to'
  readonly target: Name
  /** Never set: it gives the compiler the fields and relations of the target. */
  readonly targetType?: T
  /** Whether the target was given as the resource itself, so that its name is no misspelling. */
  readonly byResource?: boolean
  readonly optional: Optional
  readonly immutable: boolean
  /** What happens to this row when the target is deleted. */
  readonly onTargetDelete: 'refuse' | 'cascade'
  readonly description?: string
  /** The relation's name before it was renamed. */
  readonly was?: string
}

/** Rows of another resource refer to this one, or rows of a join link them; also a sub-collection, `/{this}/{id}/{relation}`. */
export interface HasMany<
  T = unknown,
  Name extends string = string,
  By extends string = string,
  Through extends string = string,
> {
  readonly kind: 'has-many'
  readonly target: Name
  /** Never set, as in `BelongsTo`. */
  readonly targetType?: T
  /** As in `BelongsTo`. */
  readonly byResource?: boolean
  /** The belongs-to of the target (or of `through`) that points here; needed only where it has several. */
  readonly by?: By
  /** Many-to-many: the resource whose rows link this one to the target, by a belongs-to to each of them. */
  readonly through?: Through
  /** The most rows one include of this relation shows. */
  readonly cap?: number
  /** Why a name that does not look like a plural noun is one all the same; it is a path segment. */
  readonly nameIsPluralBecause?: string
  readonly description?: string
}

export type RelationDeclaration = BelongsTo | HasMany
export type RelationDeclarations = { readonly [name: string]: RelationDeclaration }

interface BelongsToOptions<Optional extends boolean> {
  readonly optional?: Optional
  readonly immutable?: boolean
  readonly onTargetDelete?: 'refuse' | 'cascade'
  readonly description?: string
  /** The relation's name before it was renamed: while no version is published, a migration keeps its references. */
  readonly was?: string
}

interface HasManyOptions<By extends string, Through>
  extends Pick<HasMany, 'cap' | 'nameIsPluralBecause' | 'description'> {
  /** The belongs-to of the target (or of `through`) that points here; needed only where it has several. */
  readonly by?: By
  /** A resource, or its name where the resource is declared further down. */
  readonly through?: Through
}

/** The type of the target, where the resource itself was given. */
type TypeOf<T> = T extends string ? unknown : T
type NameOf<T> = T extends string ? T : T extends DeclaredResource ? T['name'] : string

/** The target is a resource, or its name where the resource is declared further down. */
export const belongsTo = <const T extends string | DeclaredResource, const Optional extends boolean = false>(
  target: T,
  options: BelongsToOptions<Optional> = {},
): BelongsTo<TypeOf<T>, NameOf<T>, Optional> => {
  const defaults = { optional: false, immutable: false, onTargetDelete: 'refuse' as const }
  const made: BelongsTo = { kind: 'belongs-to', ...defaults, ...options, ...targetOf(target) }
  return Object.freeze(made) as BelongsTo<TypeOf<T>, NameOf<T>, Optional>
}

/** The target is a resource, or its name where the resource is declared further down. */
export const hasMany = <
  const T extends string | DeclaredResource,
  const By extends string = string,
  const Through extends string | DeclaredResource = string,
>(
  target: T,
  options: HasManyOptions<By, Through> = {},
): HasMany<TypeOf<T>, NameOf<T>, By, NameOf<Through>> => {
  const { through, ...others } = options
  const made: HasMany = {
    kind: 'has-many',
    ...others,
    ...(through !== undefined && { through: resourceName(through) }),
    ...targetOf(target),
  }
  return Object.freeze(made) as HasMany<TypeOf<T>, NameOf<T>, By, NameOf<Through>>
}

const targetOf = (target: string | DeclaredResource): Pick<BelongsTo, 'target' | 'byResource'> => ({
  target: resourceName(target),
  ...(isDeclared(target) && { byResource: true }),
})

/** The name of a resource that is given as itself or by its name. */
export const resourceName = (target: string | DeclaredResource): string =>
  isDeclared(target) ? target.name : target

/** A target of another type is reported when it is compiled. */
const isDeclared = (target: unknown): target is DeclaredResource =>
  typeof target === 'object' && target !== null && 'kind' in target && target.kind === 'resource'

/** `customer_id: string` for each belongs-to named `customer`. */
export type ReferenceValues<R> = {
  readonly [K in keyof R as R[K] extends BelongsTo ? `${K & string}_id` : never]: R[K] extends {
    readonly optional: true
  }
    ? string | null
    : string
}
