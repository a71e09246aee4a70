import type { ApiDeclaration } from '../../declare/api.ts'
import { type FieldDeclaration, isStates, isSum, isZod } from '../../declare/field.ts'
import { type MistakeList, shownValue } from '../mistakes.ts'
import { layersOf } from '../zod/layers.ts'

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

/** A name with the one it had before, and where it is declared. */
interface Renamed {
  readonly name: string
  readonly was: string | undefined
  readonly where: string
}

/** Names that change places look the same before and after, so that no store shows whether it was done. */
export const checkSwappedNames = (
  { resources }: Pick<ApiDeclaration, 'resources'>,
  mistakes: MistakeList,
): void => {
  checkSwaps(
    resources.map(({ name, was }) => ({ name, was, where: name })),
    mistakes,
  )
  for (const { name: resource, fields, relations = {} } of resources)
    checkSwaps(
      [
        ...Object.entries(fields ?? {}).map(([name, field]) => ({
          name,
          was: formerFieldName(field),
          where: `${resource}.fields.${name}`,
        })),
        ...Object.entries(relations).flatMap(([name, relation]) =>
          relation.kind === 'belongs-to' && relation.was !== undefined
            ? [{ name: `${name}_id`, was: `${relation.was}_id`, where: `${resource}.relations.${name}` }]
            : [],
        ),
      ],
      mistakes,
    )
}

const checkSwaps = (all: readonly Renamed[], mistakes: MistakeList): void => {
  const known = new Map(all.map((one) => [one.name, one]))
  const seen = new Set<Renamed>()
  for (const start of all) {
    const chain: Renamed[] = []
    let at: Renamed | undefined = start
    while (at && !seen.has(at)) {
      seen.add(at)
      chain.push(at)
      at = at.was === undefined ? undefined : known.get(at.was)
    }
    if (at === start && chain.length > 1)
      mistakes.add(
        start.where,
        `names change places (${chain.map(({ name, was }) => `${name} was ${was}`).join(', ')}), and a store looks the same before and after that.`,
        'Do it in two steps: give one of them a third name and run nounkit migrate, then give it its own.',
      )
  }
}
