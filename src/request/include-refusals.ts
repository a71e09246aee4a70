import type { View } from '../compile/model.ts'
import { nearest } from '../compile/names/nearest.ts'
import { plainCounted } from '../compile/names/plural.ts'
import { type FieldError, type ProblemType, problem } from '../problems.ts'
import { allowedNames, type Disclosure, listedNames, offeredPaths, offeredRelations } from './disclosure.ts'
import type { FieldErrors } from './field-errors.ts'
import { badQuery, sentences } from './parameters.ts'

/** What is wrong with an include. Each kind of refusal has its own problem type, with its own members. */
export interface IncludeRefusal {
  readonly type: ProblemType
  readonly error: FieldError
  readonly members: { readonly [name: string]: unknown }
}

export const includeRefusal = (
  type: ProblemType,
  detail: string,
  code: string,
  members: { readonly [name: string]: unknown },
  allowed?: readonly string[],
): IncludeRefusal => ({
  type,
  error: { parameter: 'include', detail, code, ...(allowed ? allowedNames(allowed) : {}) },
  members,
})

/** Throws all that is wrong with a query as one problem: with the type of the include's refusal where nothing else is wrong. */
export function refuseQueryFaults(errors: FieldErrors, includeRefusals: readonly IncludeRefusal[]): void {
  const isIncludeAlone = errors.count === 0
  for (const { error } of includeRefusals) errors.add(() => error)
  if (errors.count === 0) return
  const [first] = includeRefusals
  if (!isIncludeAlone || !first) throw badQuery(errors)
  throw problem(first.type, { detail: sentences(errors), members: first.members, ...errors.details })
}

/** What is wrong with the paths of an include that are not too many, judged in the order too deep, unknown, not whitelisted. */
export function judgePaths(
  paths: readonly string[],
  view: View,
  disclosure: Disclosure,
): readonly IncludeRefusal[] {
  const excess = tooDeep(paths, view)
  if (excess) return [excess]
  const unknown: IncludeRefusal[] = []
  const notAllowed: IncludeRefusal[] = []
  let refused: string | null = null
  for (const path of paths) {
    // The paths are sorted: a refused path is followed by those below it, which are wrong for the same reason.
    if (refused !== null && path.startsWith(`${refused}.`)) continue
    const isUnknown = unknownStep(path, view, disclosure)
    if (isUnknown) unknown.push(isUnknown)
    else if (!view.includePaths.includes(path)) notAllowed.push(notWhitelisted(path, view, disclosure))
    else continue
    refused = path
  }
  return [...unknown, ...notAllowed]
}

export function tooMany(count: number, view: View): IncludeRefusal | null {
  const limit = view.limits.includeRelations
  if (count <= limit) return null
  const detail = `names ${plainCounted(count, 'relation')}, counting parents; at most ${limit} are allowed in one call`
  return includeRefusal('include-too-many', detail, 'too_many', { limit, count })
}

function tooDeep(paths: readonly string[], view: View): IncludeRefusal | null {
  const limit = view.limits.includeDepth
  const deep = paths.find((path) => path.split('.').length > limit)
  if (deep === undefined) return null
  const count = Math.max(...paths.map((path) => path.split('.').length))
  const path = shown(deep)
  const detail = `has more than ${plainCounted(limit, 'step')} in the path "${path}"`
  return includeRefusal('include-too-deep', detail, 'too_deep', { limit, count, path })
}

function unknownStep(path: string, view: View, disclosure: Disclosure): IncludeRefusal | null {
  let at: View = view
  for (const step of path.split('.')) {
    const relation = at.relations.get(step)
    if (!relation) return unknown(path, step, at, view, disclosure)
    at = relation.target()
  }
  return null
}

function unknown(path: string, step: string, at: View, view: View, disclosure: Disclosure): IncludeRefusal {
  const paths = offeredPaths(view, disclosure)
  const near = nearest(step, offeredRelations(at, disclosure)) ?? nearest(path, paths)
  const detail = `names "${shown(step)}", which is not a relation of ${at.name}. ${advice(near, paths, view)}`
  return includeRefusal('include-unknown', detail, 'unknown', members(path, paths, near), paths)
}

function notWhitelisted(path: string, view: View, disclosure: Disclosure): IncludeRefusal {
  const paths = offeredPaths(view, disclosure)
  const near = nearest(path, paths)
  const detail = `names the relation "${shown(path)}", which ${view.name} does not offer for inclusion. ${advice(near, paths, view)}`
  return includeRefusal('include-not-allowed', detail, 'not_allowed', members(path, paths, near), paths)
}

function advice(near: string | null, paths: readonly string[], view: View): string {
  if (near) return `Did you mean "${near}"?`
  return paths.length > 0 ? `Include ${listedNames(paths)}` : `${view.name} offers no include`
}

const members = (path: string, paths: readonly string[], near: string | null) => ({
  path: shown(path),
  allowed: paths,
  ...(near ? { suggestion: near } : {}),
})

const shown = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)
