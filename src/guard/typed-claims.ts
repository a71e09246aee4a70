import { isJsonObject, type JsonObject } from '../compile/schemas/canonical.ts'

/** What is wrong with a claim that somebody wrote, without the word for where it was written. */
export class ClaimMistake extends Error {}

/** A name or path, `=` for a text or `:=` for JSON, and the value. A name has no `=`. */
const form = /^([^=]*?)(:?=)(.*)$/s
/** Claims are read with each key and kept in memory with it. */
const maxBytes = 16_384

/**
 * The claims that texts make: `member_id=42` is a text, `level:=3` is JSON, and `org.city=Ghent` is the claim `org` with a
 * member `city`, which is the path that a rule reads with `claim('org.city')`.
 */
export function readClaims(texts: readonly string[]): JsonObject {
  const claims: Members = {}
  for (const text of texts) {
    const [, name = '', operator, value = ''] = form.exec(text) ?? []
    if (operator === undefined) throw mistake(text, 'has no value', 'Write name=text, or name:=JSON')
    const path = name.split('.')
    if (!path.every(isName)) {
      throw mistake(text, 'has no usable name', 'Write a name such as member_id, or a path such as org.city')
    }
    put(claims, path, operator === '=' ? readText(text, value) : readJson(text, value), text)
  }
  if (Buffer.byteLength(JSON.stringify(claims)) > maxBytes) {
    throw new ClaimMistake(`is too long: all claims of a key together may have ${maxBytes} bytes of JSON.`)
  }
  return claims
}

type Members = { [name: string]: unknown }

/** `__proto__` would set the prototype of the object instead of a member. */
const isName = (name: string): boolean => /^[^\p{Cc}\p{Cs}\s]{1,200}$/u.test(name) && name !== '__proto__'

function put(claims: Members, path: readonly string[], value: unknown, text: string): void {
  let at = claims
  for (const name of path.slice(0, -1)) {
    if (!Object.hasOwn(at, name)) at[name] = {}
    const inner = at[name]
    if (!isJsonObject(inner))
      throw mistake(text, `has a part, "${name}", that another one gave a value`, 'Leave one out')
    at = inner
  }
  const last = path.at(-1) ?? ''
  if (Object.hasOwn(at, last)) throw mistake(text, 'names a claim that another one gave', 'Leave one out')
  at[last] = value
}

function readText(text: string, value: string): string {
  if (/\p{Cc}|\p{Cs}/u.test(value)) throw mistake(text, 'has control characters', 'Write plain text')
  return value
}

function readJson(text: string, json: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw mistake(
      text,
      'is not JSON after :=',
      'Write name:=3, name:=true or name:=["a"], or name=text for a text',
    )
  }
  if (hasInexactNumber(value)) {
    throw mistake(
      text,
      'has a number that JavaScript would round',
      'Write it as a text: name=9007199254740993',
    )
  }
  return value
}

/** A rounded number would compare equal with the id of another row. */
function hasInexactNumber(value: unknown): boolean {
  if (typeof value === 'number')
    return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInexactNumber)
}

const mistake = (text: string, what: string, fix: string): ClaimMistake =>
  new ClaimMistake(`${JSON.stringify(text)} ${what}. ${fix}.`)
