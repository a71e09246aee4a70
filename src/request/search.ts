import {
  longestSearchedWord,
  mostSearchedWords,
  searchParameter as parameter,
} from '../compile/resources/searched.ts'
import { searchWords } from '../kinds/search-words.ts'
import type { FieldErrors } from './field-errors.ts'

/** The longest text that is looked at: it has room for the most words, however a caller writes them. */
const mostCharacters = 8 * mostSearchedWords * longestSearchedWord

/** The words that a list is searched for, each once, sorted; null where there are none. */
export function readSearch(text: string | undefined, errors: FieldErrors): readonly string[] | null {
  if (text === undefined) return null
  const words = text.length > mostCharacters ? [] : searchWords(text)
  const fault = text.length > mostCharacters ? tooLong : faultOf(words)
  if (fault === null) return [...new Set(words)].sort()
  errors.add(() => ({ parameter, detail: fault, code: 'search' }))
  return null
}

const bounds = `write 1 to ${mostSearchedWords} words of at most ${longestSearchedWord} letters and digits`
const tooLong = `has more than ${mostCharacters} characters; ${bounds}`

function faultOf(words: readonly string[]): string | null {
  if (words.length === 0)
    return `has no word, which is a run of letters and digits; ${bounds}, such as search=ada`
  if (words.length > mostSearchedWords) return `has ${words.length} words; ${bounds}`
  const longest = Math.max(...words.map((word) => [...word].length))
  return longest > longestSearchedWord ? `has a word of ${longest} characters; ${bounds}` : null
}
