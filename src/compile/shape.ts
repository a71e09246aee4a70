import type { ApiDeclaration } from '../declare/api.ts'
import type { MistakeList } from './mistakes.ts'
import { didYouMean } from './nearest.ts'

type Shape = 'text' | 'switch' | 'list' | 'object' | 'any'
const said: { readonly [S in Shape]: string } = {
  text: 'a text',
  switch: 'true or false',
  list: 'a list',
  object: 'an object',
  any: 'anything',
}

const apiShape: { readonly [option: string]: Shape } = {
  title: 'text',
  description: 'text',
  resources: 'list',
  versions: 'list',
  unversioned: 'text',
  limits: 'object',
  rate: 'object',
  rateStoreAway: 'text',
  tokens: 'object',
  cors: 'object',
  proxies: 'list',
  seed: 'object',
}
const resourceShape: { readonly [option: string]: Shape } = {
  fields: 'object',
  relations: 'object',
  description: 'text',
  shared: 'switch',
  owner: 'text',
  idPrefix: 'text',
  nameIsPluralBecause: 'text',
  unique: 'list',
  filter: 'list',
  sort: 'list',
  include: 'list',
  methods: 'list',
  idempotencyKey: 'any',
  requireIfMatch: 'switch',
  cacheControl: 'text',
  scopes: 'object',
  rate: 'object',
  limits: 'object',
  onlyWhile: 'object',
  deleteOnlyWhile: 'object',
  hooks: 'object',
}
const hookNames = [
  'beforeCreate',
  'afterCreate',
  'beforeUpdate',
  'afterUpdate',
  'beforeDelete',
  'afterDelete',
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
  const { name, resources, versions = [] } = declaration
  if (typeof name !== 'string' || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    mistakes.add(
      'api',
      `${JSON.stringify(name)} is not a name.`,
      'Write lowercase words joined by hyphens, such as "shop".',
    )
  if (!checkOptions(declaration, apiShape, 'api', mistakes)) return false
  if (!Array.isArray(resources) || resources.length === 0) {
    mistakes.add('resources', 'there are none.', "List at least one resource('name', { fields: { … } }).")
    return false
  }
  const strays = (versions as readonly unknown[]).filter((one) => !isKind(one, 'version'))
  for (const stray of strays)
    mistakes.add('versions', `${JSON.stringify(stray)} is not a version.`, "Write version('v1', { … }).")
  const sound = resources.map((resource, index) => checkResource(resource, index, mistakes))
  return sound.every(Boolean) && strays.length === 0
}

const checkResource = (resource: unknown, index: number, mistakes: MistakeList): boolean => {
  if (!isKind(resource, 'resource') || typeof resource.name !== 'string') {
    mistakes.add(
      `resources[${index}]`,
      'this is not a resource.',
      "Write resource('name', { fields: { … } }).",
    )
    return false
  }
  const { name, fields, relations = {}, hooks = {} } = resource
  if (fields === undefined) mistakes.add(`${name}.fields`, 'there are none.', 'Write fields: { … }.')
  if (!checkOptions(resource, resourceShape, name, mistakes) || fields === undefined) return false
  for (const hook of Object.keys(hooks as object))
    if (!hookNames.includes(hook))
      mistakes.add(`${name}.hooks`, `"${hook}" is not a hook.`, didYouMean(hook, hookNames))
  const wrong = Object.entries(relations as object).filter(
    ([, declared]) => !isKind(declared, 'belongs-to') && !isKind(declared, 'has-many'),
  )
  for (const [relation] of wrong)
    mistakes.add(
      `${name}.relations.${relation}`,
      'this is not a relation.',
      "Write belongsTo('…') or hasMany('…').",
    )
  return wrong.length === 0
}

type Thing = { readonly kind: string; readonly [key: string]: unknown }

const isKind = (value: unknown, kind: string): value is Thing =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind

const checkOptions = (
  thing: Thing,
  shape: { readonly [option: string]: Shape },
  where: string,
  mistakes: MistakeList,
): boolean => {
  let sound = true
  for (const [option, value] of Object.entries(thing)) {
    if (option === 'kind' || option === 'name' || value === undefined) continue
    const expected = Object.hasOwn(shape, option) ? shape[option] : undefined
    if (expected === undefined) {
      mistakes.add(where, `"${option}" is not an option.`, didYouMean(option, Object.keys(shape)))
    } else if (!has(value, expected)) {
      mistakes.add(
        `${where}.${option}`,
        `it must be ${said[expected]}.`,
        `Write ${said[expected]}, or leave it out.`,
      )
      sound = false
    }
  }
  return sound
}

const has = (value: unknown, shape: Shape): boolean => {
  switch (shape) {
    case 'text':
      return typeof value === 'string'
    case 'switch':
      return typeof value === 'boolean'
    case 'list':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'any':
      return true
  }
}
