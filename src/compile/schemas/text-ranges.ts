import type { JsonSchema } from '../../declare/json-schema.ts'

/** Texts that differ in their digits alone, such as all from `-00.00` to `-99.99`. */
export interface TextRange {
  readonly least: string
  readonly greatest: string
}

/** By the form of the texts, in which every digit is 0. */
type Ranges = ReadonlyMap<string, TextRange>

/**
 * Ranges that have every text of a schema; null where its pattern says too little, or more than is read here: literals, digits, lists of
 * characters, groups, alternatives and counts, between ^ and $.
 */
export function textRanges({ pattern, minLength = 0, maxLength }: JsonSchema): readonly TextRange[] | null {
  const inner = /^\^(.*)\$$/s.exec(pattern ?? '')?.[1]
  if (inner === undefined) return null
  try {
    const found = new PatternReader(inner, maxLength ?? null).all()
    return [...found.values()].filter(({ least }) => least.length >= minLength)
  } catch (error) {
    if (error instanceof Unreadable) return null
    throw error
  }
}

class Unreadable extends Error {}

/** Longer texts, or more forms, than any number has. */
const longestRead = 40
const formsMost = 400

const nothing: Ranges = new Map([['', { least: '', greatest: '' }]])

class PatternReader {
  readonly #pattern: string
  /** Longer texts are not in the schema; null where it sets no bound. */
  readonly #longest: number | null
  #at = 0

  constructor(pattern: string, longest: number | null) {
    this.#pattern = pattern
    this.#longest = longest
  }

  /** The whole pattern. Alternatives at its top are refused: `^` and `$` would each belong to one of them. */
  all(): Ranges {
    const found = this.#sequence()
    if (this.#at < this.#pattern.length) throw new Unreadable()
    return found
  }

  #take(form: RegExp): RegExpExecArray | null {
    const found = new RegExp(form.source, 'y')
    found.lastIndex = this.#at
    const match = found.exec(this.#pattern)
    this.#at += match?.[0].length ?? 0
    return match
  }

  #sequence(): Ranges {
    let found = nothing
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#pattern[this.#at] ?? ''))
      found = this.#joined(found, this.#counted())
    return found
  }

  #counted(): Ranges {
    const one = this.#one()
    const count = this.#take(/[?*+]|\{(\d+)(,?)(\d*)\}/)
    if (!count) return one
    const [sign, least = '', comma = '', most = ''] = count
    const [from, to] = { '?': [0, 1], '*': [0, null], '+': [1, null] }[sign] ?? [
      Number(least),
      comma === '' ? Number(least) : most === '' ? null : Number(most),
    ]
    if (Math.max(from ?? 0, to ?? 0) > formsMost) throw new Unreadable()
    return this.#repeated(one, from ?? 0, to ?? this.#longest ?? longestRead + 1)
  }

  #repeated(one: Ranges, from: number, to: number): Ranges {
    let times = nothing
    let found: Ranges = from === 0 ? nothing : new Map()
    for (let count = 1; count <= to && times.size > 0; count++) {
      times = this.#joined(times, one)
      if (count >= from) found = either(found, times)
    }
    return found
  }

  #one(): Ranges {
    if (this.#take(/\((?:\?:)?(?!\?)/)) {
      let found = this.#sequence()
      while (this.#take(/\|/)) found = either(found, this.#sequence())
      if (!this.#take(/\)/)) throw new Unreadable()
      return found
    }
    const characters = this.#characters()
    if (characters === undefined) throw new Unreadable()
    return [...characters].map(rangeOf).reduce(either)
  }

  /** The characters of which one stands there. */
  #characters(): string | undefined {
    if (this.#take(/\\d/)) return '0123456789'
    const listed = this.#take(/\[(-?(?:\d-\d|[\d.,+])+-?)\]/)?.[1]
    if (listed !== undefined) return spelledOut(listed)
    const [, escaped, plain] = this.#take(/\\([^\w\s])|([^\\^$.*+?()[\]{}|])/) ?? []
    return escaped ?? plain
  }

  #joined(before: Ranges, after: Ranges): Ranges {
    const found = new Map<string, TextRange>()
    for (const [form, range] of before)
      for (const [more, { least, greatest }] of after) {
        const length = form.length + more.length
        if (this.#longest !== null && length > this.#longest) continue
        if (length > longestRead) throw new Unreadable()
        extend(found, form + more, { least: range.least + least, greatest: range.greatest + greatest })
      }
    if (found.size > formsMost) throw new Unreadable()
    return found
  }
}

const rangeOf = (character: string): Ranges =>
  new Map([[character.replace(/\d/, '0'), { least: character, greatest: character }]])

/** The characters of a list such as `1-9.`, where a hyphen between digits stands for all between them. */
const spelledOut = (listed: string): string =>
  listed.replace(/(\d)-(\d)/g, (_, from: string, to: string) =>
    Array.from(
      { length: Math.max(Number(to) - Number(from) + 1, 0) },
      (_one, index) => Number(from) + index,
    ).join(''),
  )

const either = (one: Ranges, other: Ranges): Ranges => {
  const found = new Map(one)
  for (const [form, range] of other) extend(found, form, range)
  return found
}

/** Texts of one form are ordered like their numbers. */
const extend = (ranges: Map<string, TextRange>, form: string, { least, greatest }: TextRange): void => {
  const known = ranges.get(form)
  ranges.set(form, {
    least: known && known.least < least ? known.least : least,
    greatest: known && known.greatest > greatest ? known.greatest : greatest,
  })
}
