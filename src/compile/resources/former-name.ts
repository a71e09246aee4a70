import type { ApiDeclaration } from '../../declare/api.ts'
import { type FieldDeclaration, isStates, isSum, isZod } from '../../declare/field.ts'
import { type MistakeList, type Note, shownValue } from '../mistakes.ts'
import { cyclesOf } from '../names/cycles.ts'
import { layersOf } from '../zod/layers.ts'

/** The name that a field had before, by `was(name, field)`. */
export const formerFieldName = (field: FieldDeclaration): string | undefined => {
  if (isStates(field) || isSum(field)) return field.was
  return isZod(field) ? layersOf(field).marks.was : undefined
}

/** Checks that a former name is a name, and another one. */
export const checkFormerName = (was: unknown, name: string, note: Note): void => {
  if (was === undefined) return
  if (typeof was !== 'string' || !/^[a-z][a-z0-9_-]*$/.test(was))
    note(`was: ${shownValue(was)} is not a name.`, 'Write the name that it had before.')
  else if (was === name)
    note(`was: "${was}" is its name now.`, 'Write the name that it had before, or leave it out.')
}

/** Names that change places look the same before and after, so that no store shows whether it was done. */
export const checkSwappedNames = (
  { resources }: Pick<ApiDeclaration, 'resources'>,
  mistakes: MistakeList,
): void => {
  checkSwaps(
    resources.map(({ name, was }) => [name, was]),
    (name) => name,
    mistakes,
  )
  for (const { name: resource, fields, relations = {} } of resources)
    checkSwaps(
      [
        ...Object.entries(fields ?? {}).map(([name, field]) => [name, formerFieldName(field)] as const),
        ...Object.entries(relations).flatMap(([name, relation]) =>
          relation.kind === 'belongs-to' && relation.was !== undefined
            ? [[`${name}_id`, `${relation.was}_id`] as const]
            : [],
        ),
      ],
      (name) =>
        Object.hasOwn(fields ?? {}, name)
          ? `${resource}.fields.${name}`
          : `${resource}.relations.${name.replace(/_id$/, '')}`,
      mistakes,
    )
}

const checkSwaps = (
  all: readonly (readonly [name: string, was: string | undefined])[],
  where: (name: string) => string,
  mistakes: MistakeList,
): void => {
  const before = new Map(all.flatMap(([name, was]) => (was === undefined ? [] : [[name, was] as const])))
  for (const cycle of cyclesOf(before).filter(({ length }) => length > 1))
    mistakes.add(
      where(cycle[0] ?? ''),
      `names change places (${cycle.map((name) => `${name} was ${before.get(name)}`).join(', ')}), and a store looks the same before and after that.`,
      'Do it in two steps: give one of them a third name and run nounkit migrate, then give it its own.',
    )
}
