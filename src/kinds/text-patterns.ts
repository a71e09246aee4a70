import type { JsonSchema } from '../declare/json-schema.ts'

/**
 * Grammars that the server checks and the documents tell. Every common regular expression engine reads them alike. Quotes and
 * backticks are written as \x22, \x27 and \x60, because generators copy a pattern into a string literal of their language.
 */

const atom = '[A-Za-z0-9!#$%&\\x27*+/=?^_\\x60{|}~-]+'
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'

/** Practical, not RFC 5322: one @, a dot-atom before it, a host name with a dot after it. */
export const emailPattern = `^${atom}(?:\\.${atom})*@(?:${label}\\.)+[A-Za-z]{2,63}$`

/** What no address begins with: RFC 5321 §4.5.3.1.1 allows 64 characters before the @. */
export const emailLocalTooLong = '^[^@]{65}'

/** RFC 5321 §4.5.3.1.3 allows a path of 256 octets, of which the angle brackets take two. */
export const emailMaxLength = 254

/** An Idempotency-Key: 1 to 255 visible ASCII characters, bare or as a quoted structured string (RFC 8941 §3.3.3). */
export const idempotencyKeyPattern =
  '^(?:[!#-~][!-~]{0,254}|\\x22(?:[!#-\\[\\]-~]|\\\\[\\x22\\\\]){1,255}\\x22)$'

/** PostgreSQL cannot store a NUL character, so no string may have one. */
export const withoutNul = '^[^\\x00]*$'

/** An element of a list: a comma ends it unless a backslash stands before. */
const listItem = '^(?:[^,\\\\\\x00]|\\\\[,\\\\])+$'

/** The schema of a filter's value that may be any text. An empty one is refused. */
export const anyFilterText = (inList: boolean): JsonSchema => ({
  type: 'string',
  minLength: 1,
  pattern: inList ? listItem : withoutNul,
})

/** The schema of a text that has the form of a pattern (without anchors) or is the word `null`. */
export const patternOrNull = (pattern: string): JsonSchema => ({
  type: 'string',
  pattern: `^(?:${pattern}|null)$`,
})
