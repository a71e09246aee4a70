import type { SubCollection, Version, View } from '../../compile/model.ts'
import { singularOf } from '../../compile/names/plural.ts'

/** The names in the document. They are stable as long as resources and relations keep their names. */
export interface DocumentNames {
  /** `Order` */
  schema(view: View): string
  operation(kind: OperationKind, view: View, sub: SubCollection | null): string
  /** `onOrderCreated` */
  event(view: View, kind: string): string
}

export type OperationKind = 'list' | 'create' | 'get' | 'replace' | 'patch' | 'delete'

export const namingOf = (version: Version): DocumentNames => {
  const schemas = schemaNames(version)
  return {
    schema: (view) => schemas.get(view) ?? pascal(view.name),
    operation(kind, view, sub) {
      const words = sub ? sub.segment : view.name
      const noun = pascal(kind === 'list' ? words : singularName(words))
      return `${kind}${noun}${sub ? `Of${pascal(singularName(sub.owner().name))}` : ''}`
    },
    event: (view, kind) => `on${pascal(singularName(view.name))}${pascal(kind)}`,
  }
}

/**
 * Names of other parts of the document, and names that generated code uses itself: its client, its imports, the
 * types of its language.
 */
const reserved = new Set(
  [
    'FieldError Page CountedPage IncludedPage Cursor IdempotencyKey IfMatch IfNoneMatch',
    'Client ClientInterface ClientOption ClientWithResponses ServerInterface ApiClient Configuration',
    'ApiException ApiResponse BaseModel Model Field Request Response Exception Error',
    'Any Array Boolean Class Date Dict Double File Float Function Integer Map Number Object Optional Set',
    'String Symbol Type Union Void',
  ].flatMap((line) => line.toLowerCase().split(' ')),
)

/** The suffixes that make names of other schemas from a resource's name: `OrderCreate`, `OrderIncludedItem`. */
const ending =
  /^(?:(?:create|replace|patch)(?:under.+|(?:or)?list)?|list|rows|envelopeorrows|withrelations|(?:withrelations|event)?envelope|event|included.+)$/

/** Whether one of two names in lowercase is, or could be derived from, the other. */
const clash = (a: string, b: string): boolean => {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return long.startsWith(short) && (long === short || ending.test(long.slice(short.length)))
}

/**
 * Two resources with the same singular keep their plural, and a singular that is taken otherwise gets a suffix. Names differ in
 * more than capitals: generators make file names of them.
 */
const schemaNames = (version: Version): ReadonlyMap<View, string> => {
  const views = [...version.views.values()].sort(
    (a, b) => a.name.length - b.name.length || (a.name < b.name ? -1 : 1),
  )
  const singular = (view: View): string => pascal(singularName(view.name))
  const sharing = Map.groupBy(views, (view) => singular(view).toLowerCase())
  const used: string[] = []
  const isFree = (name: string): boolean => {
    const lower = name.toLowerCase()
    return !reserved.has(lower) && !lower.endsWith('problem') && !used.some((one) => clash(one, lower))
  }
  const nameOf = (view: View): string => {
    const name = singular(view)
    const row = `${pascal(view.name)}Row`
    const isShared = sharing.get(name.toLowerCase())?.length !== 1
    const first = (isShared ? [row] : [name, `${name}Row`, row]).find(isFree)
    if (first !== undefined) return first
    let serial = 2
    while (!isFree(`${row}${serial}`)) serial++
    return `${row}${serial}`
  }
  return new Map(
    views.map((view) => {
      const name = nameOf(view)
      used.push(name.toLowerCase())
      return [view, name]
    }),
  )
}

/** `order-items` → `order-item` */
export const singularName = (name: string): string => {
  const words = name.split('-')
  return [...words.slice(0, -1), singularOf(words.at(-1) ?? '')].join('-')
}

/** `order-items` → `OrderItems` */
export const pascal = (name: string): string =>
  name
    .split(/[-_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** `order-items` → `order items`, for prose. */
export const words = (name: string): string => name.replaceAll(/[-_]/g, ' ')

const soundsLikeYou = /^(uni|use|usa|eu|one)/

export const withArticle = (name: string): string => {
  const noun = words(name)
  return /^[aeiou]/.test(noun) && !soundsLikeYou.test(noun) ? `an ${noun}` : `a ${noun}`
}
