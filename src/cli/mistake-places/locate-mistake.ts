import type { Mistake } from '../../compile/mistakes.ts'
import * as changes from '../../declare/change.ts'
import { closingOf, type Token, tokensOf } from './source-tokens.ts'

/** The place of a mistake in the project's files. */
export interface Place {
  readonly file: string
  /** The offset in the file's text. */
  readonly at: number
}

/** A stretch of a file's tokens, the last one included. */
interface Extent {
  readonly file: string
  readonly tokens: readonly Token[]
  readonly first: number
  readonly last: number
}

/** How many names are followed from one constant to the next. */
const hopsMost = 10

/**
 * Where a mistake was written. A mistake names a path through the declaration, such as `orders.fields.total`. The path is looked up in
 * the text of the project's files: the call that declares `orders`, in it the property `fields`, in that `total`. Constants are
 * followed by their names, into other files too. The place is that of the part that was found last.
 */
export function locateMistake(
  { where, what }: Pick<Mistake, 'where' | 'what'>,
  files: ReadonlyMap<string, string>,
  main: string,
): Place | null {
  const sources = new Sources(files)
  const path = where.split(' ', 1)[0]?.match(/\[\d+\]|[^.[\]]+/g) ?? []
  const start = sources.start(path, main)
  if (!start) return null
  let { extent } = start
  for (const name of path.slice(start.used)) {
    const inner = sources.descend(extent, name)
    if (!inner) break
    extent = inner
  }
  return sources.wordOf(what, extent) ?? placeOf(extent, extent.first)
}

const placeOf = ({ file, tokens }: Extent, index: number): Place => ({ file, at: tokens[index]?.at ?? 0 })

/** Calls whose first argument names a resource that is declared elsewhere. */
const mentions = new Set([...Object.keys(changes), 'belongsTo', 'hasMany', 'sum', 'api'])

class Sources {
  readonly #files: readonly Extent[]

  constructor(files: ReadonlyMap<string, string>) {
    this.#files = [...files].map(([file, text]) => {
      const tokens = tokensOf(text)
      return { file, tokens, first: 0, last: tokens.length - 1 }
    })
  }

  /** The call in which the path begins, and how many names of the path it stands for. */
  start(path: readonly string[], main: string): { readonly extent: Extent; readonly used: number } | null {
    const [first = '', second = ''] = path
    const version = first === 'versions' ? second : first
    const named =
      this.#call((callee, name) => callee === 'resource' && name === first) ??
      this.#call((callee, name) => callee === 'version' && name === version) ??
      this.#call((callee, name) => !mentions.has(callee) && name === first)
    if (named) return { extent: named, used: first === 'versions' ? 2 : 1 }
    const whole =
      this.#call((callee) => callee === 'api', main) ?? this.#files.find(({ file }) => file === main)
    return whole ? { extent: whole, used: 0 } : null
  }

  /** `callee('name', …)`, from the callee to the closing bracket. */
  #call(fits: (callee: string, name: string) => boolean, within?: string): Extent | null {
    for (const { file, tokens } of this.#files) {
      if (within !== undefined && file !== within) continue
      for (let index = 0; index + 2 < tokens.length; index++) {
        const [callee, bracket, name] = tokens.slice(index, index + 3) as [Token, Token, Token]
        if (callee.kind !== 'word' || bracket.value !== '(' || name.kind !== 'text') continue
        if (!fits(callee.value, name.value)) continue
        return { file, tokens, first: index, last: closingOf(tokens, index + 1) }
      }
    }
    return null
  }

  /** The property or element of that name in the first object or list of the extent, from its name on. */
  descend(extent: Extent, name: string, hops = hopsMost): Extent | null {
    const index = /^\[(\d+)\]$/.exec(name)?.[1]
    const open = this.#bracket(extent, index === undefined ? '{' : '[')
    if (open === null) {
      const constant = hops > 0 ? this.#constantIn(extent) : null
      return constant && this.descend(constant, name, hops - 1)
    }
    const parts = partsOf(extent, open)
    if (index !== undefined) {
      const part = parts[Number(index)]
      return part ? (this.#constantOf(part) ?? part) : null
    }
    const own = parts.find(({ tokens, first }) => isNamed(tokens[first], name))
    if (own) return own
    for (const part of hops > 0 ? parts : []) {
      const constant = this.#spread(part)
      const inner = constant && this.descend({ ...constant, first: constant.first }, name, hops - 1)
      if (inner) return inner
    }
    return null
  }

  /** The first bracket of that kind. Brackets of other kinds are passed over, but for those of a call. */
  #bracket({ tokens, first, last }: Extent, kind: string): number | null {
    for (let index = first; index <= last; index++) {
      const { kind: sort, value } = tokens[index] as Token
      if (sort !== 'other') continue
      if (value === kind) return index
      if (value === '{' || value === '[') index = closingOf(tokens, index)
    }
    return null
  }

  /** `fields: orderFields`, or `orderFields` alone. */
  #constantIn(extent: Extent): Extent | null {
    const { tokens, first, last } = extent
    const value = tokens[first + 1]?.value === ':' ? first + 2 : first
    return value === last ? this.#constantOf({ ...extent, first: value }) : null
  }

  #spread(extent: Extent): Extent | null {
    const { tokens, first, last } = extent
    const dots = tokens.slice(first, first + 3).every(({ value }) => value === '.')
    return dots && first + 3 === last ? this.#constantOf({ ...extent, first: last }) : null
  }

  /** The constant that an extent of one word names: in the same file, else in another. */
  #constantOf({ file, tokens, first, last }: Extent): Extent | null {
    const name = tokens[first]
    if (first !== last || name?.kind !== 'word') return null
    const sameFirst = this.#files.toSorted((a, b) => Number(b.file === file) - Number(a.file === file))
    for (const source of sameFirst) {
      const at = source.tokens.findIndex(
        ({ value }, index) =>
          /^(const|let|var)$/.test(value) && isNamed(source.tokens[index + 1], name.value),
      )
      if (at < 0) continue
      const open = source.tokens.findIndex(({ value }, index) => index > at && /^[({[]$/.test(value))
      return { ...source, first: at + 1, last: open < 0 ? at + 1 : closingOf(source.tokens, open) }
    }
    return null
  }

  /**
   * The first word that the sentence has in quotation marks and that stands in the extent. Of `its default "0"`, it is the first "0" after
   * `default`, where that stands there too.
   */
  wordOf(what: string, { file, tokens, first, last }: Extent): Place | null {
    const find = (word: string, from: number): number =>
      tokens.findIndex(
        (token, index) => index >= from && index <= last && token.kind !== 'other' && token.value === word,
      )
    for (const [, before = '', word = ''] of what.matchAll(/(?:(\w+) )?"([^"]+)"/g)) {
      const option = find(before, first)
      const after = option < 0 ? -1 : find(word, option)
      const token = tokens[after < 0 ? find(word, first) : after]
      if (token) return { file, at: token.at }
    }
    return null
  }
}

const isNamed = (token: Token | undefined, name: string): boolean =>
  token !== undefined && token.kind !== 'other' && token.value === name

/** What is between the commas of an object or list. */
function partsOf(extent: Extent, open: number): readonly Extent[] {
  const { tokens } = extent
  const end = closingOf(tokens, open)
  const parts: Extent[] = []
  let first = open + 1
  for (let index = first; index <= end; index++) {
    const { kind, value } = tokens[index] as Token
    if (kind === 'other' && index < end && /^[({[]$/.test(value)) index = closingOf(tokens, index)
    else if (kind === 'other' && (value === ',' || index === end)) {
      if (index > first) parts.push({ ...extent, first, last: index - 1 })
      first = index + 1
    }
  }
  return parts
}
