import { type FieldError, problem } from '../problems.ts'

/** The query string as decoded names and values; refuses what is malformed, empty or repeated. */
export function readParameters(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  if (query === '') return parameters
  const errors: FieldError[] = []
  for (const part of query.split('&')) {
    const equals = part.indexOf('=')
    const name = decode(equals < 0 ? part : part.slice(0, equals))
    const value = decode(equals < 0 ? '' : part.slice(equals + 1))
    if (name === null || value === null) {
      errors.push({
        parameter: name ?? part.slice(0, 100),
        detail: 'is not valid percent-encoded UTF-8',
        code: 'encoding',
      })
    } else if (value === '') {
      errors.push({ parameter: name, detail: 'is empty; leave it out instead', code: 'empty' })
    } else if (parameters.has(name)) {
      errors.push({ parameter: name, detail: 'is given twice; give it once', code: 'repeated' })
    } else {
      parameters.set(name, value)
    }
  }
  if (errors.length > 0) throw badQuery(errors)
  return parameters
}

export const badQuery = (errors: readonly FieldError[]): Error =>
  problem('bad-query', {
    detail: errors.map((error) => `${error.parameter || 'An unnamed parameter'} ${error.detail}.`).join(' '),
    errors,
  })

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
