import type { JsonObject } from '../compile/schemas/canonical.ts'

/** Who calls: authenticated once per request, before the rest of the request is read. */
export interface Caller {
  readonly account: string
  readonly consumer: Consumer
  /** `*` opens everything of the own account and the reading of shared rows, but not their writing. */
  readonly scopes: ReadonlySet<string>
  /** The person or program within the account for whom the consumer calls: the `sub` of a token, the subject of a key. */
  readonly subject: string | null
  /** All claims of the verified token, or those that were given to the key. Frozen at every depth. */
  readonly claims: JsonObject
  /** The name of the operator who acts, where the call comes from the console. */
  readonly operator?: string
}

export const consumerKinds = ['external', 'internal', 'probe'] as const

export interface Consumer {
  /** A key's id, or `token:{client}`. Safe to log. */
  readonly id: string
  readonly name: string
  readonly kind: (typeof consumerKinds)[number]
  /** The credentials name no consumer: the name only stands in for one, and may be that of a person. No rule goes by it. */
  readonly isUnnamed?: boolean
}

/** The id of the API's own code as a consumer, in jobs and hooks. */
export const inProcess = 'in-process'

/** What the id of an operator as a consumer begins with. */
export const operatorPrefix = 'operator:'

/** OpenID Connect Core §2 gives `sub` at most 255 characters. */
export const maxSubjectLength = 255
const plainText = new RegExp(
  `^[\\x20-\\x7e\\u{a1}-\\u{d7ff}\\u{e000}-\\u{10ffff}]{1,${maxSubjectLength}}$`,
  'u',
)

/** Whether a text may name an account, a consumer or a subject. Control characters and lone surrogates may not: the name reaches logs and the store. */
export const isPlainName = (text: string): boolean => plainText.test(text)

/** The claims of a caller who has none. */
export const noClaims: JsonObject = Object.freeze({})

/** Freezes claims at every depth: one object serves all requests of a caller. A list instead of recursion, as depth is not bounded. */
export function freezeClaims(claims: JsonObject): JsonObject {
  const pending: object[] = [claims]
  for (const value of pending) {
    Object.freeze(value)
    for (const inner of Object.values(value)) {
      if (typeof inner === 'object' && inner !== null) pending.push(inner)
    }
  }
  return claims
}

/** A name with dots may be the whole name of a claim, such as a URL. Otherwise the dots lead into nested objects. */
export function claimIn(claims: JsonObject, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let at: unknown = claims
  for (const step of name.split('.')) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) || !Object.hasOwn(at, step))
      return undefined
    at = (at as JsonObject)[step]
  }
  return at
}
