/** Why a pattern cannot be written for RE2, as the end of a sentence that begins with "it has". */
export class NotForRe2 extends Error {}

/**
 * A pattern of JSON Schema, which is JavaScript's with the `u` flag, in the syntax of RE2: it matches the same texts. Every literal is
 * written by its number, so that nothing has a meaning that it has in RE2 alone. Throws `NotForRe2` for lookarounds and
 * backreferences, which no engine matches in linear time. The pattern is valid, and texts have no lone surrogates.
 */
export const re2Source = (pattern: string): string => {
  const tokens = pattern.matchAll(token)
  return [...tokens].map(({ 0: text }) => inRe2(text)).join('')
}

/** A group's opening, a class, an escape, a quantifier in braces, or one character. */
const token =
  /\((?:\?(?:<?[=!]|<[^>]*>|[^)]*?:))?|\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u.{4}|x..|c.|[pP]\{[^}]*\}|k<[^>]*>|[\s\S])|\{[\d,]+\}|[\s\S]/gu

const inRe2 = (text: string): string => {
  if (text.startsWith('(')) return opening(text)
  if (text.startsWith('[')) return characterClass(text)
  if (text.startsWith('\\')) return escaped(text)
  if (text === '.') return `[^${lineEnds}]`
  if (text === '^') return '\\A'
  if (text === '$') return '\\z'
  return /^(?:[)|*+?]|\{)/.test(text) ? text : literal(text)
}

const opening = (text: string): string => {
  if (/^\(\?<?[=!]/.test(text)) throw new NotForRe2('a lookahead or lookbehind')
  if (text === '(' || text === '(?:' || text.startsWith('(?<')) return '(?:'
  throw new NotForRe2('flags of a group')
}

const literal = (character: string): string => numbered(character.codePointAt(0) ?? 0)
const numbered = (code: number): string => `\\x{${code.toString(16)}}`

const lineEnds = '\\n\\r\\x{2028}\\x{2029}'
/** White space of JavaScript; that of RE2 is ASCII alone. */
const spaces =
  '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
/** What both read alike, within a class and without. */
const shared = /^\\[dDwW]$/

const escaped = (text: string): string => {
  if (shared.test(text) || text === '\\b' || text === '\\B') return text
  if (text === '\\s') return `[${spaces}]`
  if (text === '\\S') return `[^${spaces}]`
  if (/^\\(?:[1-9]|k<)/.test(text)) throw new NotForRe2('a backreference')
  return /^\\[pP]/.test(text) ? spelledOut(text) : numbered(codeOf(text))
}

const controls: { readonly [letter: string]: number } = { 0: 0, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

/** The code point that an escape of one character stands for; in a class `\b` is a backspace. */
const codeOf = (text: string): number => {
  const letter = text[1] ?? ''
  if (/^\\[ux]/.test(text)) {
    const [high = 0, low] = [...text.matchAll(/[0-9a-fA-F]+/g)].map(([digits]) => Number.parseInt(digits, 16))
    return low === undefined ? high : (high - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000
  }
  if (letter === 'c') return (text.codePointAt(2) ?? 0) % 32
  return controls[letter] ?? text.codePointAt(1) ?? 0
}

const member = /\\(?:u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u.{4}|x..|c.|[\s\S])|[\s\S]/gu

const characterClass = (text: string): string => {
  // RE2 has tables of its own, perhaps of another version of Unicode.
  if (/\\[pPS]/.test(text)) return spelledOut(text)
  const [, not = '', inner = ''] = /^\[(\^?)([\s\S]*)\]$/.exec(text) ?? []
  if (inner === '') return not === '' ? `[^${everything}]` : `[${everything}]`
  const members = [...inner.matchAll(member)].map(({ 0: one }, at, all) => {
    const isBetween = one === '-' && at > 0 && at < all.length - 1
    if (isBetween || shared.test(one)) return one
    return one === '\\s' ? spaces : numbered(one.startsWith('\\') ? codeOf(one) : (one.codePointAt(0) ?? 0))
  })
  return `[${not}${members.join('')}]`
}

const everything = '\\x{0}-\\x{10ffff}'

/** The characters that JavaScript itself finds, as ranges. */
const spelledOut = (text: string): string => {
  const ranges: string[] = []
  for (const { 0: run } of allCharacters().matchAll(new RegExp(`${text}+`, 'gu'))) {
    const last = run.codePointAt(run.length - 2) ?? 0
    const end = last > 0xffff ? last : (run.codePointAt(run.length - 1) ?? 0)
    ranges.push(`${numbered(run.codePointAt(0) ?? 0)}-${numbered(end)}`)
  }
  return ranges.length === 0 ? `[^${everything}]` : `[${ranges.join('')}]`
}

const [surrogates, astral, codePoints] = [0xd800, 0x10000, 0x110000]

/** Every code point but surrogates, in order. */
const allCharacters = (): string => {
  const units = new Uint16Array(surrogates + (astral - 0xe000) + 2 * (codePoints - astral))
  let at = 0
  for (let code = 0; code < surrogates; code++) units[at++] = code
  for (let code = 0xe000; code < astral; code++) units[at++] = code
  for (let code = 0; code < codePoints - astral; code++) {
    units[at++] = surrogates + (code >> 10)
    units[at++] = 0xdc00 + (code & 0x3ff)
  }
  return new TextDecoder('utf-16le').decode(units)
}
