import type { Model } from '../compile/model.ts'
import { operatorScope } from '../request/caller.ts'

/** Every scope that opens something in some version, and `*`. */
export const knownScopes = (model: Model): ReadonlySet<string> => {
  const known = new Set(['*', operatorScope])
  for (const version of model.versions) {
    for (const view of version.views.values()) {
      for (const rule of Object.values(view.scopes)) {
        if (rule !== 'public' && rule !== 'authenticated') known.add(rule)
      }
      for (const name of [view.resource.name, view.name]) {
        known.add(`${name}:read`)
        known.add(`${name}:write`)
      }
    }
  }
  return known
}
