import { type FieldDeclaration, isStates, isSum, isZod, type ValuesNow } from '../../declare/field.ts'
import type { Note } from '../mistakes.ts'
import type { Field } from '../model.ts'
import { didYouMean } from '../names/nearest.ts'
import { layersOf } from '../zod/layers.ts'

/** What became of values that a field had before, by `became(values, field)`. */
export const formerValuesOf = (field: FieldDeclaration): ValuesNow | undefined => {
  if (isSum(field)) return undefined
  if (isStates(field)) return field.became
  return isZod(field) ? layersOf(field).marks.became : undefined
}

/** Checks that values which are gone became values that the field lists. */
export const checkFormerValues = (
  became: ValuesNow | undefined,
  { schema }: Pick<Field, 'schema'>,
  note: Note,
): void => {
  if (became === undefined) return
  const listed = (schema.enum ?? []).map(String)
  if (listed.length === 0) {
    note('became(…) is for enums and states, which list their values.', 'Leave it out.')
    return
  }
  for (const [gone, now] of Object.entries(became)) {
    if (listed.includes(gone))
      note(`became: "${gone}" is still a value of the field.`, 'Name values that are gone.')
    if (typeof now !== 'string') note(`became: "${gone}" has no value.`, `Write ${gone}: '${listed[0]}'.`)
    else if (!listed.includes(now))
      note(`became: "${now}" is not a value of the field.`, didYouMean(now, listed))
  }
}
