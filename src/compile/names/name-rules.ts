import { looksPlural, pluralOf } from './plural.ts'
import { isVerbAtEnd, isVerbAtStart, nounOf } from './verbs.ts'

/** What is wrong with a name, and what to write instead. */
export interface NameFault {
  readonly what: string
  readonly hint: string
}

/** Lowercase words joined by hyphens. */
export const hyphenPattern = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
/** Lowercase words joined by underscores. */
export const snakePattern = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/
/** PostgreSQL cuts identifiers at 63 bytes; indexes and `{relation}_id` are made of these. */
const longest = 50

/** The naming rules of a collection: a plural noun, lowercase, hyphenated, no verb. The first broken rule is reported. */
export const resourceNameFault = (name: string, isPluralBecause?: string): NameFault | null => {
  const instead = `Write "${suggestedName(name)}".`
  if (name === '')
    return { what: 'a resource without a name.', hint: 'Name it with a plural noun, such as "orders".' }
  if (name.includes('_'))
    return { what: `"${name}" has an underscore; words are joined with hyphens.`, hint: instead }
  if (/[A-Z]/.test(name))
    return { what: `"${name}" has a capital; names are lowercase throughout.`, hint: instead }
  if (!hyphenPattern.test(name))
    return {
      what: `"${name}" is not words of a-z and 0-9, starting with a letter, joined by single hyphens.`,
      hint: instead,
    }
  if (name.length > longest)
    return { what: `"${name}" is longer than ${longest} characters.`, hint: 'Choose a shorter noun.' }
  return isPluralBecause !== undefined && isPluralBecause.trim() !== '' ? null : pluralNounFault(name)
}

const override = 'If the word is right all the same, say why in nameIsPluralBecause.'

const pluralNounFault = (name: string): NameFault | null => {
  const words = name.split('-')
  const instead = `Write "${suggestedName(name)}".`
  const first = words[0] ?? ''
  const last = words.at(-1) ?? ''
  const verb = words.length > 1 && isVerbAtStart(first) ? first : isVerbAtEnd(last) ? last : null
  if (verb !== null)
    return {
      what: `"${name}" has the verb "${verb}"; the HTTP method says what is done.`,
      hint: `${instead} ${override}`,
    }
  if (!looksPlural(last))
    return {
      what: `"${name}" is not plural; a collection is named with the plural of its noun.`,
      hint: `${instead} ${override}`,
    }
  return null
}

/** The nearest name that breaks no rule. */
export const suggestedName = (name: string): string => {
  let words = wordsOf(name.replace(/^[^A-Za-z]+/, ''))
  while (words.length > 1 && isVerbAtStart(words[0] ?? '')) words = words.slice(1)
  const last = words.pop()
  if (last === undefined) return 'things'
  const noun = isVerbAtEnd(last) ? nounOf(last) : null
  const suggestion = [...words, noun ?? pluralOf(last)].join('-')
  return hyphenPattern.test(suggestion) && suggestion.length <= longest ? suggestion : 'things'
}

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

const reserved = new Map<string, string>([
  ['id', 'every resource has it already'],
  ['created_at', 'every resource has it already'],
  ['updated_at', 'every resource has it already'],
  ['account_id', 'the engine keeps it for isolation'],
  ['version', 'the engine keeps it for ETags'],
  ['data', 'it is a word of the envelope'],
  ['page', 'it is a word of the envelope'],
  ['constructor', 'JSON with this key is refused'],
  ['prototype', 'JSON with this key is refused'],
  ...['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid'].map(
    (name) => [name, 'every table of PostgreSQL has a column of this name'] as const,
  ),
])

export const snakeNameFault = (name: string, noun: 'field' | 'relation'): NameFault | null => {
  const why = reserved.get(name)
  if (why !== undefined)
    return { what: `"${name}" is reserved: ${why}.`, hint: `Name the ${noun} otherwise.` }
  const suggestion = wordsOf(name).join('_')
  if (!snakePattern.test(name))
    return {
      what: `"${name}" is not snake_case.`,
      hint: snakePattern.test(suggestion) ? `Write "${suggestion}".` : 'Start with a letter a-z.',
    }
  return name.length > longest
    ? { what: `"${name}" is longer than ${longest} characters.`, hint: 'Choose a shorter name.' }
    : null
}

/** `order_items` → `order-items`, the form in a path. */
export const hyphenated = (name: string): string => name.replaceAll('_', '-')

/** `order-items` → `order_items`, the form in the store. */
export const underscored = (name: string): string => name.replaceAll('-', '_')
