import type { View } from '../compile/model.ts'
import type { Grants } from './grants.ts'
import { shownTo } from './shown-fields.ts'

/**
 * The entity tag of a row as a version shows it. The row's version comes first, because If-Match compares that alone; the
 * shape of what is shown follows, because a release, or a scope of the caller, may show more of an unchanged row; `included` stands for embedded rows.
 */
export const etagOf = (
  view: View,
  version: string | number | null | undefined,
  grants: Grants,
  included?: string,
): string => {
  const { shape } = shownTo(view, grants)
  return included === undefined ? `"${version}.${shape}"` : `"${version}.${shape}.${included}"`
}

/** The row's version in an entity tag. */
export const versionIn = (opaque: string): string => opaque.split('.', 1)[0] ?? ''
