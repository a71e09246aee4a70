export type SchemaVerdict = 'additive' | 'breaking'

/** One way in which the values a schema allows changed, judged for what consumers send and for what they are shown. */
export interface SchemaDifference {
  /** A path within the value: empty for the value itself. */
  readonly at: string
  readonly what: string
  readonly request: SchemaVerdict
  readonly response: SchemaVerdict
  /** What was added or removed, where that matters to those who judge the difference. */
  readonly listed: Listed | null
}

/** A listed value, of which readers of an open field must expect more; or a new key of a closed object, which cannot be hidden. */
export type Listed =
  | { readonly kind: 'value added' | 'value removed'; readonly value: unknown }
  | { readonly kind: 'key added' }

export type SchemaDifferences = readonly SchemaDifference[]
export interface Judged {
  readonly request: SchemaVerdict
  readonly response: SchemaVerdict
}

/** More values are allowed: harmless for senders, new for readers. */
export const wider: Judged = { request: 'additive', response: 'breaking' }
/** Fewer values are allowed: senders may be refused, harmless for readers. */
export const narrower: Judged = { request: 'breaking', response: 'additive' }
export const broken: Judged = { request: 'breaking', response: 'breaking' }
export const harmless: Judged = { request: 'additive', response: 'additive' }

export const differenceAt = (
  at: string,
  what: string,
  judged: Judged,
  listed: Listed | null = null,
): SchemaDifferences => [{ at, what, ...judged, listed }]
