import { z } from 'zod'

/** What a field can say of itself beyond its Zod schema. */
export interface FieldMarks {
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  readonly immutable?: boolean
  /** An enum that may grow in responses without that being a breaking change. */
  readonly open?: boolean
  /** A caller sees and sends the field only with all of these scopes. */
  readonly needsScopes?: readonly string[]
  /** Its name before it was renamed. */
  readonly was?: string
  /** What became of values that it no longer lists. */
  readonly became?: ValuesNow
}

/** A value that is gone → the one that its rows have instead. */
export interface ValuesNow {
  readonly [gone: string]: string
}

export const isZod = (value: unknown): value is z.ZodType =>
  typeof value === 'object' && value !== null && '_zod' in value

/** Marks live beside the schema, not in it, so that a schema shared by two fields is not marked for both. */
const marks = z.registry<FieldMarks>()

const marked = <S extends FieldSchema>(schema: S, more: FieldMarks): S => {
  // A value that is not a schema is reported when it is compiled, with the name of its field.
  if (!isZod(schema)) return Object.freeze({ kind: 'not-a-schema' }) as never
  const copy = schema.clone()
  marks.add(copy, { ...marks.get(schema), ...more })
  return copy as FieldSchema as S
}

export const marksOf = (schema: z.ZodType): FieldMarks => marks.get(schema) ?? {}

/** Never set: it gives the types of a client what the field was marked as. */
export interface Marked<Mark extends 'readOnly' | 'writeOnly' | 'immutable' | 'open'> {
  readonly mark?: { readonly [M in Mark]: true }
}

/** Set by the server or a hook; a consumer may send it back unchanged. */
export const readOnly = <S extends FieldSchema>(schema: S): S & Marked<'readOnly'> =>
  marked(schema, { readOnly: true })
/** Accepted, stored, and never shown. */
export const writeOnly = <S extends FieldSchema>(schema: S): S & Marked<'writeOnly'> =>
  marked(schema, { writeOnly: true })
/** Set once, when the row is created. */
export const immutable = <S extends FieldSchema>(schema: S): S & Marked<'immutable'> =>
  marked(schema, { immutable: true })
/** An enum whose readers must expect new values. */
export const open = <S extends FieldSchema>(schema: S): S & Marked<'open'> => marked(schema, { open: true })

/** Never set: it gives `api(…)` the scopes that fields need, to check them by their types. */
export interface NeedsScope<Scope extends string> {
  readonly neededScope?: Scope
}

/**
 * Only callers with the scope see the field, send it, and filter or sort by it. It goes around other marks or within them, and
 * around `states(…)` and `sum(…)`; around another `needsScope(…)` both scopes are needed.
 */
export const needsScope = <const Scope extends string, F extends FieldDeclaration>(
  scope: Scope,
  field: F,
): F & NeedsScope<Scope> => withScope(scope, field) as F & NeedsScope<Scope>

const withScope = (scope: string, field: FieldDeclaration): FieldDeclaration => {
  if (isStates(field) || isSum(field))
    return Object.freeze({ ...field, needsScopes: [...(field.needsScopes ?? []), scope] })
  return marked(field, { needsScopes: [...((isZod(field) && marksOf(field).needsScopes) || []), scope] })
}

/**
 * The field had another name: while no version is published, a migration renames its column and keeps its values. It goes around other
 * marks or within them, and around `states(…)` and `sum(…)`.
 *
 * @example
 * fields: { remark: was('note', z.string().optional()) }
 */
export const was = <F extends FieldDeclaration>(name: string, field: F): F =>
  (isStates(field) || isSum(field)
    ? Object.freeze({ ...field, was: name })
    : marked(field, { was: name })) as F

/**
 * Values of an enum or states are gone: while no version is published, a migration gives their rows these values instead.
 *
 * @example
 * status: became({ open: 'placed' }, states('placed', { placed: ['paid'], paid: [] }))
 */
export const became = <F extends FieldSchema | StatesField>(values: ValuesNow, field: F): F =>
  (isStates(field) ? Object.freeze({ ...field, became: values }) : marked(field, { became: values })) as F

export type Moves<S extends string> = { readonly [From in S]?: readonly S[] }

/** A field that can only move along declared moves; the server sets its first value. */
export interface StatesField<S extends string = string, Initial extends S = S> {
  readonly kind: 'states'
  readonly initial: Initial
  readonly moves: Moves<S>
  readonly description?: string
  readonly needsScopes?: readonly string[]
  readonly was?: string
  readonly became?: ValuesNow
}

interface Described {
  readonly description?: string
}

// A conditional type, so that errors list the states.
type StatesOf<M> = M[keyof M] extends readonly (infer To extends string)[] ? (keyof M & string) | To : never

export const states = <
  const M extends { readonly [from: string]: readonly string[] },
  const Initial extends StatesOf<M>,
>(
  initial: Initial,
  moves: M,
  options: Described = {},
): StatesField<StatesOf<M>, Initial> =>
  Object.freeze({ kind: 'states', initial, moves: moves as unknown as Moves<StatesOf<M>>, ...options })

export const isStates = (field: unknown): field is StatesField =>
  typeof field === 'object' && field !== null && 'kind' in field && field.kind === 'states'

/**
 * A read-only field kept by the server: the sum, over a has-many relation, of the product of the named fields. `V` is the type of its
 * values, `Relation` and `Of` are the names, for the compiler.
 */
export interface SumField<
  V extends number | string = number | string,
  Relation extends string = string,
  Of extends string = string,
> {
  readonly kind: 'sum'
  readonly relation: Relation
  readonly of: readonly Of[]
  readonly description?: string
  readonly needsScopes?: readonly string[]
  readonly was?: string
  /** Never set: it gives hooks the type of the sum. */
  readonly valueType?: V
}

export const sum = <
  V extends number | string = number,
  const Relation extends string = string,
  const Of extends string = string,
>(
  relation: Relation,
  of: Of | readonly Of[],
  options: Described = {},
): SumField<NoInfer<V>, Relation, Of> =>
  Object.freeze({ kind: 'sum', relation, of: typeof of === 'string' ? [of] : of, ...options })

export const isSum = (field: unknown): field is SumField =>
  typeof field === 'object' && field !== null && 'kind' in field && field.kind === 'sum'

/** The type of `decimal(…)`, so that the compiler can tell it from a text. */
export interface DecimalSchema extends z.ZodType<string, string> {
  /** Never set. */
  readonly isDecimal: true
}

/**
 * A Zod schema. It is the core type, which has two members: TypeScript compares each schema with it, and `z.ZodType` has fifty members, for
 * which types of all of Zod are made.
 */
export type FieldSchema = z.core.$ZodType
export type FieldDeclaration = FieldSchema | StatesField | SumField
export type FieldDeclarations = { readonly [name: string]: FieldDeclaration }

export type FieldValue<F> =
  F extends StatesField<infer S>
    ? S
    : F extends SumField<infer V>
      ? V
      : F extends FieldSchema
        ? NullForUndefined<z.output<F>>
        : never

/** A row never lacks a key: what is unset is `null`. */
type NullForUndefined<T> = undefined extends T ? Exclude<T, undefined> | null : T

export type FieldValues<F> = { readonly [K in keyof F]: FieldValue<F[K]> }
