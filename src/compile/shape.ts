import type { ApiDeclaration } from '../declare/api.ts'
import type { MistakeList } from './mistakes.ts'
import { didYouMean } from './nearest.ts'

const apiKeys = [
  'kind',
  'name',
  'title',
  'description',
  'resources',
  'versions',
  'unversioned',
  'limits',
  'rate',
  'rateStoreAway',
  'tokens',
  'cors',
  'proxies',
  'seed',
]
const resourceKeys = [
  'kind',
  'name',
  'fields',
  'relations',
  'description',
  'shared',
  'owner',
  'idPrefix',
  'nameIsPluralBecause',
  'unique',
  'filter',
  'sort',
  'include',
  'methods',
  'idempotencyKey',
  'requireIfMatch',
  'cacheControl',
  'scopes',
  'rate',
  'limits',
  'onlyWhile',
  'deleteOnlyWhile',
  'hooks',
]

/** Whether this is a declaration at all: what TypeScript would have said, for those who do not ask it. */
export const checkShape = (declaration: unknown, mistakes: MistakeList): declaration is ApiDeclaration => {
  if (!isKind(declaration, 'api')) {
    mistakes.add(
      'api',
      'this is not an API declaration.',
      "Export the result of api('name', { resources: […] }) as default.",
    )
    return false
  }
  const { name, resources } = declaration
  if (typeof name !== 'string' || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    mistakes.add(
      'api',
      `${JSON.stringify(name)} is not a name.`,
      'Write lowercase words joined by hyphens, such as "shop".',
    )
  unknownKeys(declaration, apiKeys, 'api', mistakes)
  if (!Array.isArray(resources) || resources.length === 0) {
    mistakes.add('resources', 'there are none.', "List at least one resource('name', { fields: { … } }).")
    return false
  }
  let sound = true
  for (const [index, resource] of resources.entries()) {
    if (!isKind(resource, 'resource') || typeof resource.name !== 'string') {
      mistakes.add(
        `resources[${index}]`,
        'this is not a resource.',
        "Write resource('name', { fields: { … } }).",
      )
      sound = false
      continue
    }
    unknownKeys(resource, resourceKeys, resource.name, mistakes)
    for (const [relation, declared] of Object.entries(resource.relations ?? {}))
      if (!isKind(declared, 'belongs-to') && !isKind(declared, 'has-many')) {
        mistakes.add(
          `${resource.name}.relations.${relation}`,
          'this is not a relation.',
          "Write belongsTo('…') or hasMany('…').",
        )
        sound = false
      }
  }
  return sound
}

type Thing = { readonly kind: string; readonly [key: string]: unknown }

const isKind = (value: unknown, kind: string): value is Thing =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind

const unknownKeys = (thing: Thing, known: readonly string[], where: string, mistakes: MistakeList): void => {
  for (const key of Object.keys(thing))
    if (!known.includes(key))
      mistakes.add(where, `"${key}" is not an option.`, didYouMean(key, known.slice(2)))
}
