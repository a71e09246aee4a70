import type { FilterOf, IsMarked } from './consumer.ts'
import type { FieldValue } from './field.ts'
import type { HookContext, Rejection, Seeing } from './hooks.ts'
import type { BelongsToName } from './names.ts'
import type { KnownNoun, Nameable, RowMeant } from './reach.ts'
import type { ReferenceValues } from './relation.ts'

// A noun that is answered by code: what its functions get and give. `F` are its fields, `R` its relations.

/** Which functions a noun can have. */
export type AnswerName = 'create' | 'get' | 'list'

/** What the code of a noun gets besides what is asked. Nothing it reads is locked, and it is in no transaction. */
export interface AnswerContext<Code extends string, Own>
  extends Pick<HookContext<Code, Own>, 'account' | 'now' | 'list' | 'count' | 'exists' | 'sum' | 'later'> {
  readonly caller: Omit<HookContext['caller'], 'idempotencyKey'>
  /** One stored row. */
  find<const T extends Nameable<Own>>(
    resource: T,
    id: string,
    options?: Seeing,
  ): Promise<RowMeant<T, Own> | null>
  /**
   * The same for every try of one create, also after a process was killed: pass it on to other services. Null without an Idempotency-Key.
   * It is not the caller's text.
   */
  readonly idempotencyKey: string | null
  /** Aborts when the time of the answer is over. What the code does after that is not shown to anybody. */
  readonly signal: AbortSignal
  /** Refuses the request: the caller gets this problem. */
  reject(rejection: Rejection<Code, SetFieldOf<Own>>): never
}

/** What a create brings: all that a caller may send. What was left out has its default, or is `null`. */
export type AnswerInput<F, R> = ReferenceValues<R> & {
  readonly [K in keyof F as IsMarked<F[K], 'readOnly'> extends true ? never : K]: FieldValue<F[K]>
}

/** A row that the code gives. What may be unset may be left out, and an id is made where none is given. */
export type AnswerRow<F, R> = { readonly id?: string } & NullLeftOut<ReferenceValues<R>> & {
    readonly [K in keyof F as MayLack<F[K]> extends true ? never : K]: FieldValue<F[K]>
  } & {
    readonly [K in keyof F as MayLack<F[K]> extends true ? K : never]?: FieldValue<F[K]> | undefined
  }
/** Unset, or never shown. */
type MayLack<Field> = null extends FieldValue<Field> ? true : IsMarked<Field, 'writeOnly'>
type NullLeftOut<V> = {
  readonly [K in keyof V as null extends V[K] ? never : K]: V[K]
} & { readonly [K in keyof V as null extends V[K] ? K : never]?: V[K] | undefined }

/** Conditions, by field, as operators with values: `{ price: { gte: 100, lt: 200 } }`. All of them must hold. */
export type AnswerFilter<F, R, Filter extends string> = {
  readonly [K in Filter | 'id' | `${BelongsToName<R>}_id`]?: ComparedWith<FilterOf<F, R, K>>
}
type ComparedWith<Of> = Of extends { readonly value: infer V; readonly ordered: infer IsOrdered }
  ? Operators<
      IsOrdered extends true ? 'eq' | 'ne' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' : 'eq' | 'ne' | 'in',
      Exclude<V, Date>
    >
  : never
type Operators<Name extends string, V> = {
  readonly [O in Name]?: O extends 'in' ? readonly V[] : O extends 'eq' | 'ne' ? V : NonNullable<V>
}

/** Which rows a list is asked for. */
export interface AnswerQuery<F, R, Filter extends string, Sort extends string> {
  readonly filter: AnswerFilter<F, R, Filter>
  /** Fields, with a minus for the greatest first. Empty where the caller says none. */
  readonly sort: readonly (Sort | `-${Sort}` | 'id' | '-id')[]
  /** The most rows to give. Undefined where rows are included, of which all are needed that meet the filter. */
  readonly limit: number | undefined
  /** What `next` of the page before was; undefined for the first page. */
  readonly after: string | undefined
}

export interface AnswerPage<F, R> {
  readonly rows: readonly AnswerRow<F, R>[]
  /** Where the next page begins, in words of the code's own, of at most 1,000 characters. Left out, or null, on the last page. */
  readonly next?: string | null | undefined
}

/** The fields that a refusal can name. */
type SetFieldOf<Own> =
  Own extends KnownNoun<string, infer F, infer R> ? (keyof F | keyof ReferenceValues<R>) & string : never

/** The functions that answer for a noun. Methods without one are not offered. */
export interface Answers<F, R, Code extends string, Own, Filter extends string, Sort extends string> {
  create?(
    input: AnswerInput<F, R>,
    context: AnswerContext<Code, Own>,
  ): AnswerRow<F, R> | Promise<AnswerRow<F, R>>
  /** `null` is 404. */
  get?(
    id: string,
    context: AnswerContext<Code, Own>,
  ): AnswerRow<F, R> | null | Promise<AnswerRow<F, R> | null>
  list?(
    query: AnswerQuery<F, R, Filter, Sort>,
    context: AnswerContext<Code, Own>,
  ): AnswerPage<F, R> | Promise<AnswerPage<F, R>>
}
