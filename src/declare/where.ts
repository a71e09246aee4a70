/** Conditions on the rows of a list, a count or a sum: a value stands for equality, `null` for what is not set. */
export type WhereOf<Row> = { readonly [K in keyof Row]?: ConditionOn<Row[K]> }

/** Of a field whose type is not known, everything may be asked; the names are checked when the hook runs. */
export type ConditionOn<V> = unknown extends V
  ? unknown
  : NonNullable<V> extends Scalar
    ? V | Tests<V>
    : Unset | (null extends V ? null : never)

type Scalar = string | number | boolean

interface Unset {
  /** `true` finds rows in which the field is not set, `false` those in which it is. */
  readonly null?: boolean
}

interface Equality<V> extends Unset {
  readonly eq?: V
  /** Also finds rows in which the field is not set. */
  readonly ne?: V
  readonly in?: readonly V[]
}

interface Ordering<V> {
  readonly gt?: V
  readonly gte?: V
  readonly lt?: V
  readonly lte?: V
}

/** Numbers and texts have an order; the values of an enum, and booleans, have none. */
type Tests<V> = string extends V
  ? Equality<V> & Ordering<NonNullable<V>>
  : number extends V
    ? Equality<V> & Ordering<NonNullable<V>>
    : Equality<V>

/** The fields that rows can be ordered by. */
export type SortOf<Row> = string extends keyof Row
  ? string
  : { [K in keyof Row]: NonNullable<Row[K]> extends Scalar ? K : never }[keyof Row] & string
