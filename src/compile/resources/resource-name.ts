import type { ApiDeclaration } from '../../declare/api.ts'
import type { ResourceDeclaration } from '../../declare/resource.ts'
import type { MistakeList } from '../mistakes.ts'
import { resourceNameFault } from '../names/name-rules.ts'

/** Adds a mistake where a resource cannot have its name. */
export const checkResourceName = (
  { name, nameIsPluralBecause }: ResourceDeclaration,
  declaration: ApiDeclaration,
  taken: { has(name: string): boolean },
  mistakes: MistakeList,
): void => {
  const fault = resourceNameFault(name, nameIsPluralBecause) ?? reservedFault(name, declaration)
  if (fault !== null) mistakes.add(name || 'resources', fault.what, fault.hint)
  if (taken.has(name))
    mistakes.add(name, 'two resources have this name.', 'Rename one of them, or take one out.')
}

/** Paths that the service itself answers; only unversioned paths could collide with them. */
const ownPaths = new Set(['console', 'docs', 'problems', 'metrics'])

const reservedFault = (name: string, declaration: ApiDeclaration) => {
  if (name.startsWith('nounkit-') || name.startsWith('sqlite-'))
    return { what: `"${name}" would name a table of the engine's own.`, hint: 'Choose another first word.' }
  if (declaration.unversioned !== undefined && (ownPaths.has(name) || /^v\d+s?$/.test(name)))
    return {
      what: `"/${name}" is a path of the service itself.`,
      hint: 'Choose another noun, or leave out "unversioned".',
    }
  return null
}
