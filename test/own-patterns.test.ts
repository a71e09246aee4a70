import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { type Literal, type Node, parse } from 'acorn'
import { isSafePattern } from 'redos-detector'
import { expect, test } from 'vitest'
import { emailLocalTooLong, emailPattern, idempotencyKeyPattern } from '../src/kinds/text-patterns.ts'

const source = new URL('../src', import.meta.url).pathname

/** What reads or judges requests. Regular expressions of other folders see declarations and files alone. */
const folders = [
  'events',
  'guard',
  'kinds',
  'lifecycle',
  'read',
  'request',
  'respond',
  'serve',
  'webhooks',
  'write',
]

/** What the library takes for slow, and why it is not. Files of `kinds/` that read patterns see those of declarations. */
const judgedByHand: { readonly [pattern: string]: string } = {
  '0+$': 'the decimals of a number are six at most',
  '\\.?0+$': 'a stored decimal is short',
  '\\.\\d{3}0*[1-9]': 'the text is a time, of nine digits at most after the point',
  '(W\\/)?"([^"]*)"': 'a quote is searched up to the next one, where the search goes on',
  '(?:W\\/)?("[^"]*")': 'a quote is searched up to the next one, where the search goes on',
  '\\s*(?:"(?:[^"\\\\\\x00-\\x1f]|\\\\["\\\\/bfnrtu])*"|-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null|[{}[\\],:])':
    'it is sticky: a token is read where the one before ends, and each begins with another character',
  '^https?:\\/\\/[^/?#]*(.*)$': 'a target has no line break, so that the rest always matches',
  ',\\s*chunked$': 'from a comma, white space is read up to the next comma',
  ' such as ".*"$': 'the text is a refusal of our own, which quotes a short value',
  [emailPattern]: 'an address of more than 254 characters is refused before',
}
const seesDeclarationsOnly = 'kinds/re2-source.ts'

interface Found {
  readonly file: string
  readonly pattern: string
  readonly flags: string
}

const literalsIn = (file: string): readonly Found[] => {
  const found: Found[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { regex } = node as Literal
    if (regex) found.push({ file, ...regex })
    for (const inner of Object.values(node)) visit(inner)
  }
  const text = stripTypeScriptTypes(readFileSync(join(source, file), 'utf8'))
  visit(parse(text, { ecmaVersion: 'latest', sourceType: 'module' }) as Node)
  return found
}

const files = globSync(`{${folders.join(',')}}/**/*.ts`, { cwd: source }).sort()

test('no regular expression that reads requests can take more than linear time', () => {
  const all = [
    ...files.flatMap(literalsIn),
    ...[emailPattern, emailLocalTooLong, idempotencyKeyPattern].map((pattern) => ({
      file: 'kinds/text-patterns.ts',
      pattern,
      flags: '',
    })),
  ]
  expect(all.length).toBeGreaterThan(40)
  const slow = all.filter(({ file, pattern, flags }) => {
    if (file === seesDeclarationsOnly) return false
    const options = { unicode: /[uv]/.test(flags), caseInsensitive: flags.includes('i') }
    return !isSafePattern(pattern, { ...options, maxSteps: 20_000 }).safe
  })
  expect(slow.filter(({ pattern }) => !(pattern in judgedByHand))).toEqual([])
  // A reason that is needed no more is taken out.
  expect(Object.keys(judgedByHand).filter((one) => !slow.some(({ pattern }) => pattern === one))).toEqual([])
})
