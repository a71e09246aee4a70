import type { ApiDeclaration } from '../../declare/api.ts'
import type { RelationDeclaration, RelationDeclarations } from '../../declare/relation.ts'
import type { ResourceDeclaration } from '../../declare/resource.ts'
import type { VersionDeclaration } from '../../declare/version.ts'
import { type MistakeList, shownValue } from '../mistakes.ts'
import { hyphenPattern } from '../names/name-rules.ts'
import { soundChanges } from './change-shape.ts'
import { soundOptions } from './shapes.ts'
import { apiTable, relationTables, resourceTable, totalsTable, versionTable } from './tables.ts'

/**
 * The usable part of a declaration. Wrong parts are reported as mistakes and left out, so that all others are still found. Not a Zod
 * schema: Zod reports what is wrong, but does not give the usable rest.
 */
export interface Shaped {
  readonly declaration: ApiDeclaration
  /** Whether every version has all its changes. Where one was left out, the others cannot be checked. */
  readonly changesWhole: boolean
}

/**
 * Checks what TypeScript would check, for declarations that were never type-checked.
 * Null when no part is usable.
 */
export const checkedDeclaration = (declared: unknown, mistakes: MistakeList): Shaped | null => {
  if (!isKind(declared, 'api'))
    return mistakes.add(
      'api',
      'this is not an API declaration.',
      "Export the result of api('name', { resources: […] }) as default.",
    )
  if (typeof declared.name !== 'string' || !hyphenPattern.test(declared.name))
    mistakes.add(
      'api',
      `${shownValue(declared.name)} is not a name.`,
      'Write lowercase words joined by hyphens, such as "shop".',
    )
  const options = soundOptions(declared, apiTable, 'api', mistakes)
  if (options === undefined) return null
  const resources = soundResources(options.resources as readonly unknown[], mistakes)
  const versions = Array.from((options.versions ?? []) as readonly unknown[], (version, index) =>
    soundVersion(version, index, mistakes),
  ).filter((version) => version !== null)
  if (resources === null) return null
  // A declaration without mistakes is returned itself, not a copy: its hooks and its seed may be more than plain data.
  if (mistakes.all.length === 0)
    return { declaration: declared as unknown as ApiDeclaration, changesWhole: true }
  // Where a version was left out, `unversioned` cannot be checked.
  const all = versions.length === ((declared.versions as readonly unknown[] | undefined) ?? []).length
  const rest = {
    ...options,
    resources,
    versions:
      all && declared.versions !== undefined ? versions.map(({ declaration }) => declaration) : undefined,
    unversioned: all ? options.unversioned : undefined,
  }
  return {
    declaration: rest as unknown as ApiDeclaration,
    changesWhole: all && versions.every(({ whole }) => whole),
  }
}

type Thing = { readonly kind: string; readonly [key: string]: unknown }

const isKind = (value: unknown, kind: string): value is Thing =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind

/** Null when one of them is unusable: references to it from the others could not be checked. */
const soundResources = (
  declared: readonly unknown[],
  mistakes: MistakeList,
): readonly ResourceDeclaration[] | null => {
  if (declared.length === 0)
    mistakes.add('resources', 'there are none.', "List at least one resource('name', { fields: { … } }).")
  const resources = Array.from(declared, (resource, index) => soundResource(resource, index, mistakes))
  const sound = resources.filter((resource) => resource !== null)
  return sound.length > 0 && sound.length === resources.length ? sound : null
}

const soundResource = (
  declared: unknown,
  index: number,
  mistakes: MistakeList,
): ResourceDeclaration | null => {
  if (!isKind(declared, 'resource') || typeof declared.name !== 'string')
    return mistakes.add(
      `resources[${index}]`,
      'this is not a resource.',
      "Write resource('name', { fields: { … } }).",
    )
  const { name } = declared
  if (declared.totals !== undefined)
    return (soundOptions(declared, totalsTable, name, mistakes) ?? null) as ResourceDeclaration | null
  const options = soundOptions(declared, resourceTable, name, mistakes)
  if (options === undefined || (declared.relations !== undefined && options.relations === undefined))
    return null
  const relations = soundRelations(options.relations ?? {}, `${name}.relations`, mistakes)
  return { ...options, relations } as unknown as ResourceDeclaration
}

const soundRelations = (declared: object, where: string, mistakes: MistakeList): RelationDeclarations => {
  const relations = Object.entries(declared).map(
    ([name, relation]) => [name, soundRelation(relation, `${where}.${name}`, mistakes)] as const,
  )
  return Object.fromEntries(relations)
}

/**
 * An unusable relation stays, without a target, so that it is not also reported as missing. A has-many with a wrong option is unusable:
 * without a `through` or a `by` that is misspelt, it would be said to lead nowhere.
 */
const soundRelation = (declared: unknown, where: string, mistakes: MistakeList): RelationDeclaration => {
  const kind = ['belongs-to', 'has-many'].find((known) => isKind(declared, known))
  if (kind === undefined)
    mistakes.add(where, 'this is not a relation.', "Write belongsTo('…') or hasMany('…').")
  const before = mistakes.all.length
  const sound = kind && soundOptions(declared as Thing, relationTables[kind] ?? {}, where, mistakes)
  const isUsable = kind === 'belongs-to' || mistakes.all.length === before
  return ((isUsable && sound) || { kind: kind ?? 'belongs-to' }) as unknown as RelationDeclaration
}

interface SoundVersion {
  readonly declaration: VersionDeclaration
  /** Whether none of its changes was left out. */
  readonly whole: boolean
}

const soundVersion = (declared: unknown, index: number, mistakes: MistakeList): SoundVersion | null => {
  if (!isKind(declared, 'version') || typeof declared.name !== 'string')
    return mistakes.add(`versions[${index}]`, 'this is not a version.', "Write version('v1', { … }).")
  const { name } = declared
  const options = soundOptions(declared, versionTable, `versions.${name}`, mistakes)
  const written = (options?.changes ?? null) as readonly unknown[] | null
  const changes = soundChanges(written ?? [], name, mistakes)
  return {
    declaration: { name, ...options, changes } as unknown as VersionDeclaration,
    whole: changes.length === written?.length,
  }
}
