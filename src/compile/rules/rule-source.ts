import {
  type BinaryExpression,
  type Identifier,
  type MemberExpression,
  type NewExpression,
  type Node,
  parse,
} from 'acorn'
import type { Note } from '../mistakes.ts'

/**
 * Whether the source of a rule says what the rule means. JavaScript's own operators see conditions and terms as objects, which are
 * always true and never equal: `a || b` does not even make `b`. So they do not stand in a rule; what they would say of other values is
 * decided outside of it. Every place is noted.
 */
export function isSoundSource(write: (of: object) => unknown, note: Note): boolean {
  const source = parsedFunction(Function.prototype.toString.call(write))
  if (!source) {
    note(
      'its source cannot be read, so that nobody can tell what it says. Bound and built-in functions have none.',
      'Write a function of its own: ({ row, caller }) => ….',
    )
    return false
  }
  const found = [...refused(source.root)]
  for (const { node, word, instead } of found)
    note(
      `\`${excerpt(source.text, node)}\` ${word === clock ? word : `has JavaScript's ${word}, for which a condition is an object, always true and equal to no other`}.`,
      `${instead} What depends on neither row nor caller is decided outside of the rule.`,
    )
  return found.length === 0
}

/** A function is an expression, or a method, whose source only stands in an object. Null for source that is neither. */
function parsedFunction(source: string): { readonly text: string; readonly root: Node } | null {
  for (const text of [`(${source})`, `({${source}})`]) {
    try {
      return { text, root: parse(text, { ecmaVersion: 'latest', sourceType: 'module' }) }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
  }
  return null
}

interface Refused {
  readonly node: Node
  /** What it is called. */
  readonly word: string
  readonly instead: string
}

/** What does not stand in a rule, without what is within another that does not. */
function* refused(node: Node): Iterable<Refused> {
  const [word, instead] = refusedAs(node) ?? []
  if (word !== undefined && instead !== undefined) yield { node, word, instead }
  else for (const child of Object.values(node).flat()) if (isNode(child)) yield* refused(child)
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const clock = 'is the time at which the API is compiled, not that of a request'
const comparisons = 'Compare with is(…), isNot(…), in([…]), lt(…), lte(…), gt(…) or gte(…).'
const branches = 'Write anyOf(allOf(when, then), allOf(not(when), otherwise)).'
const loops = 'Make the conditions with map, and join them: anyOf(...names.map((name) => …)).'

/** By the sign, without the `=` of an assignment. */
const joins: { readonly [sign: string]: string } = {
  '&&': 'Write allOf(…, …).',
  '||': 'Write anyOf(…, …).',
  '??': 'Write anyOf(…, …).',
  '!': 'Write not(…).',
}
const compares: ReadonlySet<string> = new Set<BinaryExpression['operator']>([
  '==',
  '!=',
  '===',
  '!==',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  'instanceof',
])
const statements: { readonly [type: string]: readonly [word: string, instead: string] } = {
  ConditionalExpression: ['?:', branches],
  IfStatement: ['if', branches],
  SwitchStatement: ['switch', branches],
  ForStatement: ['for', loops],
  WhileStatement: ['while', loops],
  DoWhileStatement: ['while', loops],
}

/** How a node is called that does not stand in a rule, and what to write instead. */
function refusedAs(node: Node): readonly [word: string, instead: string] | null {
  const sign = 'operator' in node ? String(node.operator) : ''
  const join = joins[/^(&&|\|\||\?\?)=$/.test(sign) ? sign.slice(0, -1) : sign]
  // Programs that shorten source write `!0` for true.
  if (join !== undefined) return sign === '!' && isLiteral(node) ? null : [sign, join]
  if (readsClock(node)) return [clock, 'Write now().']
  if (node.type === 'BinaryExpression' && compares.has(sign)) return [sign, comparisons]
  return statements[node.type] ?? null
}

const isLiteral = (node: Node): boolean =>
  'argument' in node && isNode(node.argument) && node.argument.type === 'Literal'

/** `new Date()`, `Date()` and `Date.now()`. */
const readsClock = (node: Node): boolean => {
  const { type, callee, arguments: given } = node as Partial<NewExpression>
  if (!callee || (type !== 'NewExpression' && String(type) !== 'CallExpression') || given?.length)
    return false
  const { object, property } = callee as Partial<MemberExpression>
  const name = (of: unknown) => (isNode(of) && of.type === 'Identifier' ? (of as Identifier).name : '')
  return name(callee) === 'Date' || (name(object) === 'Date' && name(property) === 'now')
}

const longestExcerpt = 80

const excerpt = (text: string, { start, end }: Node): string => {
  const line = text.slice(start, end).replace(/\s+/g, ' ')
  return line.length > longestExcerpt ? `${line.slice(0, longestExcerpt)}…` : line
}
