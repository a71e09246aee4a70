import type { List, Page, RowOf, RowWith, Total } from './answered-rows.ts'
import type { Of } from './api-shape.ts'

export interface ClientOptions<Version extends string = string> {
  /** Where the API is: `https://api.example.com`, with a path where it is mounted below one. */
  readonly url: string
  /** An API key. */
  readonly key?: string | undefined
  /** Gives an access token. It is asked for each request, and once more after a 401. */
  readonly token?: (() => string | Promise<string>) | undefined
  /** The version to call. Without it, the client asks the service once, and calls the newest. */
  readonly version?: Version | undefined
  /** In place of the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** How often a call is tried again; 5 unless said. */
  readonly retries?: number | undefined
  /** How many milliseconds a call may take, all tries together; 60,000 unless said. */
  readonly deadline?: number | undefined
  /** Is told, once per process, that the version is deprecated. A line on stderr or in the console, unless said. */
  readonly onDeprecated?: ((notice: Deprecation) => void) | undefined
}

export interface Deprecation {
  readonly version: string
  /** When it ends, as `2026-12-31`; `null` where no day is set. */
  readonly sunset: string | null
  /** The URL of the migration guide. */
  readonly guide: string | null
}

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}
export interface CreateOptions extends CallOptions {
  /** A key of your own, so that a later call with it, even by another process, creates nothing twice. One is made unless said. */
  readonly idempotencyKey?: string | undefined
}
export interface GetOptions<Include> extends CallOptions {
  readonly include?: Include | undefined
}
export interface ListOptions<Filter, Field extends string, Include, Count = never>
  extends GetOptions<Include> {
  readonly filter?: Filter | undefined
  readonly sort?: readonly Sort<Field>[] | undefined
  /** Whether `page.total` tells how many rows the filters find. */
  readonly count?: Count | undefined
  /** How many rows a page has. */
  readonly limit?: number | undefined
  /** `page.next_cursor` of the page before. */
  readonly cursor?: string | undefined
}
/** A field, or `-field` for the opposite order. */
export type Sort<Field extends string> = Field | 'id' | `-${Field | 'id'}`

/** Awaited: one page. In `for await`: every row of every page. */
export interface Listing<Row, P = Page> extends Promise<List<Row, P>>, AsyncIterable<Row> {}

/** A row that the client got, or its id. A row that it got alone is only changed if nobody else has changed it since. */
export type RowOrId = string | { readonly id: string }

/** The paths of relations that can be included. */
type Path<S, N extends string> = Of<S, N, 'include'> & string

/** Conditions that must all hold, and besides, of `or`, one alternative: all conditions of one of these objects. */
type Filters<S, N extends string> = [Of<S, N, 'either'>] extends [true]
  ? Of<S, N, 'filter'> & { readonly or?: readonly Of<S, N, 'filter'>[] | undefined }
  : Of<S, N, 'filter'>

interface Reading<S, N extends string> {
  /** One page of rows when awaited; all rows in `for await`. */
  list<const I extends readonly Path<S, N>[] = [], const C extends Of<S, N, 'count'> = never>(
    options?: ListOptions<Filters<S, N>, Of<S, N, 'sort'> & string, I, C>,
  ): Listing<RowWith<S, N, I>, Counted<C>>
  /** The row. That there is none is a problem, which is thrown. */
  get<const I extends readonly Path<S, N>[] = []>(
    id: string,
    options?: GetOptions<I>,
  ): Promise<RowWith<S, N, I>>
  /** The row, or `null` where there is none. */
  find<const I extends readonly Path<S, N>[] = []>(
    id: string,
    options?: GetOptions<I>,
  ): Promise<RowWith<S, N, I> | null>
}
/** The page of a list that was asked to count, or may have been. */
type Counted<C> = [C] extends [never] ? Page : false extends C ? Page & Partial<Total> : Page & Total

interface Creating<S, N extends string, By extends string> {
  /** Creates a row, once, however often the call is tried. */
  create(body: Body<Of<S, N, 'create'>, By>, options?: CreateOptions): Promise<RowOf<S, N>>
}
interface CreatingMany<S, N extends string, By extends string> {
  /** Creates all of these rows or none, once, however often the call is tried. They come back in the same order. */
  createMany(bodies: readonly Body<Of<S, N, 'create'>, By>[], options?: CreateOptions): Promise<RowOf<S, N>[]>
}
interface Updating<S, N extends string> {
  /** Changes what the patch has, and leaves all else. */
  update(row: RowOrId, patch: Of<S, N, 'patch'>, options?: CallOptions): Promise<RowOf<S, N>>
}
interface Replacing<S, N extends string, By extends string> {
  /** Replaces the whole row: an optional field that is left out returns to its default. */
  replace(row: RowOrId, body: Body<Of<S, N, 'replace'>, By>, options?: CallOptions): Promise<RowOf<S, N>>
}
interface Deleting {
  delete(row: RowOrId, options?: CallOptions): Promise<void>
}

/** Below an owner, the reference to it comes from the path. */
type Body<B, By extends string> = [By & keyof B] extends [never]
  ? B
  : Flat<Omit<B, By> & { readonly [K in By & keyof B]?: B[K] }>

/** One object type in place of several, as editors and errors show it. */
type Flat<T> = { [K in keyof T]: T[K] } & {}

type Has<Methods, M extends string, Calls> = M extends Methods ? Calls : unknown

/** The calls of a collection: those of the methods that its resource offers. `By` is the reference to the owner in the path. */
type Calls<S, N extends string, By extends string> = Has<Of<S, N, 'methods'>, 'GET', Reading<S, N>> &
  Has<Of<S, N, 'methods'>, 'POST', Creating<S, N, By>> &
  ([Of<S, N, 'bulk'>] extends [true] ? CreatingMany<S, N, By> : unknown) &
  Has<Of<S, N, 'methods'>, 'PATCH', Updating<S, N>> &
  Has<Of<S, N, 'methods'>, 'PUT', Replacing<S, N, By>> &
  Has<Of<S, N, 'methods'>, 'DELETE', Deleting>

/** The relations with collections below a row. */
type ManyOf<S, Relations> = {
  [K in keyof Relations & string]: Relations[K] extends {
    readonly kind: 'many' | 'many through'
    readonly to: infer To extends string
  }
    ? [Of<S, To, 'methods'>] extends [never]
      ? never
      : K
    : never
}[keyof Relations & string]

type Below<S, Relations> = {
  readonly [K in ManyOf<S, Relations> as Camel<K>]: Relations[K] extends {
    readonly kind: infer Kind
    readonly to: infer To extends string
    readonly by: infer By extends string
  }
    ? Kind extends 'many through'
      ? Has<Of<S, To, 'methods'>, 'GET', Flat<Reading<S, To>>>
      : Flat<Calls<S, To, By>>
    : never
}

interface Owning<S, N extends string> {
  /** The collections below a row: `api.orders.at(id).items.list()`. */
  at(row: RowOrId): Below<S, Of<S, N, 'relations'>>
}
type Collection<S, N extends string> = Flat<
  Calls<S, N, never> & ([ManyOf<S, Of<S, N, 'relations'>>] extends [never] ? unknown : Owning<S, N>)
>

/** `order-items` → `orderItems`; a hyphen before a digit becomes an underscore. */
export type Camel<Name extends string> = Name extends `${infer Word}-${infer Rest}`
  ? `${Word}${Rest extends `${Digit}${string}` ? '_' : ''}${Capitalize<Camel<Rest>>}`
  : Name extends `${infer Word}_${infer Rest}`
    ? Camel<`${Word}-${Rest}`>
    : Name
type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'

/** The client of an API: a collection for each resource, in camel case. */
export type ClientOf<S> = Flat<Collections<S> & EventsOf<S>>

type Collections<S> = S extends { readonly resources: infer All }
  ? {
      readonly [N in keyof All & string as All[N] extends { readonly top: true }
        ? Camel<N>
        : never]: Collection<S, N>
    }
  : never
type EventsOf<S> = S extends { readonly events: infer Name }
  ? [Name] extends [never]
    ? unknown
    : { readonly events: Events<S> }
  : unknown

interface Events<S> {
  /** One page of events when awaited, oldest first; all in `for await`. */
  list(options?: ListOptions<Of<S, 'events', 'filter'>, never, readonly never[]>): Listing<EventOf<S>>
  get(id: string, options?: CallOptions): Promise<EventOf<S>>
  find(id: string, options?: CallOptions): Promise<EventOf<S> | null>
  /**
   * What happens from now on, or after a cursor, for ever: after a lost connection the client goes on where it was. Abort its signal to
   * end it.
   */
  follow(options?: FollowOptions<Of<S, 'events', 'filter'>>): AsyncIterable<FollowedEvent<S>>
}

export interface FollowOptions<Filter> extends CallOptions {
  /** The `cursor` of the last event that was handled, with the same filter. From now on, unless said. */
  readonly from?: string | undefined
  readonly filter?: Filter | undefined
  /**
   * After how many milliseconds without a sign of life a connection is taken for lost; 40,000 unless said. The service sends one every
   * 15 seconds.
   */
  readonly silence?: number | undefined
}

/** What happened to a row. */
export type EventOf<S> = S extends { readonly events: infer Name } ? EventOn<S, Name> : never
type EventOn<S, Name> = Name extends string
  ?
      | Happened<`${Name}.created` | `${Name}.deleted`, null, RowOf<S, Name>>
      | Happened<`${Name}.updated`, string[], RowOf<S, Name>>
  : never
interface Happened<Type extends string, Changed, Data> {
  readonly id: string
  readonly type: Type
  readonly resource_id: string
  /** The fields whose values changed, for an update. */
  readonly changed: Changed
  readonly created_at: string
  /** The row right after the change; for a delete, right before. */
  readonly data: Data
}
/** An event with the place to go on from. */
export type FollowedEvent<S> = EventOf<S> & { readonly cursor: string }
