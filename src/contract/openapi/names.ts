import type { SubCollection, Version, View } from '../../compile/model.ts'
import { singularOf } from '../../compile/plural.ts'

/** What the documents call things; stable as long as resources and relations keep their names. */
export interface Naming {
  /** `Order` */
  schema(view: View): string
  operation(kind: OperationKind, view: View, sub: SubCollection | null): string
}

export type OperationKind = 'list' | 'create' | 'get' | 'replace' | 'patch' | 'delete'

export const namingOf = (version: Version): Naming => {
  const schemas = schemaNames(version)
  return {
    schema: (view) => schemas.get(view) ?? pascal(view.name),
    operation(kind, view, sub) {
      const words = sub ? sub.segment : view.name
      const noun = pascal(kind === 'list' ? words : singularName(words))
      return `${kind}${noun}${sub ? `Of${pascal(singularName(sub.owner().name))}` : ''}`
    },
  }
}

const suffixes = /(Create|Replace|Patch|List|Problem|WithRelations|Page)$/

/** A singular that two resources share, or that another schema could have, gives way to the plural. */
const schemaNames = (version: Version): ReadonlyMap<View, string> => {
  const views = [...version.views.values()]
  const taken = new Map<string, number>()
  const singular = (view: View): string => pascal(singularName(view.name))
  for (const view of views) taken.set(singular(view), (taken.get(singular(view)) ?? 0) + 1)
  return new Map(
    views.map((view) => {
      const name = singular(view)
      const clear = taken.get(name) === 1 && !suffixes.test(name) && !reserved.has(name)
      return [view, clear ? name : `${pascal(view.name)}Row`]
    }),
  )
}

const reserved = new Set(['FieldError'])

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
