export type Verdict = 'additive' | 'breaking'

/** One way in which the values a schema allows changed, judged for what consumers send and for what they are shown. */
export interface SchemaDifference {
  /** A path within the value: empty for the value itself. */
  readonly at: string
  readonly what: string
  readonly request: Verdict
  readonly response: Verdict
  /** A listed value: readers of an open field were told to expect it. A key of a closed object: nothing can hide it. */
  readonly added: 'value' | 'key' | null
}

export type Found = readonly SchemaDifference[]
export interface Judged {
  readonly request: Verdict
  readonly response: Verdict
}

/** More values are allowed: senders lose nothing, readers meet something new. */
export const wider: Judged = { request: 'additive', response: 'breaking' }
/** Fewer values are allowed: senders are refused, readers lose nothing. */
export const narrower: Judged = { request: 'breaking', response: 'additive' }
export const broken: Judged = { request: 'breaking', response: 'breaking' }
export const harmless: Judged = { request: 'additive', response: 'additive' }

export const one = (
  at: string,
  what: string,
  judged: Judged,
  added: SchemaDifference['added'] = null,
): Found => [{ at, what, ...judged, added }]
