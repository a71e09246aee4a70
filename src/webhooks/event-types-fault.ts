import type { Version } from '../compile/model.ts'
import { nearest } from '../compile/names/nearest.ts'
import type { FieldError } from '../problems.ts'

/** The first type that a version does not have; null where it has them all. */
export function typesFault(
  wanted: readonly string[],
  version: Version,
  known: ReadonlyMap<string, unknown>,
): FieldError | null {
  if (wanted.includes('*'))
    return wanted.length === 1
      ? null
      : {
          pointer: '#/event_types',
          detail: 'must be "*" alone, which stands for all types',
          code: 'repeated',
        }
  const at = wanted.findIndex((type) => !known.has(type))
  if (at < 0) return null
  const near = nearest(wanted[at] ?? '', [...known.keys()])
  return {
    pointer: `#/event_types/${at}`,
    detail: `is not a type of event in ${version.name}${near ? `; did you mean "${near}"?` : ''}`,
    code: 'unknown',
  }
}
