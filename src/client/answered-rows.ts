import type { Of } from './api-shape.ts'

// What a call answers, given what it included. `N` is a resource, `I` a path that is surely included, `M` one that may be: where a list of
// paths is not written out, the compiler does not know which of them it has.

/** Where a list stands. */
export interface Page {
  readonly limit: number
  readonly has_more: boolean
  readonly next_cursor: string | null
}

/** How many rows the filters find, where it was asked for. */
export interface Total {
  readonly total: number
  /** False where there are more rows than `total`. */
  readonly total_is_exact: boolean
}

/** A page of a list. */
export interface List<Row, P = Page> {
  readonly data: Row[]
  readonly page: P
}

/** A list within a row. `next` is the URL that continues it. */
export interface IncludedList<Row> {
  readonly data: Row[]
  readonly page: Page & { readonly next: string | null }
}

/** A row of a resource with what was included: `RowOf<S, 'orders', 'customer' | 'items.product'>`. */
export type RowOf<S, N extends string, I extends string = never, M extends string = never> = [I | M] extends [
  never,
]
  ? Of<S, N, 'row'>
  : Shown<Of<S, N, 'row'> & Surely<S, N, I, M> & Perhaps<S, N, I, M>>

/** One object type in place of several, as editors show it. */
type Shown<T> = { [K in keyof T]: T[K] } & {}

type Surely<S, N extends string, I extends string, M extends string> = {
  [K in First<I>]: Related<S, RelationAt<S, N, K>, After<I, K>, After<M, K>>
}
type Perhaps<S, N extends string, I extends string, M extends string> = [
  Exclude<First<M>, First<I>>,
] extends [never]
  ? unknown
  : {
      [K in Exclude<First<M>, First<I>>]?: Related<S, RelationAt<S, N, K>, never, After<M, K>>
    }

type RelationAt<S, N extends string, K> = K extends keyof Of<S, N, 'relations'>
  ? Of<S, N, 'relations'>[K]
  : never

/** The relation that a path begins with. */
type First<Path extends string> = Path extends `${infer Step}.${string}` ? Step : Path
/** What follows a relation in the paths that begin with it. */
type After<Path extends string, Step extends string> = Path extends `${Step}.${infer Rest}` ? Rest : never

type Related<S, Relation, I extends string, M extends string> = Relation extends {
  readonly kind: infer Kind
  readonly to: infer To extends string
}
  ? Kind extends 'many' | 'many through'
    ? IncludedList<RowOf<S, To, I, M>>
    : Kind extends 'one'
      ? RowOf<S, To, I, M>
      : RowOf<S, To, I, M> | null
  : never

/** A list of paths as it was given: `RowOf` with the paths that it surely has, and with those that it may have. */
export type RowWith<S, N extends string, Paths extends readonly string[]> = Paths extends unknown
  ? RowOf<S, N, Sure<Paths>, Exclude<Paths[number], Sure<Paths>>>
  : never
/** A row of totals: the fields it is surely grouped by, those it may be, how many rows it counts and their sums. */
export type GroupOf<S, N extends string, By extends readonly string[]> = Shown<
  Omit<Of<S, N, 'row'>, Of<S, N, 'by'> & string> &
    Pick<Of<S, N, 'row'>, Sure<By> & keyof Of<S, N, 'row'>> &
    Partial<Pick<Of<S, N, 'row'>, Exclude<By[number], Sure<By>> & keyof Of<S, N, 'row'>>>
>
type Sure<Paths extends readonly string[]> = number extends Paths['length']
  ? never
  : { [K in keyof Paths]: IsUnion<Paths[K]> extends true ? never : Paths[K] }[number]
type IsUnion<T, All = T> = T extends unknown ? ([All] extends [T] ? false : true) : never
