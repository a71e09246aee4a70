import type { GroupOf, List, Page, RowOf, RowWith, Total } from './answered-rows.ts'
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
interface Paging {
  /** How many rows or groups a page has. */
  readonly limit?: number | undefined
  /** `page.next_cursor` of the page before. */
  readonly cursor?: string | undefined
}
export interface ListOptions<Filter, Field extends string, Include, Count = never, Search = never>
  extends GetOptions<Include>,
    Paging {
  readonly filter?: Filter | undefined
  readonly sort?: readonly Sort<Field>[] | undefined
  /** Words of which each is the beginning of a word in the searched fields of a row. */
  readonly search?: Search | undefined
  /** Whether `page.total` tells how many rows the filters find. */
  readonly count?: Count | undefined
}
/** A field, or `-field` for the opposite order. */
export type Sort<Field extends string> = Field | 'id' | `-${Field | 'id'}`

/** Awaited: one page. In `for await`: every row of every page. */
export interface Listing<Row, P = Page> extends Promise<List<Row, P>>, AsyncIterable<Row> {}

/** A row that the client got, or its id. A row that it got alone is only changed if nobody else has changed it since. */
export type RowOrId = string | { readonly id: string }

/** The paths of relations that can be included. A conditional type, so that errors list them. */
type Path<S, N extends string> = Of<S, N, 'include'> extends infer All extends string ? All : never

/** Conditions that must all hold, and besides, of `or`, one alternative: all conditions of one of these objects. */
type Filters<S, N extends string> = [Of<S, N, 'either'>] extends [true]
  ? Of<S, N, 'filter'> & { readonly or?: readonly Of<S, N, 'filter'>[] | undefined }
  : Of<S, N, 'filter'>

interface TotalsOptions<Filter, Field extends string, By> extends CallOptions, Paging {
  /** The fields that make the groups; all rows are one group, unless said. */
  readonly by?: By | undefined
  readonly filter?: Filter | undefined
  readonly sort?: readonly (Field | `-${Field}`)[] | undefined
}
interface Totals<S, N extends string> {
  /** One page of groups when awaited; all groups in `for await`. */
  list<const B extends readonly (Of<S, N, 'by'> & string)[] = []>(
    options?: TotalsOptions<Filters<S, N>, Of<S, N, 'sort'> & string, B>,
  ): Listing<GroupOf<S, N, B>>
}

/** What a list is searched for, where it can be. */
type Searched<S, N extends string> = [Of<S, N, 'search'>] extends [true] ? string : never

/** Every call there is. A collection has those of the methods that its resource offers. `By` is the reference to the owner in the path. */
interface AllCalls<S, N extends string, By extends string> {
  /** One page of rows when awaited; all rows in `for await`. */
  list<const I extends readonly Path<S, N>[] = [], const C extends Of<S, N, 'count'> = never>(
    options?: ListOptions<Filters<S, N>, Of<S, N, 'sort'> & string, I, C, Searched<S, N>>,
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
  /** Creates a row, once, however often the call is tried. */
  create(body: Body<Of<S, N, 'create'>, By>, options?: CreateOptions): Promise<RowOf<S, N>>
  /** Creates all of these rows or none, once, however often the call is tried. They come back in the same order. */
  createMany(bodies: readonly Body<Of<S, N, 'create'>, By>[], options?: CreateOptions): Promise<RowOf<S, N>[]>
  /** Changes what the patch has, and leaves all else. */
  update(row: RowOrId, patch: Of<S, N, 'patch'>, options?: CallOptions): Promise<RowOf<S, N>>
  /** Replaces the whole row: an optional field that is left out returns to its default. */
  replace(row: RowOrId, body: Body<Of<S, N, 'replace'>, By>, options?: CallOptions): Promise<RowOf<S, N>>
  delete(row: RowOrId, options?: CallOptions): Promise<void>
  /** The collections below a row: `api.orders.at(id).items.list()`. */
  at(row: RowOrId): Below<keyof ManyOf<S, N> & string, S, N>
}
type CallsOf<One> = One extends keyof CallsByMethod ? CallsByMethod[One] : never
type Offered<S, N extends string> = Of<S, N, 'methods'> | ([Of<S, N, 'bulk'>] extends [true] ? 'bulk' : never)
interface CallsByMethod {
  readonly GET: 'list' | 'get' | 'find'
  /** GET of the collection, or of a row, alone. */
  readonly list: 'list'
  readonly one: 'get' | 'find'
  readonly POST: 'create'
  readonly bulk: 'createMany'
  readonly PATCH: 'update'
  readonly PUT: 'replace'
  readonly DELETE: 'delete'
}

/** The page of a list that was asked to count, or may have been. */
type Counted<C> = [C] extends [never] ? Page : false extends C ? Page & Partial<Total> : Page & Total

/** Below an owner, the reference to it comes from the path. */
type Body<B, By extends string> = [By & keyof B] extends [never]
  ? B
  : Flat<Omit<B, By> & { readonly [K in By & keyof B]?: B[K] }>

/** One object type in place of several, as editors and errors show it. */
type Flat<T> = { [K in keyof T]: T[K] } & {}

// Errors show a type by its name and its arguments, as far as there is space. So the names that would have been right come first.

type Collection<Name extends keyof AllCalls<S, N, By>, S, N extends string, By extends string> = {
  [Call in Name]: AllCalls<S, N, By>[Call]
}
type Below<Name extends string, S, N extends string> = {
  readonly [Member in Name]: ManyOf<S, N>[Member & keyof ManyOf<S, N>] extends {
    readonly kind: infer Kind
    readonly to: infer To extends string
    readonly by: infer By extends string
  }
    ? Collection<CallsOf<Kind extends 'many through' ? Offered<S, To> & 'GET' : Offered<S, To>>, S, To, By>
    : never
}
type Members<Name extends string, S> = {
  readonly [Member in Name]: Member extends 'events'
    ? Events<S>
    : TopOf<S>[Member & keyof TopOf<S>] extends infer N extends string
      ? [Of<S, N, 'by'>] extends [never]
        ? Collection<
            CallsOf<Offered<S, N>> | ([keyof ManyOf<S, N>] extends [never] ? never : 'at'),
            S,
            N,
            never
          >
        : Totals<S, N>
      : never
}

/** The relations with collections below a row, in camel case. */
type ManyOf<S, N extends string> = ManyAmong<S, Of<S, N, 'relations'>>
type ManyAmong<S, Relations> = {
  readonly [K in keyof Relations & string as Relations[K] extends {
    readonly kind: 'many' | 'many through'
    readonly to: infer To extends string
  }
    ? [Of<S, To, 'methods'>] extends [never]
      ? never
      : Camel<K>
    : never]: Relations[K]
}

/** The names of the resources with a collection of their own, by those in camel case. */
type TopOf<S> = S extends { readonly resources: infer All }
  ? {
      readonly [N in keyof All & string as All[N] extends { readonly top: true } ? Camel<N> : never]: N
    }
  : never

/** `order-items` → `orderItems`; a hyphen before a digit becomes an underscore. */
export type Camel<Name extends string> = Name extends `${infer Word}-${infer Rest}`
  ? `${Word}${Rest extends `${Digit}${string}` ? '_' : ''}${Capitalize<Camel<Rest>>}`
  : Name extends `${infer Word}_${infer Rest}`
    ? Camel<`${Word}-${Rest}`>
    : Name
type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'

/** The client of an API: a collection for each resource, in camel case. */
export type ClientOf<S> = S extends unknown ? Members<(keyof TopOf<S> & string) | EventsMember<S>, S> : never
type EventsMember<S> = S extends { readonly events: infer Name }
  ? [Name] extends [never]
    ? never
    : 'events'
  : never

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
