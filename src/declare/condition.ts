/** A rule as data: what its function returned, frozen. */
export type ConditionData =
  | { readonly kind: 'all-of' | 'any-of'; readonly of: readonly ConditionData[] }
  | { readonly kind: 'not'; readonly of: ConditionData }
  | { readonly kind: 'has'; readonly scope: string }
  | {
      readonly kind: 'compare'
      readonly operator: Comparison
      readonly left: Operand
      readonly right: Operand
    }
  | { readonly kind: 'in'; readonly operand: Operand; readonly among: readonly Operand[] }
  | { readonly kind: 'is-null' | 'is-not-null'; readonly operand: Operand }
  | { readonly kind: 'includes'; readonly list: Operand; readonly element: Operand }

export type Comparison = 'is' | 'is-not' | 'lt' | 'lte' | 'gt' | 'gte'

/** What a rule compares. A path has the names of to-one relations, from the row on. */
export type Operand =
  | { readonly kind: 'field'; readonly path: readonly string[]; readonly field: string }
  | { readonly kind: 'claim'; readonly name: string }
  | { readonly kind: 'subject' }
  | { readonly kind: 'consumer' }
  | { readonly kind: 'now' }
  | { readonly kind: 'constant'; readonly value: unknown }

/** A condition whose rule asks for the scopes `S`. */
export type Condition<S extends string = string> = ConditionData & {
  /** Never set: it carries the scopes to the types of `api(…)`, which know the declared ones. */
  readonly scopeType?: S
}

type All<S extends string> = readonly [Condition<S>, ...Condition<S>[]]

/** Every one of the conditions holds. */
export const allOf = <S extends string = never>(...of: All<S>): Condition<S> =>
  Object.freeze({ kind: 'all-of', of: Object.freeze(of) })

/** At least one of the conditions holds. */
export const anyOf = <S extends string = never>(...of: All<S>): Condition<S> =>
  Object.freeze({ kind: 'any-of', of: Object.freeze(of) })

/** The condition does not hold. A comparison with a claim that is absent holds neither plainly nor under `not`. */
export const not = <S extends string = never>(of: Condition<S>): Condition<S> =>
  Object.freeze({ kind: 'not', of })
