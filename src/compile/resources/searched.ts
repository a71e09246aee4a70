import { kinds } from '../../kinds/kinds.ts'
import type { MistakeList } from '../mistakes.ts'
import type { Field, Resource, Version, View } from '../model.ts'
import { fieldNamed, namedOnce } from './lists.ts'
import type { ResourceDraft } from './resource-draft.ts'

/** The parameter of a list. */
export const searchParameter = 'search'
export const mostSearchedWords = 8
/** In characters (code points). */
export const longestSearchedWord = 64

/** The fields whose words a resource lets its consumers search. */
export const searchNames = (draft: ResourceDraft, mistakes: MistakeList): readonly string[] => {
  const note = mistakes.at(`${draft.declaration.name}.search`)
  return namedOnce(draft.declaration.search, note).filter((name) => {
    const field = fieldNamed(draft, name, note)
    const why = field && whyNotSearched(field)
    if (why !== null) note(`"${name}" ${why}.`, 'Take it out of search.')
    return field !== null && why === null
  })
}

/** Null where the words of a field can be searched. */
export const whyNotSearched = ({
  kind,
  writeOnly,
  needsScopes,
}: Pick<Field, 'kind' | 'writeOnly' | 'needsScopes'>): string | null => {
  if (!kinds[kind].isFreeText) return 'is no text'
  if (writeOnly) return 'is write-only, and a search would show what it holds'
  // The words of all fields of a row are kept together.
  if (needsScopes.length > 0)
    return 'needs a scope, and a search would show what it holds to callers without it'
  return null
}

/** The stored fields in which a version searches, sorted. */
export const searchedFields = ({ searched, field }: Pick<View, 'searched' | 'field'>): readonly string[] =>
  [...searched].flatMap((name) => field.get(name)?.field?.name ?? []).sort()

/** The sets of stored fields in which versions search: each has an index, also those that the head no longer offers. */
export const searchSets = (resource: Resource, versions: readonly Version[]): (readonly string[])[] => {
  const sets = versions
    .flatMap(({ viewOf }) => viewOf.get(resource.name) ?? [])
    .map(searchedFields)
    .filter((names) => names.length > 0)
  return [...new Map(sets.map((names) => [names.join(), names])).values()]
}
