// What a client knows of one version of an API, as a type: an object with
//   version     its name
//   resources   a `ResourceShape` for each, by name
//   events      the names of the resources whose changes are events
//   problems    the names of the problems that hooks are declared to refuse with
// `typeof shop` is turned into one (`shape-of.ts`); a generated file has one written out.

export interface ResourceShape {
  /** What answers show. */
  readonly row: object
  readonly create: object
  readonly replace: object
  readonly patch: object
  /** Field → what it can be compared with: `Choice` or `Ordered`. */
  readonly filter: object
  /** Whether conditions can be alternatives. */
  readonly either: boolean
  readonly sort: string
  /** Of totals: the fields that make the groups. `never` for all other resources. */
  readonly by: string
  /** Whether it can be searched. */
  readonly search: boolean
  /** Whether its rows can be counted. */
  readonly count: boolean
  /** Whether many rows can be created with one call. */
  readonly bulk: boolean
  /** Paths of relations. */
  readonly include: string
  readonly relations: { readonly [name: string]: RelationShape }
  readonly methods: string
  /** Whether it has a collection of its own; else it is only below its owners. */
  readonly top: boolean
}

export interface RelationShape {
  /** Rows of `many through` are linked by those of another resource: they are only read below the row. */
  readonly kind: 'one' | 'one or null' | 'many' | 'many through'
  readonly to: string
  /** The field of its rows that leads back, for `many`. */
  readonly by: string
}

/** A member of a resource's shape. */
export type Of<S, N extends string, Member extends keyof ResourceShape> = S extends {
  readonly resources: { readonly [K in N]: { readonly [M in Member]: infer Value } }
}
  ? Value
  : never

/** A condition on a field whose values have no order: a value, or operators with values. */
export type Choice<V> = V | Compared<'eq' | 'ne' | 'in', V>

/** A condition on a field whose values have an order. */
export type Ordered<V> = V | Compared<'eq' | 'ne' | 'in' | 'gt' | 'gte' | 'lt' | 'lte', V>

/** The operators come first, so that errors list them. */
type Compared<Operator extends string, V> = {
  readonly [O in Operator]?:
    | (O extends 'in' ? readonly V[] : O extends 'eq' | 'ne' ? V : NonNullable<V>)
    | undefined
}
