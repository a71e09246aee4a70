import type { SchemaVerdict } from '../../compile/schemas/schema-verdict.ts'

/** The part of a contract that differs; it decides whether an older version can hide the difference. */
export type ContractPart =
  | 'lifecycle'
  | 'service'
  | 'resource'
  | 'field'
  | 'relation'
  | 'query'
  | 'rule'
  | 'path'
  | 'problem'
  | 'words'

/** One difference between two contracts, as a consumer of the older one finds it. */
export interface Difference {
  readonly verdict: SchemaVerdict
  readonly part: ContractPart
  /** `orders.status`, `GET /orders` */
  readonly where: string
  readonly what: string
  /** The compared values, for the change that would declare the difference. */
  readonly subject: Subject
  /** What else `what` says, as data. Advice needs it; it is not part of the output for machines. */
  readonly facts?: Facts
}

export interface Subject {
  readonly kind: string
  readonly resource?: string | undefined
  readonly name?: string
  readonly from?: unknown
  readonly to?: unknown
}

export interface Facts {
  /** The path of an endpoint: `/orders/{id}/items`. */
  readonly path?: string
  /** The listed value that was added or removed. */
  readonly value?: { readonly name: string; readonly is: 'added' | 'removed' }
  /** The move between states that was added or removed. */
  readonly move?: { readonly from: string; readonly to: string }
  /** The state in which rows can no longer be written or deleted; the field may be one of a related row: `order.status`. */
  readonly lostState?: { readonly field: string; readonly value: string }
  readonly dependent?: DependentRows
}

/** Rows that refer to a row, and what becomes of them, or of the delete, when the row is deleted. */
export interface DependentRows {
  /** `orders.customer` */
  readonly relation: string
  readonly onDelete: 'refuses' | 'refuses, was deleted along' | 'deleted along' | 'deleted along, refused'
}

export type Differences = readonly Difference[]

export const breaking: SchemaVerdict = 'breaking'
export const additive: SchemaVerdict = 'additive'

export type Say = (verdict: SchemaVerdict, what: string, kind: string, facts?: Facts) => Difference

/** Makes the differences of one place. */
export const sayAt =
  (part: ContractPart, where: string, subject: Omit<Subject, 'kind'> = {}): Say =>
  (verdict, what, kind, facts) => ({
    verdict,
    part,
    where,
    what,
    subject: { kind, ...subject },
    ...(facts && { facts }),
  })

export const isBreaking = ({ verdict }: { readonly verdict: SchemaVerdict }): boolean =>
  verdict === 'breaking'

/** Breaks that a frozen version hides without a change: what was relaxed or raised since stays as it was there. */
export const heldBack = {
  replacement: 'kept unsent',
  includeRows: 'include rows',
  caching: 'caching',
} as const

const heldBackKinds: ReadonlySet<string> = new Set(Object.values(heldBack))

export const isHeldBack = ({ subject }: Difference): boolean => heldBackKinds.has(subject.kind)

/** Names in both, only before, only after. */
export const matched = <T>(
  before: { readonly [name: string]: T },
  after: { readonly [name: string]: T },
): { both: readonly (readonly [string, T, T])[]; gone: readonly string[]; come: readonly string[] } => {
  const both: (readonly [string, T, T])[] = []
  for (const [name, one] of Object.entries(before)) {
    const other = after[name]
    if (other !== undefined) both.push([name, one, other])
  }
  return {
    both,
    gone: Object.keys(before).filter((name) => after[name] === undefined),
    come: Object.keys(after).filter((name) => before[name] === undefined),
  }
}

export const asSet = (names: readonly string[]): { readonly [name: string]: true } =>
  Object.fromEntries(names.map((name) => [name, true]))
