import type { Comparison, RuleData } from '../../declare/condition.ts'
import type { JsonSchema } from '../../declare/json-schema.ts'
import type { RuleKind } from '../../declare/rule.ts'
import type { FieldKind } from '../../kinds/kinds.ts'
import type { CountedSum } from '../counted-sum.ts'
import type { ValueMap } from '../value-map.ts'

/** A rule of a resource, checked. */
export interface Rule {
  readonly kind: RuleKind
  /** As it was declared, for contracts and documents. `own` is the engine's rule for rows with an owner. */
  readonly condition: RuleData | { readonly kind: 'own' }
  /**
   * In negation normal form: there is no `not`, every leaf has its own opposite instead. So a leaf that compares with NULL, which is not
   * true, makes nothing true.
   */
  readonly root: RuleNode
  /** The scopes that it asks for: their answers decide its statement. */
  readonly scopes: readonly string[]
  /** All else that it reads of a caller, each once: values that its statement binds. */
  readonly callerValues: readonly CallerValue[]
}

/** The rules that a resource declares; null where it declares none. */
export type Rules = { readonly [K in RuleKind]: Rule | null }

export type RuleNode =
  | Joined
  | { readonly kind: 'has'; readonly scope: string; readonly negated: boolean }
  | RuleLeaf

interface Joined {
  readonly kind: 'all-of' | 'any-of'
  readonly of: readonly RuleNode[]
}

/** A condition that becomes SQL. */
export type RuleLeaf =
  | {
      readonly kind: 'compare'
      readonly operator: Comparison
      readonly left: FieldPath | CallerValue
      readonly right: RuleOperand
    }
  | {
      readonly kind: 'in'
      readonly field: FieldPath
      readonly values: readonly Constant[]
      readonly negated: boolean
    }
  | { readonly kind: 'null'; readonly field: FieldPath; readonly negated: boolean }
  | {
      readonly kind: 'includes'
      readonly list: CallerValue
      readonly element: RuleOperand
      readonly negated: boolean
    }

export type RuleOperand = FieldPath | CallerValue | Constant

/** A field of the row, or of the row that its to-one relations lead to. */
export interface FieldPath {
  readonly kind: 'field'
  readonly path: readonly PathStep[]
  readonly field: {
    readonly name: string
    readonly column: string
    readonly stored: ValueMap | null
    readonly whenNone: unknown
    readonly mayLack: boolean
    readonly counted: CountedSum | null
    readonly kind: FieldKind
    readonly schema: JsonSchema
  }
}

/** A to-one relation, as far as rules need it. */
export interface PathStep {
  readonly name: string
  /** The field with the id of the related row. */
  readonly field: string
  readonly source: { readonly field: ReadonlyMap<string, { readonly column: string }> }
  readonly target: { readonly name: string; readonly table: string; readonly shared: boolean }
}

/** A value in the form in which the kind is stored. */
export interface Constant {
  readonly kind: 'constant'
  readonly value: unknown
  readonly as: FieldKind
}

/**
 * Something about the caller as a value of a kind, or as a list of such values; null where it is absent or does not fit. There is one
 * object for all uses of the same value in an API, so that statements bind it once.
 */
export interface CallerValue {
  readonly kind: 'caller-value'
  /** `program` is true for a caller without a subject, and absent for others. */
  readonly source: 'claim' | 'subject' | 'consumer' | 'program' | 'now'
  /** Of the claim. */
  readonly name: string
  readonly as: FieldKind
  readonly isList: boolean
}

/** What a rule joins by all-of and any-of. */
export const leavesOf = (node: RuleNode): readonly Exclude<RuleNode, Joined>[] =>
  'of' in node ? node.of.flatMap(leavesOf) : [node]

/** All that the comparisons of a rule are made of. */
export const operandsOf = (root: RuleNode): readonly RuleOperand[] =>
  leavesOf(root).flatMap((leaf) => {
    if (leaf.kind === 'has') return []
    if (leaf.kind === 'compare') return [leaf.left, leaf.right]
    return leaf.kind === 'includes' ? [leaf.list, leaf.element] : [leaf.field]
  })

/** The rule that takes the place of one that is not declared. */
const ruleInstead: { readonly [K in RuleKind]: RuleKind | null } = {
  read: null,
  create: 'read',
  update: 'read',
  delete: 'update',
}

/** The rule that decides about a kind of call: its own, or the one in its place. */
export const effective = <T>(
  rules: { readonly [K in RuleKind]?: T | null | undefined },
  kind: RuleKind,
): T | null => {
  for (let at: RuleKind | null = kind; at !== null; at = ruleInstead[at]) {
    const rule = rules[at]
    if (rule !== undefined && rule !== null) return rule
  }
  return null
}

export const noRules: Rules = Object.freeze({ read: null, create: null, update: null, delete: null })
