import type { FieldValue, SumField } from './field.ts'
import type { TypeMistake } from './mistake.ts'
import type {
  ChoiceOf,
  Choices,
  FieldName,
  IsSummand,
  OwnFieldName,
  SummandName,
  SumName,
  TargetOf,
} from './names.ts'
import type { DeclaredResource, HasMany, RelationDeclarations } from './relation.ts'
import type { ResourceDeclaration } from './resource.ts'
import type { TotalsDeclaration } from './totals-declaration.ts'

// What a declaration names of other resources, checked where all of them are known: in `api(…)`. `Nouns` are the resources by name.

/**
 * What the name of an API must be: a text where all names in its declaration are known, else a `TypeMistake`, which it is not. A resource
 * would be long in the error; the name is short, so that the sentence comes first.
 */
export type Sound<T extends readonly DeclaredResource[], V extends readonly unknown[]> = [
  Mistake<T, V, NounsOf<T>>,
] extends [never]
  ? string
  : Mistake<T, V, NounsOf<T>>
type Mistake<T extends readonly unknown[], V extends readonly unknown[], Nouns> =
  | ResourceMistake<T[number], Nouns>
  | VersionMistake<Second<V>, Nouns>

type NounsOf<T extends readonly unknown[]> = {
  readonly [D in T[number] as D extends { readonly name: infer N extends string } ? N : never]: D
}

type ResourceMistake<D, Nouns> = string extends keyof Nouns
  ? never
  : // With all type arguments, even those that are not used, the compiler sees that it is the same type, and compares nothing.
    D extends ResourceDeclaration<infer F, infer R, infer N, infer _, infer I, infer W, infer X>
    ?
        | TotalsMistake<`${N}.totals`, X['totals'], Nouns>
        | TargetMistakes<N, R, Nouns>
        | PathMistake<`${N}.include`, R, Extract<I, `${string}.${string}`>, Nouns>
        | WhileMistake<`${N}.onlyWhile`, R, W, Nouns>
        | SumMistake<`${N}.fields`, F, R, Nouns>
    : never

type TotalsMistake<Where extends string, T, Nouns> = [T] extends [never]
  ? never
  : T extends TotalsDeclaration<infer Of, infer By, infer Sum>
    ? string extends Of
      ? never
      : Of extends keyof Nouns
        ?
            | GroupMistake<`${Where}.by`, By, OwnFieldName<FieldsOf<Nouns[Of]>, RelationsOf<Nouns[Of]>>>
            | AddedMistake<
                `${Where}.sums`,
                Sum,
                SummandName<FieldsOf<Nouns[Of]>> | SumName<FieldsOf<Nouns[Of]>>
              >
        : TypeMistake<`${Where}.of: there is no resource '${Of}'`, keyof Nouns & string>
    : never
type GroupMistake<Where extends string, By extends string, Known> =
  UnknownName<By, Known> extends infer Name extends string
    ? TypeMistake<`${Where}: there is no field '${Exclude<Name, Known>}'`, Known & string>
    : never
type AddedMistake<Where extends string, Sum extends string, Known> =
  UnknownName<Sum, Known> extends infer Name extends string
    ? TypeMistake<`${Where}: '${Exclude<Name, Known>}' is not a number there`, Known & string>
    : never

/** All at once first: hardly ever is there one. */
type TargetMistakes<N extends string, R extends RelationDeclarations, Nouns> = [
  R[keyof R]['target'] | JoinName<R[keyof R]>,
] extends [keyof Nouns]
  ? never
  : TargetMistake<N, R, Nouns>
type TargetMistake<N extends string, R, Nouns> = {
  [K in keyof R & string]:
    | NounMistake<`${N}.relations.${K}`, TargetName<R[K]>, Nouns>
    | NounMistake<`${N}.relations.${K}`, JoinName<R[K]>, Nouns>
}[keyof R & string]
type NounMistake<Where extends string, Name, Nouns> =
  UnknownName<Name, keyof Nouns> extends infer T extends string
    ? TypeMistake<`${Where}: there is no resource '${T}'`, keyof Nouns & string>
    : never
/** A name that is not among the known ones; `null` for those that are, and for names that only a running program knows. */
type UnknownName<Name, Known> = string extends Name ? null : [Name] extends [Known] ? null : Name

/** Only a name that the declaration has. */
type JoinName<Relation> =
  Relation extends HasMany<unknown, string, string, infer T> ? (string extends T ? never : T) : never
type TargetName<Relation> = Relation extends { readonly target: infer T extends string } ? T : never
/** The resource that a relation leads to; `never` where there is none, which another type reports. */
type TargetIn<Nouns, Relation> = Relation extends { readonly target: keyof Nouns }
  ? Nouns[Relation['target']]
  : never
/** What was declared with a resource itself has been checked there, and costs the editor nothing here. */
type IsByName<Relation> = unknown extends TargetOf<Relation> ? true : false
type RelationsOf<D> = D extends { readonly relations?: infer R } ? R : never
type FieldsOf<D> = D extends { readonly fields: infer F } ? F : never

/** Every step of a path must be a relation of the resource to which the steps before it lead. */
type PathMistake<Where extends string, R, Path, Nouns> = Path extends `${infer Step}.${infer Rest}`
  ? Step extends keyof R
    ? PathMistake<`${Where}.${Step}`, RelationsOf<TargetIn<Nouns, R[Step]>>, Rest, Nouns>
    : StepMistake<Where, R, Step>
  : Path extends keyof R
    ? never
    : StepMistake<Where, R, Path & string>
type StepMistake<Where extends string, R, Step extends string> = string extends Step
  ? never
  : [R] extends [never]
    ? never
    : TypeMistake<`${Where}: '${Step}' is not a relation there`, keyof R & string>

type WhileMistake<Where extends string, R, W, Nouns> = {
  [K in keyof W & string]: K extends keyof R
    ? IsByName<R[K]> extends true
      ? ChoicesMistake<`${Where}.${K}`, FieldsOf<TargetIn<Nouns, R[K]>>, W[K]>
      : never
    : TypeMistake<`${Where}: '${K}' is not a belongs-to relation`, keyof R & string>
}[keyof W & string]
/** No mistake where the relation has no target: another type reports that. */
type ChoicesMistake<Where extends string, F, Named> = [F] extends [never]
  ? never
  : ChoiceMistake<Where, F, Named>
type ChoiceMistake<Where extends string, F, Named> = {
  [K in keyof Named & string]: [ChoiceOf<F[K & keyof F]>] extends [never]
    ? TypeMistake<`${Where}: '${K}' is neither a state nor an enum there`, keyof Choices<F> & string>
    : ValueMistake<`${Where}.${K}`, Elements<Named[K]>, ChoiceOf<F[K & keyof F]>>
}[keyof Named & string]
type ValueMistake<Where extends string, Named extends string, Known extends string> = [Named] extends [Known]
  ? never
  : TypeMistake<`${Where}: '${Exclude<Named, Known>}' is not a value`, Known>
type Elements<List> = NonNullable<List> extends readonly (infer E extends string)[] ? E : never

type SumMistake<Where extends string, F, R, Nouns> = {
  [K in SumName<F>]: F[K] extends SumField<infer V, infer Relation, infer Of>
    ? SummandMistake<`${Where}.${K}`, V, Of, TargetIn<Nouns, R[Relation & keyof R]>>
    : never
}[SumName<F>]
type SummandMistake<Where extends string, V, Of extends string, Target> = [Target] extends [never]
  ? never
  : string extends Of
    ? never
    : Of extends keyof FieldsOf<Target>
      ? IsSummand<FieldsOf<Target>[Of]> extends true
        ? DecimalMistake<Where, V, FieldValue<FieldsOf<Target>[Of]>>
        : TypeMistake<`${Where}: '${Of}' is not a number there`, SummandName<FieldsOf<Target>>>
      : TypeMistake<`${Where}: '${Of}' is not a number there`, SummandName<FieldsOf<Target>>>

/** Without its type written, a sum counts as a number. Nothing is known of a field whose type is `z.ZodType`. */
type DecimalMistake<Where extends string, V, Summand> = string extends V
  ? never
  : unknown extends Summand
    ? never
    : string extends Summand
      ? TypeMistake<`${Where}: a sum of decimals is a string: write sum<string>(…)`>
      : never

/**
 * Changes name what the next newer version has. Of the newest version everything is known, so the changes of the second are checked here;
 * those of older versions when they are compiled. None where TypeScript does not know which version is the second.
 */
type Second<V extends readonly unknown[]> = number extends V['length'] ? never : V[1]
type VersionMistake<Version, Nouns> = string extends keyof Nouns
  ? never
  : Version extends { readonly changes: readonly (infer C)[] }
    ? ChangeMistake<C, Nouns>
    : never
type ChangeMistake<C, Nouns> = C extends {
  readonly names?: {
    readonly resource: infer Resource extends string
    readonly field: infer Field extends string
    readonly relation: infer Relation extends string
    readonly value: infer Value extends string
  }
}
  ? Resource extends keyof Nouns
    ?
        | FieldMistake<`changes: '${Resource}'`, Field, Nouns[Resource]>
        | RelationMistake<`changes: '${Resource}'`, Relation, RelationsOf<Nouns[Resource]>>
        | MappedMistake<`changes: ${Resource}.${Field}`, Value, Field, Choices<FieldsOf<Nouns[Resource]>>>
    : string extends Resource
      ? never
      : TypeMistake<`changes: there is no resource '${Resource}'`, keyof Nouns & string>
  : never
type FieldMistake<Where extends string, Field extends string, D> =
  UnknownName<Field, FieldName<FieldsOf<D>, RelationsOf<D>>> extends infer Name extends string
    ? TypeMistake<`${Where} has no field '${Name}'`, FieldName<FieldsOf<D>, RelationsOf<D>>>
    : never
type RelationMistake<Where extends string, Relation extends string, R> =
  UnknownName<Relation, keyof R> extends infer Name extends string
    ? TypeMistake<`${Where} has no relation '${Name}'`, keyof R & string>
    : never
type MappedMistake<Where extends string, Value extends string, Field, Known> = Field extends keyof Known
  ? ValueMistake<Where, Value, Elements<Known[Field]>>
  : never
