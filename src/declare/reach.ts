import type { z } from 'zod'
import type { FieldSchema, FieldValues } from './field.ts'
import type { SummandName, TargetOf } from './names.ts'
import type { DeclaredResource, ReferenceValues } from './relation.ts'
import type { RowOf } from './row.ts'
import type { SortOf, WhereOf } from './where.ts'

// What the hooks of a resource can name: the resource itself and resources up to two relations away by their names, every other resource
// by itself, as in `find(products, id)`. `Own` is the hook's resource, `T` what the hook names. Of a resource that is only named, the
// fields are not known here: they are checked when the hook runs.

/** A row of a resource whose fields are not known. */
export type AnyRow = { readonly [field: string]: unknown } & { readonly id: string }

interface Noun {
  readonly name: string
}
/** A resource whose fields and relations are known. */
export interface KnownNoun<Name extends string, F, R> extends Noun {
  readonly name: Name
  readonly fields: F
  readonly relations?: R
}

type Targets<Own> = Own extends { readonly relations?: infer R } ? TargetNoun<R[keyof R]> : never
type TargetNoun<Relation> = Relation extends { readonly target: infer Name }
  ? TargetOf<Relation> extends Noun
    ? TargetOf<Relation>
    : { readonly name: Name }
  : never
type Reach<Own> = Own | Targets<Own> | Targets<Targets<Own>>

/** The fields of the hook's own rows. */
export type FieldOf<Own> = 0 extends 1 & Own
  ? string
  : Own extends KnownNoun<string, infer F, infer R>
    ? keyof RowOf<F, R> & string
    : never

/** A name that the hook knows, or a resource. `any` stands for a hook of which nothing is known. */
export type Nameable<Own> = 0 extends 1 & Own
  ? string | DeclaredResource
  : Extract<Reach<Own>, Noun>['name'] | DeclaredResource

/** A name that the hook knows, of a resource whose fields it does not know. */
export type UnknownName<Own> = 0 extends 1 & Own
  ? string
  : Exclude<Extract<Reach<Own>, Noun>, { readonly fields: unknown }>['name']

/** The resource that is meant; `never` where its fields are not known. */
type Meant<T, Own> = T extends DeclaredResource
  ? Extract<T, { readonly fields: unknown }>
  : string extends T | (0 extends 1 & Own ? string : never)
    ? never
    : KnownBy<Own>[T & keyof KnownBy<Own>]
/** By their names, the resources whose fields the hook knows. A name is looked up faster than each resource is compared with it. */
type KnownBy<Own> = {
  readonly [D in Extract<Reach<Own>, { readonly name: string; readonly fields: unknown }> as D['name']]: D
}

export type RowMeant<T, Own> = RowOfNoun<Meant<T, Own>>
type RowOfNoun<D> = [D] extends [never]
  ? AnyRow
  : D extends KnownNoun<string, infer F, infer R>
    ? string extends keyof F
      ? AnyRow
      : RowOf<F, R>
    : AnyRow

/** Some values of a row, to set. */
export type SomeValues<T, Own> = Partial<RowMeant<T, Own>>

/**
 * Conditions on rows. The conditional type ends at `infer F` and `infer R`: from `WhereOf<RowMeant<T, Own>>`, which is the same, a call of
 * `list` would try to infer `T` from each name of a row, a tenth of all the work for a resource with hooks.
 */
export type WhereMeant<T, Own> = WhereOfNoun<Meant<T, Own>>
type WhereOfNoun<D> = [D] extends [never]
  ? WhereOf<AnyRow>
  : D extends KnownNoun<string, infer F, infer R>
    ? string extends keyof F
      ? WhereOf<AnyRow>
      : WhereOf<RowOf<F, R>>
    : WhereOf<AnyRow>

/** The fields that rows can be ordered by. */
export type SortMeant<T, Own> = SortOf<RowMeant<T, Own>>

/** The values of a new row: those that neither have a default nor may be null, and any others. */
export type NewValues<T, Own> = NewValuesOfNoun<Meant<T, Own>>
type NewValuesOfNoun<D> = [D] extends [never]
  ? Partial<AnyRow>
  : D extends KnownNoun<string, infer F, infer R>
    ? Partial<RowOf<F, R>> & Pick<RowOf<F, R>, NeededField<F> | NeededReference<ReferenceValues<R>>>
    : Partial<AnyRow>
type NeededField<F> = {
  [K in keyof F]: F[K] extends FieldSchema
    ? z.input<F[K]> extends NonNullable<z.input<F[K]>>
      ? K
      : never
    : never
}[keyof F]
type NeededReference<V> = { [K in keyof V]: null extends V[K] ? never : K }[keyof V]

/** A field that the hook can sum, and the type of its sum. */
export type SummandMeant<T, Own> = SummandOfNoun<Meant<T, Own>>
type SummandOfNoun<D> = [D] extends [never]
  ? string
  : D extends KnownNoun<string, infer F, unknown>
    ? SummandName<F>
    : string
export type SumMeant<T, Own, K> =
  Meant<T, Own> extends { readonly fields: infer F }
    ? K extends keyof FieldValues<F>
      ? NonNullable<FieldValues<F>[K]>
      : number
    : number
