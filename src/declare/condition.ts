/** A rule as data: what its function returned, frozen; `true` is always, `false` is never. */
export type RuleData = ConditionData | { readonly kind: 'always' } | { readonly kind: 'never' }

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

/** What a rule makes while it runs: conditions, and what they compare. */
export type RulePart = ConditionData | Operand

/** What is known of the rule that is running. */
interface Recording {
  readonly parts: Set<RulePart>
  /** Conditions, terms and rows that the rule was given, in order. */
  readonly given: unknown[]
  /** Which of them is null in this run; null where all are there. */
  readonly absent: number | null
  /** Whether an absent value was passed on to a condition. */
  passedOn: boolean
}

let recording: Recording | null = null

/** Freezes a part. Where a rule is running, it is one that the rule has made. */
export function note<P extends RulePart>(part: P): P {
  Object.freeze(part)
  recording?.parts.add(part)
  return part
}

/** Gives a value to the running rule, or null where it shall be absent. */
export function giveToRule<T>(value: T): T {
  if (!recording) return value
  recording.given.push(value)
  return recording.given.length - 1 === recording.absent ? (null as never) : value
}

/** A new part of a condition, for the running rule. */
export const givePart = <P extends RulePart>(part: P): P => giveToRule(note(part))

/** Is told of every value that a condition is made of. */
export function passOn(...values: readonly unknown[]): void {
  if (recording && values.some((value) => value === null || value === undefined)) recording.passedOn = true
}

/** One run of a rule. */
export interface RuleRun<T> {
  readonly result: T
  readonly parts: ReadonlySet<RulePart>
  readonly given: readonly unknown[]
  /** Whether an absent value was passed on to a condition. */
  readonly passedOn: boolean
}

/** Runs a rule, and lists the parts that it makes. One value that it is given may be absent. */
export function recordMade<T>(run: () => T, absent: number | null = null): RuleRun<T> {
  const record: Recording = { parts: new Set(), given: [], absent, passedOn: false }
  recording = record
  try {
    return { result: run(), ...record }
  } finally {
    recording = null
  }
}

/** A condition of one value says nothing of a second one. `map(caller.has)` passes an index and the list too. */
export function refuseMore(call: string, more: readonly unknown[], instead: string): void {
  if (more.length > 0 && !(more.length === 2 && Array.isArray(more[1])))
    throw new TypeError(`${call} takes one value: ${instead}`)
}

type All<S extends string> = readonly [Condition<S>, ...Condition<S>[]]

/** Every one of the conditions holds. */
export const allOf = <S extends string = never>(...of: All<S>): Condition<S> => {
  passOn(...of)
  return givePart({ kind: 'all-of', of: Object.freeze(of) })
}

/** At least one of the conditions holds. */
export const anyOf = <S extends string = never>(...of: All<S>): Condition<S> => {
  passOn(...of)
  return givePart({ kind: 'any-of', of: Object.freeze(of) })
}

/** The condition does not hold. A comparison with a claim that is absent holds neither plainly nor under `not`. */
export const not = <S extends string = never>(of: Condition<S>, ...more: readonly never[]): Condition<S> => {
  refuseMore('not(…)', more, 'write not(anyOf(…, …)) or not(allOf(…, …))')
  passOn(of)
  return givePart({ kind: 'not', of })
}
