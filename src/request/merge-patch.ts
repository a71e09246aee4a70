import { isJsonObject } from '../compile/schemas/canonical.ts'

/** RFC 7396: null removes a key, an object is merged, anything else replaces. Never changes its arguments. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch
  // Not by assignment: `__proto__` is a key like any other, and JSON may have it.
  const result = new Map(isJsonObject(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key)
    else result.set(key, mergePatch(result.get(key), value))
  }
  return Object.fromEntries(result)
}
