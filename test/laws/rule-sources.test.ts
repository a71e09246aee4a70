import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { Mistakes } from '../../src/compile/mistakes.ts'
import { type ApiDeclaration, api } from '../../src/declare/api.ts'
import { allOf, anyOf, type ConditionData, not } from '../../src/declare/condition.ts'
import { resource } from '../../src/declare/resource.ts'

// A rule says what it reads like: the source of a rule, made at random, either becomes the condition that it says, or is refused.

/** An expression of a rule, and the condition that it says; null where JavaScript's operators make something else of it. */
interface Expression {
  readonly source: string
  readonly says: ConditionData | null
}

const field = (name: string) => ({ kind: 'field', path: [], field: name }) as const
const constant = (value: unknown) => ({ kind: 'constant', value }) as const

const leaf: fc.Arbitrary<Expression> = fc.constantFrom<Expression>(
  { source: "caller.has('staff')", says: { kind: 'has', scope: 'staff' } },
  {
    source: "row.name.is('a')",
    says: { kind: 'compare', operator: 'is', left: field('name'), right: constant('a') },
  },
  {
    source: 'row.count.gte(3)',
    says: { kind: 'compare', operator: 'gte', left: field('count'), right: constant(3) },
  },
  {
    source: "row.name.in(['a', caller.subject])",
    says: { kind: 'in', operand: field('name'), among: [constant('a'), { kind: 'subject' }] },
  },
  {
    source: "caller.claim('names').includes(row.name)",
    says: { kind: 'includes', list: { kind: 'claim', name: 'names' }, element: field('name') },
  },
  { source: 'row.count.isNull()', says: { kind: 'is-null', operand: field('count') } },
)

const joined = (kind: 'all-of' | 'any-of', of: readonly Expression[]): Expression => {
  const parts = of.flatMap(({ says }) => says ?? [])
  const name = kind === 'all-of' ? 'allOf' : 'anyOf'
  return {
    source: `${name}(${of.map(({ source }) => source).join(', ')})`,
    says: parts.length === of.length ? { kind, of: parts } : null,
  }
}

const turned = ({ source, says }: Expression): Expression => ({
  source: `not(${source})`,
  says: says && { kind: 'not', of: says },
})

const signs = ['&&', '||', '??', '===', '!==', '==', '<', '>=', ','] as const

/** What JavaScript does with two conditions, and none of it is what it reads like. */
const inJavaScript = fc.oneof(
  fc.constantFrom(...signs).map((sign) => (a: string, b: string) => `(${a} ${sign} ${b})`),
  fc.constantFrom<(a: string, b: string) => string>(
    (a) => `!${a}`,
    (a, b) => `(row.count ? ${a} : ${b})`,
    (a, b) => `(${a} ? ${b} : ${a})`,
    (a, b) => `[${a}, ${b}].find(Boolean)`,
    (a, b) => `(() => { ${a}; return ${b} })()`,
    (a, b) => `(() => { if (row.count) return ${a}; return ${b} })()`,
  ),
)

/** An expression with the joins of rules, and where `wrong` says so with JavaScript's own. */
const expression = (wrong: boolean): fc.Arbitrary<Expression> =>
  fc.letrec<{ any: Expression }>((tie) => {
    const several = fc.array(tie('any'), { minLength: 1, maxLength: 3 })
    const own = fc
      .tuple(inJavaScript, tie('any'), tie('any'))
      .map(([join, a, b]): Expression => ({ source: join(a.source, b.source), says: null }))
    return {
      any: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        leaf,
        fc
          .tuple(fc.constantFrom('all-of' as const, 'any-of' as const), several)
          .map(([kind, of]) => joined(kind, of)),
        tie('any').map(turned),
        ...(wrong ? [own] : []),
      ),
    }
  }).any

const form = fc.constantFrom<(source: string) => string>(
  (source) => `({ row, caller }) => ${source}`,
  (source) => `({ row, caller }) => { const whole = ${source}; return whole }`,
  (source) => `function ({ row, caller }) { return ${source} }`,
  (source) => `({ read({ row, caller }) { return ${source} } }).read`,
)

const declared = (source: string): ApiDeclaration => {
  const read = new Function('allOf', 'anyOf', 'not', `return ${source}`)(allOf, anyOf, not)
  const books = resource('books', {
    fields: { name: z.string(), count: z.int().optional() },
    rules: { read },
  })
  return api('library', { resources: [books], scopes: { staff: 'Work here.' } })
}

/** The condition of the rule; null where the rule is refused, and every mistake is one of the rule. */
const compiled = (source: string): unknown => {
  try {
    return compileApi(declared(source)).resources.get('books')?.rules.read?.condition
  } catch (error) {
    if (!(error instanceof Mistakes)) throw error
    expect(error.list.map(({ where }) => where)).toEqual(error.list.map(() => 'books.rules.read'))
    return null
  }
}

test('a rule of allOf, anyOf and not is the condition that it says', () => {
  fc.assert(
    fc.property(form, expression(false), (write, { source, says }) => {
      expect(compiled(write(source))).toEqual(says)
    }),
  )
})

test('a rule with an operator of JavaScript, or with a condition that it drops, is refused', () => {
  fc.assert(
    fc.property(form, expression(true), (write, { source, says }) => {
      expect(compiled(write(source))).toEqual(says)
    }),
    { numRuns: 300 },
  )
})
