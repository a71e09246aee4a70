/** A piece of TypeScript source. Comments and white space are left out. */
export interface Token {
  readonly kind: 'word' | 'text' | 'other'
  /** The content of a string literal, or the characters of any other token. */
  readonly value: string
  /** Its offset in the source. */
  readonly at: number
}

const skipped = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y
const word = /[\p{L}_$][\p{L}\p{N}_$]*/uy
const number = /\d[\w.]*/y
const text = /'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\[\s\S]|[^`\\])*)`/y
const pattern = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/\w*/y

/** The tokens of a source, which may be unfinished. Nothing is refused: a character that fits nowhere is a token of its own. */
export function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  const match = (form: RegExp): RegExpExecArray | null => {
    form.lastIndex = at
    return form.exec(source)
  }
  while (at < source.length) {
    const space = match(skipped)
    if (space) {
      at += space[0].length
      continue
    }
    const literal = match(text)
    const found =
      literal ?? match(word) ?? match(number) ?? (maybePattern(tokens.at(-1)) ? match(pattern) : null)
    const length = found?.[0].length ?? 1
    const value = literal ? (literal[1] ?? literal[2] ?? literal[3] ?? '') : source.slice(at, at + length)
    const kind = literal ? 'text' : found && /^[\p{L}_$]/u.test(value) ? 'word' : 'other'
    tokens.push({ kind, value, at })
    at += length
  }
  return tokens
}

/** After a value a slash divides; elsewhere it begins a regular expression. */
const maybePattern = (before: Token | undefined): boolean =>
  before === undefined || (before.kind === 'other' && !/^[)\]}\d]/.test(before.value))

const closing: { readonly [open: string]: string } = { '(': ')', '[': ']', '{': '}' }

/** The index of the bracket that closes the one at `open`; the last token where none does. */
export function closingOf(tokens: readonly Token[], open: number): number {
  const expected: string[] = []
  for (let index = open; index < tokens.length; index++) {
    const { kind, value } = tokens[index] as Token
    if (kind !== 'other') continue
    const close = closing[value]
    if (close) expected.push(close)
    else if (value === expected.at(-1)) expected.pop()
    if (expected.length === 0) return index
  }
  return tokens.length - 1
}
