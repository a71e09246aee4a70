/** A row as hooks see it, in the head's names; typed where a resource is declared, loose across resources. */
export type AnyRow = { readonly [field: string]: unknown } & { readonly id: string }

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

/** What hooks may do, inside the request's own transaction and account. */
export interface HookContext<Code extends string = string, Field extends string = string> {
  readonly account: string
  readonly now: string
  readonly caller: {
    /** The API key's or token client's name. */
    readonly consumer: string | null
    /** As they were given, `*` among them. Frozen. */
    readonly scopes: readonly string[]
    /** The `sub` of the token, or the subject of the key. */
    readonly subject: string | null
    /** All claims of the token, or those of the key. Frozen at every depth. */
    readonly claims: { readonly [name: string]: unknown }
    /** Stable over retries of one keyed create: pass it on to other services. Null without an Idempotency-Key. */
    readonly idempotencyKey: string | null
  }
  /** One row; with `lock`, nobody else changes it until this transaction ends. */
  find(resource: string, id: string, options?: Seeing & { readonly lock?: boolean }): Promise<AnyRow | null>
  /** Rows whose fields equal `where`, oldest first, at most 1,000. */
  list(
    resource: string,
    where: { readonly [field: string]: unknown },
    options?: Seeing,
  ): Promise<readonly AnyRow[]>
  /** The exact sum of a field over the rows whose fields equal `where`, in the form of the field's values. */
  sum<V extends number | string = number>(
    resource: string,
    field: string,
    where: { readonly [field: string]: unknown },
    options?: Seeing,
  ): Promise<V>
  create(resource: string, values: { readonly [field: string]: unknown }): Promise<AnyRow>
  update(resource: string, id: string, values: { readonly [field: string]: unknown }): Promise<AnyRow | null>
  remove(resource: string, id: string): Promise<boolean>
  /** Refuses the request: everything written so far is undone and the caller gets this problem. */
  reject(rejection: Rejection<Code, Field>): never
}

/** Code around a write. A `before` hook may return fields to set; the values it gets are already valid. */
export interface Hooks<Row, Code extends string = string> {
  beforeCreate?(
    row: Row,
    context: HookContext<Code, keyof Row & string>,
  ): MaybeAsync<Partial<Row> | undefined>
  afterCreate?(row: Row, context: HookContext<Code, keyof Row & string>): MaybeAsync<undefined>
  beforeUpdate?(
    next: Row,
    before: Row,
    context: HookContext<Code, keyof Row & string>,
  ): MaybeAsync<Partial<Row> | undefined>
  afterUpdate?(row: Row, before: Row, context: HookContext<Code, keyof Row & string>): MaybeAsync<undefined>
  beforeDelete?(row: Row, context: HookContext<Code, keyof Row & string>): MaybeAsync<undefined>
  afterDelete?(row: Row, context: HookContext<Code, keyof Row & string>): MaybeAsync<undefined>
}

// biome-ignore lint/suspicious/noConfusingVoidType: a hook that returns nothing is declared without a return
type MaybeAsync<T> = T | void | Promise<T | void>
