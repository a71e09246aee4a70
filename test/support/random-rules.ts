import fc from 'fast-check'
import {
  allOf,
  anyOf,
  type ConditionData,
  not,
  type Operand,
  type RuleData,
} from '../../src/declare/condition.ts'
import type { CallerTerms } from '../../src/declare/rule.ts'
import { now } from '../../src/declare/rule.ts'
import type { RuleKindOfValue } from './rule-model.ts'

/** Few values of each kind, so that rows and claims often meet. */
export const domain: { readonly [K in RuleKindOfValue]: readonly [unknown, ...unknown[]] } = {
  integer: [-1, 0, 1, 2],
  number: [-1.5, 0, 0.5, 1],
  string: ['a', 'B', '', 'é', '𝄞'],
  boolean: [true, false],
  date: ['1999-12-31', '2026-01-01', '2026-02-28'],
  datetime: ['2026-01-01T00:00:00.000Z', '2026-06-01T12:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  decimal: ['-1.5', '0.0', '2.5', '10.0'],
  enum: ['red', 'green', 'blue'],
  id: ['019b8000-0000-7000-8000-000000000001', 'no id at all'],
}

const isOrdered = (kind: RuleKindOfValue): boolean => !['boolean', 'enum', 'id'].includes(kind)

const kindNames = Object.keys(domain) as RuleKindOfValue[]

/** Claims of a kind mostly have values of that kind; `deep.inner` and those of other kinds are of any. */
const claimFor = (kind: RuleKindOfValue): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<string>(kind, `deep.${kind}`) },
    { weight: 1, arbitrary: fc.constantFrom<string>(...kindNames, 'deep', 'absent') },
  )
const listFor = (kind: RuleKindOfValue): fc.Arbitrary<string> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(`${kind}s`) }, { weight: 1, arbitrary: claimFor(kind) })

export const ruleScopes = ['things:all', 'things:some'] as const

/** A field within reach of a rule, and what its values are. */
export interface Reach {
  readonly path: readonly string[]
  readonly field: string
  readonly kind: RuleKindOfValue
}

const constant = (value: unknown): Operand => ({ kind: 'constant', value })
const fieldOf = ({ path, field }: Reach): Operand => ({ kind: 'field', path, field })

/** What a field can be compared with. */
const otherSide = (reach: Reach, all: readonly Reach[]): fc.Arbitrary<Operand> => {
  const claims = claimFor(reach.kind).map((name): Operand => ({ kind: 'claim', name }))
  const alike = all.filter(({ kind }) => kind === reach.kind).map(fieldOf)
  return fc.oneof(
    { weight: 3, arbitrary: claims },
    { weight: 2, arbitrary: fc.constantFrom(...domain[reach.kind]).map(constant) },
    { weight: 1, arbitrary: fc.constantFrom(...alike) },
    ...(reach.kind === 'datetime' ? [{ weight: 2, arbitrary: fc.constant<Operand>({ kind: 'now' }) }] : []),
    ...(reach.kind === 'string' || reach.kind === 'id'
      ? [{ weight: 1, arbitrary: fc.constantFrom<Operand>({ kind: 'subject' }, { kind: 'consumer' }) }]
      : []),
  )
}

const leaf = (reach: Reach, all: readonly Reach[]): fc.Arbitrary<ConditionData> => {
  const operand = fieldOf(reach)
  const other = otherSide(reach, all)
  const operators = isOrdered(reach.kind)
    ? (['is', 'is-not', 'lt', 'lte', 'gt', 'gte'] as const)
    : (['is', 'is-not'] as const)
  const compared = fc
    .tuple(fc.constantFrom(...operators), other)
    .map(([operator, right]): ConditionData => ({ kind: 'compare', operator, left: operand, right }))
  const turned = fc.tuple(fc.constantFrom(...operators), claimFor(reach.kind)).map(
    ([operator, name]): ConditionData => ({
      kind: 'compare',
      operator,
      left: { kind: 'claim', name },
      right: operand,
    }),
  )
  const among = fc
    .array(other, { minLength: 1, maxLength: 3 })
    .map((others): ConditionData => ({ kind: 'in', operand, among: others }))
  const nullness = fc.constantFrom<ConditionData>(
    { kind: 'is-null', operand },
    { kind: 'is-not-null', operand },
  )
  const listed = listFor(reach.kind).map(
    (name): ConditionData => ({ kind: 'includes', list: { kind: 'claim', name }, element: operand }),
  )
  return fc.oneof({ weight: 4, arbitrary: compared }, turned, among, nullness, listed)
}

/** Rules over the fields within reach: every operator, nested; some that hold for every row, or for none. */
export const randomRule = (reach: readonly Reach[]): fc.Arbitrary<RuleData> =>
  fc.oneof(
    { weight: 15, arbitrary: randomCondition(reach) },
    { weight: 1, arbitrary: fc.constantFrom<RuleData>({ kind: 'always' }, { kind: 'never' }) },
  )

const randomCondition = (reach: readonly Reach[]): fc.Arbitrary<ConditionData> => {
  const leaves = fc.constantFrom(...reach).chain((one) => leaf(one, reach))
  const has = fc.constantFrom(...ruleScopes).map((scope): ConditionData => ({ kind: 'has', scope }))
  const { rule } = fc.letrec<{ rule: ConditionData }>((tie) => {
    const several = fc.array(tie('rule'), { minLength: 1, maxLength: 3 })
    return {
      rule: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        { weight: 6, arbitrary: leaves },
        { weight: 1, arbitrary: has },
        { weight: 2, arbitrary: several.map((of): ConditionData => ({ kind: 'all-of', of })) },
        { weight: 3, arbitrary: several.map((of): ConditionData => ({ kind: 'any-of', of })) },
        { weight: 2, arbitrary: tie('rule').map((of): ConditionData => ({ kind: 'not', of })) },
      ),
    }
  })
  return rule
}

/** Values that fit few kinds or none. */
const oddValue = fc.constantFrom<unknown>(
  null,
  {},
  { a: 1 },
  ['a'],
  'a\0b',
  2 ** 60,
  1e300,
  'x'.repeat(3000),
  '1',
  'true',
  '2026-13-45',
)
const claimValue = (kind: RuleKindOfValue): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...domain[kind]) },
    { weight: 1, arbitrary: fc.constantFrom(...Object.values(domain).flat()) },
    { weight: 1, arbitrary: oddValue },
  )
const claimList = (kind: RuleKindOfValue): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.array(claimValue(kind), { maxLength: 4 }) },
    { weight: 1, arbitrary: oddValue },
    { weight: 1, arbitrary: fc.constant(Array.from({ length: 10_000 }, (_, n) => n)) },
  )
const claimsOfKinds = (suffix: string, of: (kind: RuleKindOfValue) => fc.Arbitrary<unknown>) =>
  Object.fromEntries(
    kindNames.map((kind) => [`${kind}${suffix}`, fc.option(of(kind), { freq: 6, nil: undefined })]),
  )

/** As JSON leaves it. */
const present = (claims: object): { readonly [name: string]: unknown } =>
  Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))

/** Claims of every type, some of them absent. */
export const randomClaims: fc.Arbitrary<{ readonly [name: string]: unknown }> = fc
  .record({
    ...claimsOfKinds('', claimValue),
    ...claimsOfKinds('s', claimList),
    deep: fc.oneof(
      { weight: 5, arbitrary: fc.record(claimsOfKinds('', claimValue)).map(present) },
      { weight: 1, arbitrary: oddValue },
    ),
  })
  .map(present)

/** What a rule's function is given, without the types of a declaration. */
type LooseTerm = { readonly [name: string]: LooseTerm } & ((...args: readonly unknown[]) => ConditionData)

const words = { is: 'is', 'is-not': 'isNot', lt: 'lt', lte: 'lte', gt: 'gt', gte: 'gte' } as const

/** What a rule's function is given. */
interface Given {
  readonly row: unknown
  readonly caller: CallerTerms
}

/** The rule as a declaration writes it: a function over `row` and `caller`. */
export const declaredRule =
  (rule: RuleData) =>
  (given: Given): ConditionData | boolean =>
    resultOf(rule, given)

const resultOf = (rule: RuleData, given: Given): ConditionData | boolean => {
  if (rule.kind === 'always') return true
  return rule.kind === 'never' ? false : built(rule, given)
}

const termOf = (operand: Operand, { row, caller }: Given): unknown => {
  switch (operand.kind) {
    case 'field':
      return [...operand.path, operand.field].reduce(
        (at, name) => (at as { readonly [name: string]: unknown })[name],
        row,
      )
    case 'claim':
      return caller.claim(operand.name)
    case 'now':
      return now()
    case 'constant':
      return operand.value
    default:
      return caller[operand.kind]
  }
}

const built = (part: ConditionData, given: Given): ConditionData => {
  const all = (of: readonly ConditionData[]) => of.map((one) => built(one, given)) as [ConditionData]
  const other = (operand: Operand) => termOf(operand, given)
  const call = (operand: Operand, method: string, ...others: readonly unknown[]): ConditionData =>
    ((other(operand) as LooseTerm)[method] as LooseTerm)(...others)
  switch (part.kind) {
    case 'all-of':
      return allOf(...all(part.of))
    case 'any-of':
      return anyOf(...all(part.of))
    case 'not':
      return not(built(part.of, given))
    case 'has':
      return given.caller.has(part.scope)
    case 'compare':
      return call(part.left, words[part.operator], other(part.right))
    case 'in':
      return call(part.operand, 'in', part.among.map(other))
    case 'is-null':
      return call(part.operand, 'isNull')
    case 'is-not-null':
      return call(part.operand, 'isNotNull')
    case 'includes':
      return call(part.list, 'includes', other(part.element))
  }
}
