import type { Later } from './job.ts'
import type { TypeMistake } from './mistake.ts'
import type {
  FieldOf,
  Nameable,
  NewValues,
  RowMeant,
  SomeValues,
  SortMeant,
  SumMeant,
  SummandMeant,
  UnknownName,
  WhereMeant,
} from './reach.ts'
import type { RowOf } from './row.ts'

export interface Rejection<Code extends string = string, Field extends string = string> {
  /** One of the resource's declared `problems`, which say the status and the title. */
  readonly code: Code
  /** What is wrong this time. */
  readonly detail: string
  /** The field at fault, in the head's name; shown in the caller's version. */
  readonly field?: Field
}

/** Whose eyes a hook reads with. */
export interface Seeing {
  /** Only rows that the caller may read. Without it, a hook sees all rows of the account, whatever the rules say. */
  readonly asCaller?: boolean
}

/** Which rows a list has, and in which order. */
export interface Listing<Name extends string = string> {
  /** A field, with a minus for the greatest first; or several. The id breaks ties; without `orderBy` the oldest row is first. */
  readonly orderBy?: Name | `-${Name}` | readonly (Name | `-${Name}`)[]
  /** At most 1,000. */
  readonly limit?: number
}

/**
 * The resource of a hook, where nothing of it is known. It is `any`, so that a function that takes a general `HookContext` can be given
 * that of every hook.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above
type AnyNoun = any

/**
 * What hooks may do, inside the request's own transaction and account. Resources are given by themselves, or by their names where they are
 * the hook's own (`Own`) or up to two relations away.
 */
export interface HookContext<Code extends string = string, Own = AnyNoun> {
  readonly account: string
  readonly now: string
  readonly caller: {
    /** The API key's or token client's name. */
    readonly consumer: string | null
    /** The scopes of the key or token, `*` among them. Frozen. */
    readonly scopes: readonly string[]
    /** The `sub` of the token, or the subject of the key. */
    readonly subject: string | null
    /** All claims of the token, or those of the key. Frozen at every depth. */
    readonly claims: { readonly [name: string]: unknown }
    /** Stable over retries of one keyed create: pass it on to other services. Null without an Idempotency-Key. */
    readonly idempotencyKey: string | null
  }
  /** One row; with `lock`, nobody else changes it until this transaction ends. */
  find<const T extends Nameable<Own>>(
    resource: T,
    id: string,
    options?: Seeing & { readonly lock?: boolean },
  ): Promise<RowMeant<T, Own> | null>
  /**
   * The rows that meet conditions. It throws where there are more than 1,000 and no `limit` is given.
   *
   * @example
   * await list('slots', { room_id, starts: { gte: day, lt: next } }, { orderBy: '-starts', limit: 10 })
   */
  list<const T extends Nameable<Own>>(
    resource: T,
    where: WhereMeant<T, Own>,
    options?: Seeing & Listing<SortMeant<T, Own>>,
  ): Promise<readonly RowMeant<T, Own>[]>
  /** How many rows meet conditions. */
  count<const T extends Nameable<Own>>(
    resource: T,
    where: WhereMeant<T, Own>,
    options?: Seeing,
  ): Promise<number>
  /** Whether a row meets conditions. */
  exists<const T extends Nameable<Own>>(
    resource: T,
    where: WhereMeant<T, Own>,
    options?: Seeing,
  ): Promise<boolean>
  /** The exact sum of a field over the rows that meet conditions, in the form of the field's values. */
  sum<
    V extends number | string = never,
    const T extends Nameable<Own> = Nameable<Own>,
    const K extends SummandMeant<Unless<V, T>, Own> = SummandMeant<Unless<V, T>, Own>,
  >(
    resource: [V] extends [never]
      ? T
      : UnknownName<Own> | TypeMistake<'the type of this sum is known: leave out <string> or <number>'>,
    field: K,
    where: WhereMeant<Unless<V, T>, Own>,
    options?: Seeing,
  ): Promise<[V] extends [never] ? SumMeant<T, Own, K> : NoInfer<V>>
  create<const T extends Nameable<Own>>(resource: T, values: NewValues<T, Own>): Promise<RowMeant<T, Own>>
  update<const T extends Nameable<Own>>(
    resource: T,
    id: string,
    values: SomeValues<T, Own>,
  ): Promise<RowMeant<T, Own> | null>
  remove(resource: Nameable<Own>, id: string): Promise<boolean>
  /**
   * Hands work over that is done after this transaction, and surely: both are committed, or neither.
   *
   * @example
   * await later('remind', { loan_id: loan.id }, { at: loan.due, unique: loan.id })
   */
  readonly later: Later
  /** Refuses the request: everything written so far is undone and the caller gets this problem. */
  reject(rejection: Rejection<Code, FieldOf<Own>>): never
}

/**
 * The type of a sum is written only where the fields of the resource are not known here, as in `sum<string>('lines', 'price', {})`. TypeScript then
 * infers nothing, and the names are checked when the hook runs.
 */
type Unless<V, T> = [V] extends [never] ? T : string

/**
 * Code around a write. A `before` hook may return fields to set; the values it gets are already valid. `Created` and `Updated` are what the
 * hooks return; beside them stands what they may, so that editors offer its names.
 */
export interface Hooks<Row, Code extends string = string, Own = AnyNoun, Created = never, Updated = never> {
  beforeCreate?(row: Row, context: HookContext<Code, Own>): SetFields<Row, Created>
  afterCreate?(row: Row, context: HookContext<Code, Own>): MaybeAsync<undefined>
  beforeUpdate?(next: Row, before: Row, context: HookContext<Code, Own>): SetFields<Row, Updated>
  afterUpdate?(row: Row, before: Row, context: HookContext<Code, Own>): MaybeAsync<undefined>
  beforeDelete?(row: Row, context: HookContext<Code, Own>): MaybeAsync<undefined>
  afterDelete?(row: Row, context: HookContext<Code, Own>): MaybeAsync<undefined>
}

// biome-ignore lint/suspicious/noConfusingVoidType: a hook that returns nothing is declared without a return
type MaybeAsync<T> = T | void | Promise<T | void>

/**
 * What a `before` hook may return: fields to set, or nothing. `Returned` is what it does return. Only its own fields are compared with those
 * of the row, because comparing a whole row is slow. That it has no other names is checked by `resource(…)`: an error about the type of a
 * function would be long. The first part is there for the names that editors offer.
 */
type SetFields<Row, Returned> =
  | MaybeAsync<Partial<Row> | undefined>
  | (false extends IsSettable<Returned, Row> ? never : Returned)
type IsSettable<Returned, Row> = 0 extends 1 & Returned
  ? true
  : Returned extends Promise<infer Set>
    ? AreValues<Set, Row>
    : AreValues<Returned, Row>
type AreValues<Set, Row> = Set extends object
  ? Set extends { readonly [K in keyof Set]?: K extends keyof Row ? Row[K] : unknown }
    ? true
    : false
  : Set extends MaybeAsync<undefined>
    ? true
    : false

/** That hooks return fields only. Where nothing is known of what a hook returns, the names are checked when it runs. */
export type SoundHooks<Created, Updated, F, R> = [Created | Updated] extends [never]
  ? unknown
  : WrongNames<NameIn<Created> | NameIn<Updated>, keyof RowOf<F, R>>
type WrongNames<Name, Field> = [Name] extends [Field]
  ? unknown
  : HookSetsNoField<Exclude<Name, Field> & string, Field & string>
/** An error shows its name and both arguments. */
type HookSetsNoField<Wrong extends string, Field extends string> = TypeMistake<
  `a hook returns '${Wrong}', which is not a field`,
  Field
>
type NameIn<R> = 0 extends 1 & R ? never : R extends Promise<infer Set> ? NameOf<Set> : NameOf<R>
type NameOf<Set> = Set extends object ? keyof Set & string : never
