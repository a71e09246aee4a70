import { plainCounted } from '../compile/plural.ts'
import { problem } from '../problems.ts'

export type JsonObject = { readonly [key: string]: unknown }

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Bytes → one JSON object, refusing what no field could mean: deep nesting, `__proto__` keys, anything but an object. */
export function readJsonObject(bytes: Uint8Array, maxDepth: number, what = 'body'): JsonObject {
  const value = parse(bytes, what)
  if (typeof value === 'object' && value !== null) refuseHostile(value, 1, maxDepth, what)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw problem('validation-failed', {
      detail: `The ${what} must be a JSON object.`,
      errors: [{ pointer: '#', detail: 'must be an object', code: 'type' }],
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

function refuseHostile(value: object, depth: number, maxDepth: number, what: string): void {
  if (depth > maxDepth)
    throw malformed(`The ${what} is nested more than ${plainCounted(maxDepth, 'level')} deep.`)
  for (const key of Object.keys(value)) {
    if (key === '__proto__') throw malformed('The key "__proto__" is not allowed.')
    const inner: unknown = (value as JsonObject)[key]
    if (typeof inner === 'object' && inner !== null) refuseHostile(inner, depth + 1, maxDepth, what)
  }
}

const malformed = (detail: string): Error => problem('malformed-json', { detail })
