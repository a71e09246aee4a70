import { type ProblemDeclaration, refusalStatuses } from '../../declare/problem.ts'
import type { ResourceDeclaration } from '../../declare/resource.ts'
import { isEngineProblem, type ProblemKind, problemKinds } from '../../problems.ts'
import type { MistakeList } from '../mistakes.ts'
import type { Resource } from '../model.ts'
import { hyphenPattern } from '../names/name-rules.ts'

const longest = 80

/** The problems that code of a resource, its hooks or its answers, may refuse with. */
export const declaredProblems = (
  { name, problems = {}, hooks = {}, answers, engineMade }: ResourceDeclaration,
  mistakes: MistakeList,
): ReadonlyMap<string, ProblemKind> => {
  const hasCode = Object.keys(hooks).length > 0 || answers !== undefined || engineMade !== undefined
  if (Object.keys(problems).length > 0 && !hasCode)
    mistakes.add(
      `${name}.problems`,
      'there is no hook that could refuse with them.',
      'Write "hooks", or leave "problems" out.',
    )
  for (const [code, declared] of Object.entries(problems)) {
    const where = `${name}.problems.${code}`
    if (!hyphenPattern.test(code) || code.length > longest)
      mistakes.add(
        `${name}.problems`,
        `"${code}" is not a code.`,
        `Write at most ${longest} characters, lowercase words joined by single hyphens, such as "too-many-loans".`,
      )
    else if (isEngineProblem(code))
      mistakes.add(where, 'it is a problem of the engine.', 'Choose another code.')
    if (!refusalStatuses.includes(declared.status))
      mistakes.add(
        where,
        `${declared.status} is not a status that a hook can refuse with.`,
        `Write one of ${refusalStatuses.join(', ')}.`,
      )
    if (declared.title.trim() === '')
      mistakes.add(where, 'its title is empty.', 'Write in a few words what is wrong.')
  }
  return new Map(Object.entries(problems).map(([code, declared]) => [code, kindOf(declared)]))
}

const kindOf = ({ status, title, description, fix }: ProblemDeclaration): ProblemKind => ({
  status,
  title,
  meaning:
    description ??
    'The call is valid in form, but breaks a rule that this API has beyond its schemas. Nothing was changed.',
  fix: fix ?? 'The `detail` says what is wrong, and `errors`, where it is there, which field is at fault.',
})

/**
 * Every problem that the service can answer with, by type: the engine's own, and those that are declared, sorted. Documents
 * of published versions list them in this order, so that it must not follow the declaration.
 */
export const allProblems = (
  resources: Iterable<Resource>,
  mistakes: MistakeList,
): ReadonlyMap<string, ProblemKind> => {
  const declared = new Map<string, ProblemKind>()
  const declaredBy = new Map<string, Resource>()
  for (const resource of resources) {
    for (const [code, kind] of resource.problems) {
      const first = declaredBy.get(code)
      const other = first?.problems.get(code)
      if (first && other && (other.status !== kind.status || other.title !== kind.title))
        mistakes.add(
          `${resource.name}.problems.${code}`,
          `${first.name} declares it as ${other.status} "${other.title}", and a type means one thing.`,
          'Give both the same status and title, or one of them another code.',
        )
      if (first) continue
      declaredBy.set(code, resource)
      declared.set(code, kind)
    }
  }
  const sorted = [...declared].sort(([a], [b]) => (a < b ? -1 : 1))
  return new Map([...Object.entries(problemKinds), ...sorted])
}
