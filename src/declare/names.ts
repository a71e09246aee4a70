import type { z } from 'zod'
import type { DecimalSchema, FieldValue, StatesField, SumField } from './field.ts'
import type { TypeMistake } from './mistake.ts'

// What a resource may name in its own declaration. Where fields or relations have no known names or types (a declaration that a program
// makes), every name is allowed here, and checked when it is compiled.

type ServerField = 'id' | 'created_at' | 'updated_at'

/** The names of relations of one kind. */
type RelationName<R, Kind extends string> = string extends keyof R
  ? string
  : { [K in keyof R]-?: NonNullable<R[K]> extends { readonly kind: Kind } ? K : never }[keyof R] & string
export type BelongsToName<R> = RelationName<R, 'belongs-to'>
export type HasManyName<R> = RelationName<R, 'has-many'>

/**
 * The declared fields, and the reference of each belongs-to. It is a conditional type so that an error lists the names, which it would
 * not do for a union that has a name of its own.
 */
export type OwnFieldName<F, R> = string extends keyof F
  ? string
  : (keyof F & string) | `${BelongsToName<R>}_id`
export type FieldName<F, R> = string extends keyof F ? string : ServerField | OwnFieldName<F, R>

/** The target of a relation, `unknown` where the relation names it. */
export type TargetOf<Relation> = Relation extends { readonly targetType?: infer T } ? T : unknown

/**
 * Paths of relations. The second step is known where the target was given as a resource; every other step is checked by `api(…)`, which
 * knows all resources.
 */
export type IncludePath<R> = string extends keyof R
  ? string
  : { [K in keyof R & string]: K | `${K}.${NextStep<TargetOf<R[K]>>}` }[keyof R & string]
type NextStep<T> = T extends { readonly fields: unknown; readonly relations?: infer R }
  ? StepName<keyof R & string>
  : string
type StepName<Name extends string> = Name | `${Name}.${string}`

/**
 * A field, or a path of at most two to-one relations to one. The names behind a relation are known where its target was given as a
 * resource; all others are checked when the declaration is compiled.
 */
export type FilterName<F, R> = string extends keyof F
  ? string
  : ServerField | OwnFieldName<F, R> | FilterPath<R, [0, 0]>
type FilterPath<R, Left extends readonly 0[]> = Left extends readonly [0, ...infer Fewer extends readonly 0[]]
  ? string extends keyof R
    ? string
    : { [K in BelongsToName<R>]: `${K}.${NextName<TargetOf<R[K & keyof R]>, Fewer>}` }[BelongsToName<R>]
  : never
type NextName<T, Left extends readonly 0[]> = T extends {
  readonly fields: infer F
  readonly relations?: infer R
}
  ? FieldName<F, R> | FilterPath<R, Left>
  : string

/** The values of a field that has a list of them: a state or an enum. */
export type ChoiceOf<Field> =
  Field extends StatesField<infer S>
    ? S
    : Bare<Field> extends SchemaOf<{ readonly type: 'enum' }>
      ? z.output<Bare<Field>> & string
      : LiteralOf<NonNullable<FieldValue<Field>>>
type LiteralOf<V> = unknown extends V ? string : V extends string ? (string extends V ? never : V) : never

/** A schema, told by what Zod says of it: to compare it with a whole class of Zod, the compiler would make types of all of its methods. */
export interface SchemaOf<Def> {
  readonly _zod: { readonly def: Def }
}

/** A schema without what makes it optional. */
export type Bare<Field> =
  Field extends SchemaOf<{ readonly type: 'optional' | 'nullable' | 'default'; readonly innerType: infer T }>
    ? Bare<T>
    : Field

/** Field → values, for the fields that have a list of values. */
export type Choices<F> = string extends keyof F
  ? { readonly [field: string]: readonly string[] }
  : { readonly [K in keyof F as [ChoiceOf<F[K]>] extends [never] ? never : K]?: readonly ChoiceOf<F[K]>[] }

/** Relation → field of the target → values. */
export type OnlyWhile<R> = {
  readonly [K in BelongsToName<R>]?: TargetOf<R[K & keyof R]> extends { readonly fields: infer F }
    ? Choices<F>
    : { readonly [field: string]: readonly string[] }
}

/** Fields that have sums: numbers and decimals. */
export type SummandName<F> = string extends keyof F
  ? string
  : { [K in keyof F]-?: IsSummand<NonNullable<F[K]>> extends true ? K : never }[keyof F] & string
export type IsSummand<Field> =
  Bare<Field> extends DecimalSchema
    ? true
    : unknown extends FieldValue<Field>
      ? true
      : NonNullable<FieldValue<Field>> extends number
        ? true
        : false

/** The fields that are sums. */
export type SumName<F> = { [K in keyof F]-?: F[K] extends { readonly kind: 'sum' } ? K : never }[keyof F] &
  string

/** Checks the names in each `sum(…)` of a resource. What a named target has is checked by `api(…)`. */
export type SoundSums<F, R> = {
  readonly [K in SumName<F>]: F[K] extends SumField<infer _, infer Relation, infer Of>
    ? SoundSum<Relation, Of, R>
    : unknown
}
type SoundSum<Relation extends string, Of extends string, R> = string extends Relation
  ? unknown
  : Relation extends HasManyName<R>
    ? SoundSummands<Of, TargetOf<R[Relation & keyof R]>>
    : TypeMistake<`'${Relation}' is not a has-many relation`, HasManyName<R>>
type SoundSummands<Of extends string, Target> = Target extends { readonly fields: infer F }
  ? Of extends SummandName<F>
    ? unknown
    : TypeMistake<`'${Of}' is not a number of the target`, SummandName<F>>
  : unknown
