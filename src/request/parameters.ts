import { type FieldError, problem } from '../problems.ts'
import type { FieldErrors } from './field-errors.ts'
import { hintForRepeated } from './query-hints.ts'

/** The query string as decoded names and values; malformed, empty and repeated parameters are left out and reported in `errors`. */
export function readParameters(query: string, errors: FieldErrors): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  const repeated = new Set<string>()
  if (query === '') return parameters
  const fault = (parameter: string, detail: string, code: string) =>
    errors.add(() => ({ parameter: parameter.slice(0, 100), detail, code }))
  for (const part of query.split('&')) {
    const equals = part.indexOf('=')
    const name = decode(equals < 0 ? part : part.slice(0, equals))
    const value = decode(equals < 0 ? '' : part.slice(equals + 1))
    if (name === null || value === null) {
      fault(name ?? part, 'is not percent-encoded UTF-8 without NUL characters', 'encoding')
    } else if (value === '' && !isComparison(part)) {
      fault(name, 'is empty; leave it out instead', 'empty')
    } else if (parameters.has(name)) {
      if (!repeated.has(name)) fault(name, hintForRepeated(name), 'repeated')
      repeated.add(name)
    } else {
      parameters.set(name, value)
    }
  }
  return parameters
}

/** `total>5` has a value, which the refusal of such a parameter says. */
const isComparison = (part: string): boolean =>
  /^[\w.]+(?:[<>]|%3[ce])[^=]/i.test(part) && !part.includes('=')

/** The query as it was sent, without one parameter. It has been read before, so it can be decoded. */
export const withoutParameter = (query: string, name: string): string =>
  query
    .split('&')
    .filter((part) => part !== '' && decodeURIComponent(part.split('=', 1)[0] ?? '') !== name)
    .join('&')

/** The query, ready for one more parameter to follow. */
export const withRoom = (query: string): string => (query === '' ? '' : `${query}&`)

export const badQuery = (errors: FieldErrors): Error =>
  problem('bad-query', { detail: sentences(errors), ...errors.details })

/** Wrong parameters in words, ten at most. */
export const sentences = ({ shown, count }: FieldErrors): string =>
  [...shown.slice(0, mostSentences).map(sentence), ...leftOut(count)].join(' ')

const mostSentences = 10
const leftOut = (count: number): readonly string[] =>
  count > mostSentences ? [`There are ${count - mostSentences} more.`] : []

/** A wrong parameter as a sentence of its own. */
const sentence = ({ parameter, detail }: FieldError): string =>
  `${parameter || 'An unnamed parameter'} ${detail}${detail.endsWith('?') ? '' : '.'}`

function decode(text: string): string | null {
  if (!/[%+]/.test(text)) return wellFormed(text)
  try {
    return wellFormed(decodeURIComponent(text.replaceAll('+', ' ')))
  } catch {
    return null
  }
}

// A NUL cannot be stored by every database, so nothing can be found by one either.
const wellFormed = (text: string): string | null =>
  text.includes('\0') || !text.isWellFormed() ? null : text
