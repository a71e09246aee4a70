import { type FieldDeclaration, isStates, isSum, isZod } from '../declare/field.ts'
import type { MistakeList } from './mistakes.ts'
import { shownValue } from './shown-value.ts'
import { layersOf } from './zod/layers.ts'

/** The name that a field had before, by `was(name, field)`. */
export const formerFieldName = (field: FieldDeclaration): string | undefined => {
  if (isStates(field) || isSum(field)) return field.was
  return isZod(field) ? layersOf(field).marks.was : undefined
}

/** Checks that a former name is a name, and another one. */
export const checkFormerName = (was: unknown, name: string, where: string, mistakes: MistakeList): void => {
  if (was === undefined) return
  if (typeof was !== 'string' || !/^[a-z][a-z0-9_-]*$/.test(was))
    mistakes.add(where, `was: ${shownValue(was)} is not a name.`, 'Write the name that it had before.')
  else if (was === name)
    mistakes.add(
      where,
      `was: "${was}" is its name now.`,
      'Write the name that it had before, or leave it out.',
    )
}
