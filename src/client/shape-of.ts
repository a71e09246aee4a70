import type { TypedApi } from '../declare/api.ts'
import type { CreatedRow, FilterOf, PatchedRow, ReplacedRow, ShownRow } from '../declare/consumer.ts'
import type { BelongsTo, HasMany } from '../declare/relation.ts'
import type { KnownOptions, ResourceDeclaration } from '../declare/resource.ts'
import type { TotalsDeclaration } from '../declare/totals-declaration.ts'
import type { webhookResources } from '../declare/webhook-resources.ts'
import type { Choice, Ordered } from './api-shape.ts'
import type { AuditedEndpoints, AuditShapes, EventsShape, OnlyRead } from './engine-shapes.ts'

/** The shape of the newest version of a declaration, for `client<typeof shop>(…)`. */
export type ShapeOf<Api> =
  Api extends TypedApi<infer Resource, infer Version, infer Events, infer Audit>
    ? Declared<Nouns<Resource>, Version, Events, Audit>
    : never

interface Declared<N, Version extends string, Events, Audit> {
  readonly version: Version
  readonly resources: ShapesOf<N> &
    (Events extends true
      ? { readonly events: EventsShape<EventName<N>> } & ShapesOf<WebhookNouns>
      : unknown) &
    AuditShapes<AuditedName<N, Audit> | (Events extends true ? AuditedEndpoints<Audit> : never)>
  readonly events: Events extends true ? EventName<N> : never
  readonly problems:
    | OptionsOf<N[keyof N]>['problems']
    | (Events extends true ? OptionsOf<WebhookNouns[keyof WebhookNouns]>['problems'] : never)
}

/** The resources by name. */
type Nouns<Resource> = {
  readonly [D in Resource as D extends { readonly name: infer N extends string } ? N : never]: D
}
type WebhookNouns = Nouns<(typeof webhookResources)[number]>
type OptionsOf<D> = D extends { readonly known?: infer X } ? NonNullable<X> & KnownOptions : never

/** What totals count; `never` for other resources, and where only a running program knows. */
type TotalsOf<D> = OptionsOf<D>['totals'] extends infer T extends TotalsDeclaration
  ? string extends T['of']
    ? never
    : T
  : never

/** The functions of a noun that is answered by code; `never` for others, and where only a running program knows. */
type AnswersOf<X extends KnownOptions> = string extends X['answers'] ? never : X['answers']

/** The resources whose rows are stored, and that are offered. */
type StoredName<N> = {
  [K in keyof N & string]: [OptionsOf<N[K]>['methods']] extends [never]
    ? never
    : [TotalsOf<N[K]> | AnswersOf<OptionsOf<N[K]>>] extends [never]
      ? K
      : never
}[keyof N & string]

type EventName<N> = {
  [K in StoredName<N>]: OptionsOf<N[K]> extends { readonly shared: false; readonly events: true } ? K : never
}[StoredName<N>]

/** The resources whose changes are audit entries. */
type AuditedName<N, Audit> = {
  [K in StoredName<N>]: IsAudited<OptionsOf<N[K]>['audit'], Audit> extends true ? K : never
}[StoredName<N>]
type IsAudited<Own extends boolean, Audit> = boolean extends Own ? Audit : Own

type ShapesOf<N> = {
  readonly [K in keyof N & string]: N[K] extends ResourceDeclaration<
    infer F,
    infer R,
    infer Name,
    infer _,
    infer I,
    infer __,
    infer X
  >
    ? [TotalsOf<N[K]>] extends [never]
      ? DeclaredShape<F, R, Name, I, X, N>
      : TotalsShape<TotalsOf<N[K]>, N>
    : never
}

type TotalsShape<T extends TotalsDeclaration, N> =
  Target<T['of'], N> extends infer D extends {
    readonly fields: unknown
    readonly relations?: unknown
    readonly known?: unknown
  }
    ? CountedShape<
        D['fields'],
        NonNullable<D['relations']>,
        OptionsOf<D>['filter'],
        T['by'][number],
        SumIn<T>,
        N
      >
    : never
type SumIn<T extends TotalsDeclaration> = NonNullable<T['sums']>[number]

interface CountedShape<F, R, Filter extends string, By extends string, Sum extends string, N>
  extends OnlyRead {
  readonly row: Flat<
    GroupOf<ShownRow<F, R>, By> & { count: number } & SumsOf<Pick<ShownRow<F, R>, Sum & keyof ShownRow<F, R>>>
  >
  readonly filter: { readonly [K in Filter]?: Condition<FilterAt<F, R, K, N>> | undefined }
  readonly either: [Filter] extends [never] ? false : true
  readonly sort: By | 'count'
  readonly by: By
  readonly top: true
}
type GroupOf<Row, By extends string> = { [K in By & keyof Row]: Exclude<Row[K], undefined> }
type SumsOf<Row> = { [K in keyof Row]: NonNullable<Row[K]> }

interface DeclaredShape<F, R, Name extends string, I extends string, X extends KnownOptions, N> {
  readonly row: Flat<[AnswersOf<X>] extends [never] ? ShownRow<F, R> : WithoutTimes<ShownRow<F, R>, F>>
  readonly create: IfOffered<X, 'POST', CreatedRow<F, R>>
  readonly replace: IfOffered<X, 'PUT', ReplacedRow<F, R, X['owner']>>
  readonly patch: IfOffered<X, 'PATCH', PatchedRow<F, R, X['owner']>>
  readonly filter: { readonly [K in X['filter']]?: Condition<FilterAt<F, R, K, N>> | undefined }
  readonly either: [X['filter']] extends [never] ? false : true
  readonly sort: X['sort']
  readonly by: never
  readonly search: [X['search']] extends [never] ? false : true
  readonly count: X['count']
  readonly bulk: X['bulk']
  readonly include: I
  readonly relations: { readonly [K in keyof R & string]: RelationOf<R[K], Name, N> }
  readonly methods: MethodsOf<X>
  readonly top: IsTop<R, X, N>
}

/** Code shows the times that it declares. */
type WithoutTimes<Row, F> = Omit<Row, Exclude<'created_at' | 'updated_at', keyof F>>

type MethodsOf<X extends KnownOptions> = [AnswersOf<X>] extends [never]
  ? X['methods']
  : MethodsByAnswer<X['methods']>[AnswersOf<X> & keyof MethodsByAnswer<never>]
interface MethodsByAnswer<Method> {
  readonly create: 'POST' extends Method ? 'POST' : never
  readonly get: 'GET' extends Method ? 'one' : never
  readonly list: 'GET' extends Method ? 'list' : never
}

type IfOffered<X extends KnownOptions, Method extends string, Body> =
  Method extends MethodsOf<X> ? Flat<Body> : Record<never, never>

/** One object type in place of several, as editors and errors show it. */
type Flat<T> = { [K in keyof T]: T[K] } & {}

type Condition<Of> = Of extends { readonly value: infer V; readonly ordered: infer IsOrdered }
  ? IsOrdered extends true
    ? Ordered<V>
    : Choice<V>
  : never

/** A path leads by to-one relations to a field. What it is compared with may be null where a relation on the way may be. */
type FilterAt<F, R, K, N> = K extends `${infer Step}.${infer Rest}`
  ? Step extends keyof R
    ? R[Step] extends BelongsTo<unknown, infer To>
      ? Target<To, N> extends { readonly fields: infer G; readonly relations?: infer S }
        ? OrUnset<R[Step], FilterAt<G, S, Rest, N>>
        : never
      : never
    : never
  : FilterOf<F, R, K>
type OrUnset<Relation, Of> = Relation extends { readonly optional: true }
  ? Of extends { readonly value: infer V; readonly ordered: infer IsOrdered }
    ? { readonly value: V | null; readonly ordered: IsOrdered }
    : never
  : Of

type RelationOf<Relation, Name extends string, N> =
  Relation extends BelongsTo<unknown, infer To>
    ? {
        readonly kind: IsAlways<Relation, Name, To, N> extends true ? 'one' : 'one or null'
        readonly to: To
        readonly by: never
      }
    : Relation extends HasMany<unknown, infer To, infer By, infer Through>
      ? string extends Through
        ? {
            readonly kind: 'many'
            readonly to: To
            readonly by: `${LeadingBack<By, Name, Target<To, N>>}_id`
          }
        : { readonly kind: 'many through'; readonly to: To; readonly by: never }
      : never
type Target<To, N> = To extends keyof N ? N[To] : never

/** A row that a rule hides from the caller is shown as `null`. */
type IsAlways<Relation, Name extends string, To extends string, N> = Relation extends {
  readonly optional: true
}
  ? false
  : 'read' extends OptionsOf<Target<To, N>>['rules']
    ? false
    : // A reference to a row that code answers for is not checked, nor is one of such a row.
      [AnswersOf<OptionsOf<Target<To, N>>> | AnswersOf<OptionsOf<Target<Name, N>>>] extends [never]
      ? true
      : false

/** The belongs-to of the target that leads back. It is named where there are several. */
type LeadingBack<By extends string, Name extends string, D> = string extends By
  ? D extends { readonly relations?: infer R }
    ? {
        [K in keyof R]: R[K] extends { readonly kind: 'belongs-to'; readonly target: Name } ? K : never
      }[keyof R] &
        string
    : never
  : By

/** As paths are made: a sub-resource has a collection of its own where something is below it, or where its owner is a sub-resource. */
type IsTop<R, X extends KnownOptions, N> = [X['methods']] extends [never]
  ? false
  : [X['owner']] extends [never]
    ? true
    : true extends { [K in keyof R]: R[K] extends HasMany ? true : never }[keyof R]
      ? true
      : [OptionsOf<OwnerOf<R, X['owner'], N>>['owner']] extends [never]
        ? false
        : true
type OwnerOf<R, Owner, N> = Owner extends keyof R
  ? R[Owner] extends { readonly target: infer To }
    ? Target<To, N>
    : never
  : never
