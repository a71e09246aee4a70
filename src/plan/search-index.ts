import { createHash } from 'node:crypto'
import type { Field, Resource, View } from '../compile/model.ts'
import { longestSearchedWord, searchedFields } from '../compile/resources/searched.ts'
import { searchWords } from '../kinds/search-words.ts'
import { type Dialect, ident, type SearchNames } from './dialect.ts'
import { objectName } from './object-name.ts'

/** The names of what a table has for a search, and the fields whose words it has. */
export interface SearchIndex extends SearchNames {
  readonly fields: readonly Field[]
}

/** What columns of searches begin with. No field has two underscores in its name. */
const prefix = 'search__'

export const isOfSearch = (column: string): boolean => column.startsWith(prefix)

/** Part of the names. A new number gives all stores new columns, such as when words are made in another way. */
const form = 2

const known = new WeakMap<Resource, ReadonlyMap<string, SearchIndex>>()

const indexesOf = (resource: Resource): ReadonlyMap<string, SearchIndex> => {
  const made =
    known.get(resource) ??
    new Map(resource.searches.map((names) => [names.join(), searchIndex(resource, names)]))
  known.set(resource, made)
  return made
}

export const searchIndexes = (resource: Resource): readonly SearchIndex[] => [...indexesOf(resource).values()]

/** The index of the fields in which a version searches. */
export function searchIndexOf(view: View): SearchIndex {
  const index = indexesOf(view.resource).get(searchedFields(view).join())
  if (!index) throw new Error(`${view.name} has no search`)
  return index
}

function searchIndex({ table, field }: Resource, names: readonly string[]): SearchIndex {
  const fields = names.flatMap((name) => field.get(name) ?? [])
  const columns = fields.map(({ column }) => column).sort()
  const words = `${prefix}${digestOf(JSON.stringify([form, columns]), 10)}`
  const version = `${words}_version`
  return {
    fields,
    words,
    version,
    index: objectName(table, [words], 'idx'),
    numbers: `${objectName(table, [words], 'idx')}_rows`,
    terms: `${objectName(table, [words], 'idx')}_terms`,
    waiting: objectName(table, [version], 'idx'),
  }
}

/** Of one row, so many different words are found. They have at most 262 bytes each: a tsvector holds 1 MB, and does not say so. */
const mostRowWords = 4_000

const scopeLength = 8

/** What the words of an account begin with in an index, so that a search does not go through the words of all others. */
const scopeOf = ({ shared }: Resource, account: string): string =>
  shared ? '' : digestOf(account, scopeLength)

const digestOf = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length)

/** The words of a row as its columns have them: one text for each search. */
export const wordsOf = (
  resource: Resource,
  account: string,
  row: { readonly [field: string]: unknown },
): readonly string[] =>
  resource.searches.length === 0
    ? []
    : searchIndexes(resource).map((search) => wordsOfRow(resource, search, account, row))

export const wordsOfRow = (
  resource: Resource,
  { fields }: SearchIndex,
  account: string,
  row: { readonly [field: string]: unknown },
): string =>
  joinedWords(
    scopeOf(resource, account),
    fields.map(({ name }) => row[name]),
  )

function joinedWords(scope: string, values: readonly unknown[]): string {
  const words = new Set<string>()
  for (const value of values) {
    if (typeof value !== 'string') continue
    for (const word of searchWords(value)) if (words.size < mostRowWords) words.add(beginning(word))
  }
  return [...words]
    .sort()
    .map((word) => scope + word)
    .join(' ')
}

/** Nobody can search for more of a word. */
const beginning = (word: string): string =>
  word.length <= longestSearchedWord ? word : [...word].slice(0, longestSearchedWord).join('')

/** What is searched for, as an index has it. */
export const soughtWords = (
  resource: Resource,
  account: string,
  words: readonly string[],
): readonly string[] => words.map((word) => scopeOf(resource, account) + word)

/** Whether the words of a row are not those of its version. */
export const isWaiting = (
  { version }: Pick<SearchNames, 'version'>,
  alias: string,
  { differing }: Pick<Dialect, 'differing'>,
): ReturnType<Dialect['differing']> => differing(`${alias}${ident(version)}`, `${alias}"version"`)
