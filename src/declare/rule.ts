import {
  type Comparison,
  type Condition,
  givePart,
  giveToRule,
  note,
  type Operand,
  passOn,
  refuseMore,
} from './condition.ts'
import type { BelongsTo } from './relation.ts'
import type { RowOf } from './row.ts'

/** What a rule can write on either side of a comparison: a field of the row, something about the caller, the time. */
export interface Term<V> {
  readonly kind: 'term'
  readonly operand: Operand
  /** Never set: it lets values of one type be compared only with others of that type. */
  readonly valueType?: V
}

type Scalar = string | number | boolean
type Widened<V> = V extends string ? string : V extends number ? number : V extends boolean ? boolean : never
/** A constant or a term that a value of type `V` can be compared with. */
type Comparable<V> = NonNullable<V> | Term<Widened<NonNullable<V>>>

interface Comparing<V> extends Term<Widened<NonNullable<V>>> {
  is(other: Comparable<V>): Condition<never>
  isNot(other: Comparable<V>): Condition<never>
  in(others: readonly [Comparable<V>, ...Comparable<V>[]]): Condition<never>
  lt(other: Comparable<V>): Condition<never>
  lte(other: Comparable<V>): Condition<never>
  gt(other: Comparable<V>): Condition<never>
  gte(other: Comparable<V>): Condition<never>
}

interface Nullness {
  isNull(): Condition<never>
  isNotNull(): Condition<never>
}

/** A field of the row, or of a row that it belongs to. Lists and objects can only be asked for null. */
export type FieldTerm<V> = NonNullable<V> extends Scalar ? Comparing<V> & Nullness : Nullness

/** A claim has the type of what it is compared with: a value of another type makes the comparison untrue. */
export interface ClaimTerm extends Comparing<Scalar>, Omit<Term<never>, 'kind' | 'operand'> {
  readonly valueType?: never
  /** The claim is a list that has the value. */
  includes(element: Comparable<Scalar>): Condition<never>
}

/** Who calls. */
export interface CallerTerms {
  /** A claim of the token, or of the API key; dots lead into nested objects. */
  claim(name: string): ClaimTerm
  /** Whether the caller holds a scope. `*` holds every scope. */
  has<const S extends string>(scope: S): Condition<S>
  /** The claim `sub` of a token, or the subject of a key. */
  readonly subject: Comparing<string>
  /** The API key's or the token client's name. */
  readonly consumer: Comparing<string>
}

/** Relations of a path, counted down. */
type Fewer = [never, 0, 1]

/** The row that a rule judges: its fields, and the rows that it belongs to, up to two relations away. */
export type RowTerms<F, R, Depth extends number = 2> = {
  readonly [K in keyof RowOf<F, R>]: FieldTerm<RowOf<F, R>[K]>
} & (Depth extends 0
  ? unknown
  : {
      readonly [K in keyof R as R[K] extends BelongsTo ? K : never]: R[K] extends {
        readonly targetType?: infer T
      }
        ? PathTerms<T, Fewer[Depth & (1 | 2)]>
        : never
    })

type PathTerms<T, Depth extends number> = T extends {
  readonly fields: infer F
  readonly relations?: infer R
}
  ? RowTerms<F, R, Depth>
  : // A relation that names its target is checked when it is compiled.
    // biome-ignore lint/suspicious/noExplicitAny: the types of the target are not known here
    any

export const ruleKinds = ['read', 'create', 'update', 'delete'] as const
export type RuleKind = (typeof ruleKinds)[number]

interface RuleTerms<Row> {
  readonly row: Row
  readonly caller: CallerTerms
}

/**
 * A rule returns a condition, or `true` or `false` as it is written. A function that returns `boolean` is none of these types: it
 * compares in JavaScript, where terms are objects and never equal.
 */
type RuleFunction<Row, S extends string> =
  | ((of: RuleTerms<Row>) => Condition<S>)
  | ((of: RuleTerms<Row>) => true)
  | ((of: RuleTerms<Row>) => false)

/** Which rows callers may see and write. A rule runs once, when the declaration is compiled, and returns data. */
export type RuleDeclarations<Row, S extends string = string> = {
  readonly [K in RuleKind]?: RuleFunction<Row, S>
}

/** The time of the request. */
export const now = (): Comparing<string> => term({ kind: 'now' })

export const isTerm = (value: unknown): value is Term<unknown> =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'term'

const operandOf = (value: unknown): Operand =>
  isTerm(value) ? value.operand : Object.freeze({ kind: 'constant', value })

/** A term with all operators. Which of them make sense for it is checked when the rule is compiled. */
export const term = (operand: Operand): Comparing<string> & Nullness & ClaimTerm => {
  note(operand)
  const compare =
    (operator: Comparison) =>
    (other: unknown, ...more: readonly unknown[]) => {
      refuseMore(`${operator === 'is-not' ? 'isNot' : operator}(…)`, more, 'write in([…]) for several')
      passOn(other)
      return givePart({ kind: 'compare' as const, operator, left: operand, right: operandOf(other) })
    }
  const terms = Object.freeze({
    kind: 'term' as const,
    operand,
    is: compare('is'),
    isNot: compare('is-not'),
    lt: compare('lt'),
    lte: compare('lte'),
    gt: compare('gt'),
    gte: compare('gte'),
    in: (others: readonly unknown[], ...more: readonly unknown[]) => {
      refuseMore('in(…)', Array.isArray(others) ? more : [others], 'write in([…, …])')
      passOn(...others)
      return givePart({ kind: 'in' as const, operand, among: Object.freeze(others.map(operandOf)) })
    },
    isNull: () => givePart({ kind: 'is-null' as const, operand }),
    isNotNull: () => givePart({ kind: 'is-not-null' as const, operand }),
    includes: (element: unknown, ...more: readonly unknown[]) => {
      refuseMore('includes(…)', more, 'write anyOf(…, …) for several')
      passOn(element)
      return givePart({ kind: 'includes' as const, list: operand, element: operandOf(element) })
    },
  })
  return giveToRule(terms)
}

/** What rules are given as `caller`. */
export const callerTerms: CallerTerms = Object.freeze({
  claim: (name: string) => term({ kind: 'claim', name }),
  has: <const S extends string>(scope: S, ...more: readonly never[]): Condition<S> => {
    refuseMore('has(…)', more, 'write anyOf(caller.has(…), caller.has(…)), or allOf(…, …)')
    return givePart({ kind: 'has', scope })
  },
  get subject() {
    return term({ kind: 'subject' })
  },
  get consumer() {
    return term({ kind: 'consumer' })
  },
})
