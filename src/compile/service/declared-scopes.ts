import type { ApiDeclaration } from '../../declare/api.ts'
import type { MistakeList } from '../mistakes.ts'
import { nearest } from '../names/nearest.ts'
import { scopePattern } from '../resources/methods-and-scopes.ts'
import type { Drafts } from '../resources/resource-draft.ts'

/** Words that mean something else where the name of a scope can stand. */
const taken = ['public', 'authenticated']

/** The scopes that every resource has. */
const scopesOf = (resources: ApiDeclaration['resources']): readonly string[] =>
  resources.flatMap(({ name }) => [`${name}:read`, `${name}:write`])

/** The scopes that the API declares, each with its sentence for people. */
export const declaredScopes = (
  { scopes = {}, resources }: ApiDeclaration,
  mistakes: MistakeList,
): ReadonlyMap<string, string> => {
  const builtIn = scopesOf(resources)
  for (const [scope, sentence] of Object.entries(scopes)) {
    const where = `scopes.${scope}`
    if (!scopePattern.test(scope) || taken.includes(scope))
      mistakes.add(where, `"${scope}" is not the name of a scope.`, 'Write a name such as "loans:all".')
    if (builtIn.includes(scope))
      mistakes.add(where, 'every resource has this scope.', 'Take it out, or choose another name.')
    if (sentence.trim() === '')
      mistakes.add(
        where,
        'it says nothing to people.',
        'Write what the scope opens, such as "See every loan.".',
      )
  }
  return new Map(Object.entries(scopes))
}

/** The scopes that rules and fields may ask for: declared ones, `{resource}:read` and `{resource}:write`, and those of methods. */
export const askableScopes = ({ resources, scopes = {} }: ApiDeclaration): ReadonlySet<string> => {
  const ofMethods = resources.flatMap((one) => Object.values(one.scopes ?? {}))
  const all = [...Object.keys(scopes), ...scopesOf(resources), ...ofMethods]
  return new Set(all.filter((scope) => !taken.includes(scope)))
}

/** Adds a mistake where a rule or a field asks for a scope that does not exist. */
export const checkAsked = (
  scope: string,
  askable: ReadonlySet<string>,
  where: string,
  mistakes: MistakeList,
): void => {
  if (askable.has(scope)) return
  const near = nearest(scope, askable)
  mistakes.add(
    where,
    `there is no scope "${scope}".`,
    // Every resource has two scopes: a list of all of them would hide what to do.
    `${near === null ? '' : `Did you mean "${near}"? `}Scopes of your own are declared: api(…, { scopes: { '${scope}': 'What it opens.' } }).`,
  )
}

/** Sets which scopes decide what callers are shown of each resource. */
export const linkAskedScopes = (declaration: ApiDeclaration, drafts: Drafts, mistakes: MistakeList): void => {
  const askable = askableScopes(declaration)
  for (const { model } of drafts.values()) {
    for (const { name, needsScopes } of model.fields)
      for (const scope of needsScopes) checkAsked(scope, askable, `${model.name}.fields.${name}`, mistakes)
    const ofRows = model.rules.read?.scopes ?? []
    model.asks = [...new Set([...model.fields.flatMap((field) => field.needsScopes), ...ofRows])].sort()
  }
}

/** An API that declares scopes declares all: a name of a method's scope that is not among them is most likely misspelt. */
export const checkMethodScopes = ({ resources, scopes }: ApiDeclaration, mistakes: MistakeList): void => {
  if (scopes === undefined) return
  const known = new Set([...Object.keys(scopes), ...scopesOf(resources), ...taken])
  for (const { name, scopes: ofMethods = {} } of resources)
    for (const scope of Object.values(ofMethods))
      if (typeof scope === 'string') checkAsked(scope, known, `${name}.scopes`, mistakes)
}
