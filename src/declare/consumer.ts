import type { z } from 'zod'
import type { FieldSchema, FieldValue, NeedsScope, StatesField, SumField } from './field.ts'
import type { Bare, SchemaOf } from './names.ts'
import type { BelongsTo } from './relation.ts'

// What consumers see of a resource and send to it, as types: `F` are its fields, `R` its relations.

type MarkOf<Field> = Field extends { readonly mark?: infer M } ? keyof NonNullable<M> : never
export type IsMarked<Field, Mark extends string> = Mark extends MarkOf<Field> ? true : false
type NeedsSome<Field> = Field extends NeedsScope<infer S> ? (string extends S ? false : true) : false

type Reference<R, K> = K extends keyof R
  ? R[K] extends { readonly optional: true }
    ? string | null
    : string
  : never
/** The relations to one row; `customer_id` belongs to `customer`. */
type OneOf<R> = { [K in keyof R]: R[K] extends BelongsTo ? K : never }[keyof R] & string

/** A row as answers show it. */
export type ShownRow<F, R> = {
  id: string
} & { -readonly [K in OneOf<R> as `${K}_id`]: Reference<R, K> } & {
  -readonly [K in keyof F as IsMarked<F[K], 'writeOnly'> extends true
    ? never
    : NeedsSome<F[K]> extends true
      ? never
      : K]: ShownValue<F[K]>
} & {
  // Callers without the scope do not see the field.
  -readonly [K in keyof F as NeedsSome<F[K]> extends true
    ? IsMarked<F[K], 'writeOnly'> extends true
      ? never
      : K
    : never]?: ShownValue<F[K]>
} & { created_at: string; updated_at: string }

/** Readers of an open enum must expect values that are not listed yet. */
type ShownValue<Field> =
  IsMarked<Field, 'open'> extends true
    ? FieldValue<Field> | (string & Record<never, never>)
    : FieldValue<Field>

type IsSent<Field> = Field extends SumField ? false : IsMarked<Field, 'readOnly'> extends true ? false : true
/** Whether nothing but the request can give the field a value. */
type IsNeeded<Field> = Field extends StatesField
  ? false
  : Field extends FieldSchema
    ? undefined extends z.input<Field>
      ? false
      : true
    : false
type IsKept<Field> =
  NeedsSome<Field> extends true
    ? true
    : IsMarked<Field, 'immutable'> extends true
      ? true
      : IsMarked<Field, 'writeOnly'>

type SentValue<Field> =
  Field extends StatesField<infer S>
    ? S
    : Field extends FieldSchema
      ? Sent<Exclude<z.input<Field>, undefined>>
      : never
/** A list that is sent may be read-only. */
type Sent<V> = V extends readonly unknown[] ? Readonly<V> : V

/** What is sent to create a row. */
export type CreatedRow<F, R> = {
  readonly [K in keyof F as IsSent<F[K]> extends true
    ? IsNeeded<F[K]> extends true
      ? K
      : never
    : never]: SentValue<F[K]>
} & {
  readonly [K in keyof F as IsSent<F[K]> extends true ? (IsNeeded<F[K]> extends true ? never : K) : never]?:
    | (F[K] extends StatesField<string, infer Initial> ? Initial : SentValue<F[K]>)
    | null
    | undefined
} & SentReferences<R>

type SentReferences<R> = {
  readonly [K in OneOf<R> as null extends Reference<R, K> ? never : `${K}_id`]: string
} & {
  readonly [K in OneOf<R> as null extends Reference<R, K> ? `${K}_id` : never]?: string | null | undefined
}

/** What is sent to replace a row. `Owner` is the relation whose row it stays below. */
export type ReplacedRow<F, R, Owner = never> = {
  readonly [K in keyof F as IsSent<F[K]> extends true
    ? IsNeeded<F[K]> extends true
      ? IsKept<F[K]> extends true
        ? never
        : K
      : never
    : never]: SentValue<F[K]>
} & {
  readonly [K in keyof F as IsSent<F[K]> extends true
    ? IsNeeded<F[K]> extends true
      ? IsKept<F[K]> extends true
        ? K
        : never
      : K
    : never]?: SentValue<F[K]> | (IsNeeded<F[K]> extends true ? never : null) | undefined
} & {
  readonly [K in OneOf<R> as IsKeptReference<R, K, Owner> extends true ? never : `${K}_id`]: string
} & {
  readonly [K in OneOf<R> as IsKeptReference<R, K, Owner> extends true ? `${K}_id` : never]?:
    | Reference<R, K>
    | undefined
}
type IsKeptReference<R, K, Owner> =
  IsFixed<R, K, Owner> extends true ? true : null extends Reference<R, K> ? true : false
/** A reference that never changes. */
type IsFixed<R, K, Owner> = K extends Owner
  ? true
  : R[K & keyof R] extends { readonly immutable: true }
    ? true
    : false

/** What is sent to change a row. */
export type PatchedRow<F, R, Owner = never> = {
  readonly [K in keyof F as IsSent<F[K]> extends true
    ? IsMarked<F[K], 'immutable'> extends true
      ? never
      : K
    : never]?: Patched<SentValue<F[K]>> | (IsNeeded<F[K]> extends true ? never : null) | undefined
} & {
  readonly [K in OneOf<R> as IsFixed<R, K, Owner> extends true ? never : `${K}_id`]?:
    | Reference<R, K>
    | undefined
}
/** A merge patch of an object has only the members that change, and `null` removes one. */
type Patched<V> = V extends readonly unknown[]
  ? V
  : V extends object
    ? { readonly [K in keyof V]?: Patched<V[K]> | null | undefined }
    : V

/** What a field is compared with in a filter, and whether its values have an order. */
export type FilterOf<F, R, K> = K extends 'id'
  ? { readonly value: string; readonly ordered: false }
  : K extends 'created_at' | 'updated_at'
    ? { readonly value: string | Date; readonly ordered: true }
    : K extends keyof F
      ? FilterOfField<F[K], FieldValue<F[K]>>
      : K extends `${infer Relation}_id`
        ? { readonly value: Reference<R, Relation>; readonly ordered: false }
        : never
type FilterOfField<Field, V> =
  Bare<Field> extends SchemaOf<{ readonly format: 'datetime' }>
    ? { readonly value: V | Date; readonly ordered: true }
    : { readonly value: V; readonly ordered: IsOrdered<NonNullable<V>> }
type IsOrdered<V> = [V] extends [string]
  ? string extends V
    ? true
    : false
  : [V] extends [number]
    ? true
    : false
