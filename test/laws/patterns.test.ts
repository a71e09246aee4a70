import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { matches, patternFault } from '../../src/kinds/pattern.ts'

const runs = process.env.NOUNKIT_NIGHTLY ? 5_000 : 300

/** Characters that mean something to one of the engines, and white space that only JavaScript takes for such. */
const characters = [
  'a',
  'b',
  'Z',
  '0',
  '-',
  '_',
  ' ',
  '\t',
  '\n',
  '\u00a0',
  '\u2028',
  'é',
  '語',
  '😀',
  ':',
  ']',
  '[',
  '\\',
]
const literal = fc.constantFrom(
  'a',
  'b',
  'Z',
  '0',
  '-',
  ':',
  ' ',
  'é',
  '😀',
  '\\[',
  '\\]',
  '\\\\',
  '\\t',
  '\\u{1f600}',
  '\\u8a9e',
  '\\xe9',
  '\\cI',
  '\\0',
)
const set = fc.constantFrom('\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '.')
const named = fc.constantFrom('\\p{L}', '\\P{L}', '\\p{Script=Han}', '[\\p{Lu}\\d]', '[^\\S\\n]')
const member = fc.oneof(
  literal.map((one) => (one === '-' ? '\\-' : one)),
  fc.constantFrom('a-z', '0-9', '\\d', '\\s', '\\W', ':', '[', '\\b', '^', '&'),
)
const group = fc
  .tuple(fc.constantFrom('[', '[^'), fc.array(member, { maxLength: 4 }), fc.constantFrom('', '-'))
  .map(([open, members, last]) => `${open}${members.join('').replace(/^\^/, '\\^')}${last}]`)
const sign = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '+?')

const { pattern } = fc.letrec<{ pattern: string; step: string; atom: string }>((tie) => ({
  pattern: fc
    .tuple(
      fc.array(tie('step'), { minLength: 1, maxLength: 3 }),
      fc.option(tie('step'), { nil: '' }),
      fc.boolean(),
    )
    .map(([steps, other, isEither]) => (isEither ? `${steps.join('')}|${other}` : steps.join(''))),
  step: fc.oneof(
    { withCrossShrink: true },
    fc.tuple(tie('atom'), sign).map((both) => both.join('')),
    fc.constantFrom('^', '$', '\\b', '\\B'),
  ),
  atom: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    { weight: 5, arbitrary: literal },
    { weight: 3, arbitrary: set },
    { weight: 3, arbitrary: group },
    { weight: 1, arbitrary: named },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom('(', '(?:', '(?<x>'), tie('pattern'))
        .map(([open, inner]) => `${open === '(?<x>' ? '(' : open}${inner})`),
    },
  ),
}))

const isPattern = (source: string): boolean => {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}

test('a pattern matches the texts that JavaScript says it does, whichever engine runs it', () => {
  const texts = fc.array(
    fc.array(fc.constantFrom(...characters), { maxLength: 6 }).map((all) => all.join('')),
    { minLength: 8, maxLength: 8 },
  )
  fc.assert(
    fc.property(pattern.filter(isPattern), texts, fc.boolean(), (source, some, isWhole) => {
      const asked = isWhole ? `^(?:${source})$` : source
      expect(patternFault(asked)).toBe(null)
      // Searched from the beginning: V8 says that /[^a]$/u does not match an emoji.
      const form = new RegExp(`^[^]*?(?:${asked})`, 'u')
      const wanted = some.map((text) => [asked, text, form.test(text)])
      expect(some.map((text) => [asked, text, matches(asked, text)])).toEqual(wanted)
    }),
    { numRuns: runs },
  )
})

// Exponential or polynomial for an engine that tries again from where it has been. The texts would take it minutes, or years.
test.each([
  ['^(a+)+$', 'a', '!'],
  ['^(a|a)*$', 'a', '!'],
  ['^(?:a?){300}a{300}$', 'a', ''],
  ['^(\\w+\\s?)*$', 'a', '!'],
  ['(x+x+)+y', 'x', ''],
  ['\\d+$', '1', 'x'],
  ['.*foo$', 'x', ''],
  ['^[a-z]*[a-z0-9]*$', 'a', '!'],
  ['^[a-z]*[a-z]{1000}$', 'a', '!'],
  ['^[a-z]{2,}[a-z]{900}[a-z]{900}$', 'a', '!'],
  ['\\s+$', ' ', 'x'],
  ['^.+@.+\\..+$', '@.', '\n'],
])('%s ends on a text that is made for it', (source, repeated, last) => {
  expect(patternFault(source)).toBe(null)
  expect(matches(source, repeated.repeat(200_000) + last)).toBe(false)
})

test.each([
  ['(?=a)b', 'a lookahead or lookbehind'],
  ['(?!a)b', 'a lookahead or lookbehind'],
  ['(?<=a)b', 'a lookahead or lookbehind'],
  ['(?<!a)b', 'a lookahead or lookbehind'],
  ['(a)\\1', 'a backreference'],
  ['(?<n>a)\\k<n>', 'a backreference'],
  ['(?i:a)', 'flags of a group'],
  ['(?:a{100}){100}', 'a repetition of more than 1000, or one within another that together are more'],
])('%s is not taken: it has %s', (source, fault) => {
  expect(patternFault(source)).toBe(fault)
})

test('the formats of Zod that have a pattern of their own are taken, or told why not', () => {
  const { email, html5Email, unicodeEmail, e164, base64, ipv4, ipv6, cidrv4, hostname } = z.regexes
  const faults = Object.entries({
    email,
    html5Email,
    unicodeEmail,
    e164,
    base64,
    ipv4,
    ipv6,
    cidrv4,
    hostname,
  }).map(([name, { source }]) => [name, isPattern(source) && patternFault(source)])
  expect(Object.fromEntries(faults)).toEqual({
    email: null,
    html5Email: null,
    unicodeEmail: null,
    e164: null,
    base64: null,
    ipv4: null,
    ipv6: null,
    cidrv4: null,
    hostname: 'a lookahead or lookbehind',
  })
})
