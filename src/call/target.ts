import type { SubCollection, Version, View } from '../compile/model.ts'
import { problem } from '../problems.ts'

/** The collection or row that a path names, in one version. */
export interface Target {
  readonly version: Version
  readonly view: View
  /** For a path under an owner: through which has-many. */
  readonly sub: SubCollection | null
  readonly ownerId: string | null
  /** Null for a collection. */
  readonly id: string | null
  /** The path named no version. */
  readonly unversioned: boolean
  /** `/orders/{id}/items`, for metrics and usage. */
  readonly template: string
}

/** In a sub-collection the only id in the path is the owner's. */
export const notThere = ({ id, sub, view }: Target): Error =>
  problem('not-found', {
    detail: `There is nothing with this id in ${(id === null && sub ? sub.owner() : view).name}, or it is not yours.`,
  })

/** The versioned path of a target. */
export function pathOf(target: Target): string {
  const { version, view, sub, ownerId, id } = target
  const collection = sub ? `${sub.owner().name}/${ownerId}/${sub.segment}` : view.name
  return `/${version.name}/${collection}${id === null ? '' : `/${id}`}`
}
