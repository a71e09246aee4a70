import { plainCounted } from '../compile/names/plural.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { problem } from '../problems.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Bytes → one JSON object, refusing what no field could mean: deep nesting, `__proto__` keys, anything but an object. `rowListForm` is how a list
 * is sent, where there can be one.
 */
export function readJsonObject(
  bytes: Uint8Array,
  maxDepth: number,
  what = 'body',
  rowListForm?: string,
): JsonObject {
  const value = parse(bytes, what)
  const fault = normalizeJson(value, maxDepth)
  if (fault !== null) throw malformed(`The ${what} ${fault}.`)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const instead = Array.isArray(value) && rowListForm ? `; send a list as ${rowListForm}` : ''
    throw problem('validation-failed', {
      detail: `The ${what} must be a JSON object${instead}.`,
      errors: [{ pointer: '#', detail: `must be an object${instead}`, code: 'type' }],
    })
  }
  return value as JsonObject
}

function parse(bytes: Uint8Array, what: string): unknown {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw malformed(`The ${what} is not valid UTF-8.`)
  }
  if (text.trim() === '') throw malformed(`The ${what} is empty; send a JSON object.`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed(`The ${what} is not valid JSON${position(error, text)}.`)
  }
}

/** Only the position is reported: the parser's message may quote the body. */
function position(error: unknown, text: string): string {
  const { message } = error as Error
  if (/^Unexpected end/.test(message)) return ': it ends too early'
  if (text.startsWith('\ufeff')) return ': it begins with a byte order mark; leave that out'
  const named = /at position (\d+)/.exec(message)?.[1]
  const at = named === undefined ? firstNonToken(text) : Number(named)
  if (at === null) return ''
  const before = text.slice(0, at).split('\n')
  return `: parsing stopped at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

const token =
  /\s*(?:"(?:[^"\\\x00-\x1f]|\\["\\/bfnrtu])*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:])/y

/** The parser does not say where it met a character that begins nothing. */
function firstNonToken(text: string): number | null {
  let at = 0
  for (token.lastIndex = 0; token.test(text); ) at = token.lastIndex
  const rest = text.slice(at).search(/\S/)
  return rest < 0 ? null : at + rest
}

/**
 * Makes every -0 within objects and arrays 0: JSON.stringify writes both as 0, so a stored row never has -0 and would differ from what was
 * sent. Returns what the value has that no field could mean, nesting of more levels than allowed or a key `__proto__`, as the end of a
 * sentence; else null.
 */
export function normalizeJson(value: unknown, levels: number): string | null {
  return isNested(value) ? normalizeNested(value, levels, levels) : null
}

type Nested = { [key: string]: unknown }

const isNested = (value: unknown): value is Nested => typeof value === 'object' && value !== null

function normalizeNested(value: Nested, levelsLeft: number, levels: number): string | null {
  if (levelsLeft === 0) return `is nested more than ${plainCounted(levels, 'level')} deep`
  for (const key of Object.keys(value)) {
    if (key === '__proto__') return 'has the key "__proto__", which is not allowed'
    const inner = value[key]
    if (Object.is(inner, -0)) value[key] = 0
    const fault = isNested(inner) ? normalizeNested(inner, levelsLeft - 1, levels) : null
    if (fault !== null) return fault
  }
  return null
}

const malformed = (detail: string): Error => problem('malformed-json', { detail })
