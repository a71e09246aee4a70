import type { z } from 'zod'
import type { ApiDeclaration } from '../../declare/api.ts'
import type { Change } from '../../declare/change.ts'
import type { VersionDeclaration } from '../../declare/version.ts'
import { changedResource, kindOf, storeEffects } from '../change-kinds/change-kinds.ts'
import { checkChangedPlaces } from '../changes/changed-places.ts'
import { inFrozenOrder } from '../changes/frozen-order.ts'
import { hideUnfrozen } from '../changes/hide-unfrozen.ts'
import { linkVersion } from '../changes/link-version.ts'
import { withOwnNames } from '../changes/own-names.ts'
import { type ChangeList, type Report, reportOf } from '../changes/report.ts'
import { checkUniques } from '../changes/uniques.ts'
import { type Draft, type DraftTotals, draftOf } from '../changes/view-draft.ts'
import type { Contract } from '../contract-format.ts'
import { type MistakeList, mistakeList } from '../mistakes.ts'
import type { Resource, Version } from '../model.ts'
import { checkDates, versionDates } from './dates.ts'

/** A field that newer versions removed, kept in the store for the older one that still shows it. */
export interface KeptField {
  readonly name: string
  readonly schema: z.ZodType
}

/** Removed fields by the head's name of their resource: changes name it as the next newer version does. */
export const keptFields = (declaration: ApiDeclaration): ReadonlyMap<string, readonly KeptField[]> => {
  const kept = new Map<string, readonly KeptField[]>()
  const declared = declaration.versions ?? []
  declared.forEach(({ changes }, index) => {
    for (const change of changes) {
      const resource = headName(changedResource(change), declared.slice(0, index))
      for (const { field: name, schema } of storeEffects([change], 'column-hidden'))
        kept.set(resource, [...(kept.get(resource) ?? []), { name, schema }])
    }
  })
  return kept
}

/** A resource's name in the head, from its name in the version that follows `newer` (newest first). */
const headName = (resource: string, newer: readonly VersionDeclaration[]): string => {
  let name = resource
  for (const { changes } of newer.toReversed())
    name = storeEffects(changes, 'table-renamed').find(({ from }) => from === name)?.to ?? name
  return name
}

/** Every version but the head, newest first: each is its changes taken back from the next newer one. */
export const olderVersions = (
  head: Version,
  declaration: ApiDeclaration,
  contracts: ReadonlyMap<string, unknown>,
  mistakes: MistakeList,
): readonly Version[] => {
  const declared = declaration.versions ?? []
  checkDates(declared, mistakes)
  checkKept(declaration, mistakes)
  for (const { name, changes } of declared) checkChangedPlaces(name, changes, mistakes)
  const versions: Version[] = []
  let newer = head
  for (const one of declared.slice(1)) {
    newer = olderVersion(one, newer, contracts.get(one.name) as Contract | undefined, mistakes)
    checkUniques(newer, mistakes)
    versions.push(newer)
  }
  checkReachable(head, versions, mistakes)
  return versions
}

/** A resource without methods exists for older versions; where none offers it, that is a mistake. */
const checkReachable = (head: Version, older: readonly Version[], mistakes: MistakeList): void => {
  for (const { methods, resource } of head.views.values()) {
    const offered = older.some(({ viewOf }) => (viewOf.get(resource.name)?.methods.size ?? 0) > 0)
    if (methods.size > 0 || offered) continue
    mistakes.add(
      `${resource.name}.methods`,
      'there are none, and no older version offers any.',
      'Leave "methods" out for all, or write removeMethod(…) into the version that had them.',
    )
  }
}

const olderVersion = (
  declared: VersionDeclaration,
  newer: Version,
  frozen: Contract | undefined,
  mistakes: MistakeList,
): Version => {
  const { name, changes } = declared
  const views = takenBack(declared, newer, mistakes)
  const about = {
    name,
    head: false,
    ...versionDates(declared, mistakes),
    title: frozen?.title ?? newer.title,
    description: frozen ? (frozen.description ?? '') : newer.description,
    prefix: newer.prefix,
    successor: newer,
    limits: newer.limits,
    changes,
  }
  return linkVersion(about, frozen ? inFrozenOrder(hideUnfrozen(views, frozen), frozen) : views)
}

const takenBack = (
  { name, changes }: Pick<Version, 'name' | 'changes'>,
  newer: Version,
  mistakes: MistakeList,
): Draft => {
  const list = { version: name, newer: newer.name, changes, claims: new Map(), mistakes }
  return withOwnNames(takeBack(draftOf(newer), list), name, mistakes)
}

/** The newer version's views with every change of the list taken back, still keyed by the newer names. */
const takeBack = (draft: Draft, list: ChangeList): Draft => {
  let at = draft
  for (const phase of [0, 1, 2, 3, 4]) {
    list.changes.forEach((change, index) => {
      const kind = kindOf(change)
      if (kind.phase !== phase) return
      const report = reportOf(list, index, change, at)
      const counted = at.get(changedResource(change))?.totals
      if (counted && !changesOfTotals.has(change.kind)) refuseOfTotals(change, counted, report)
      // A default may be declared again where a map of its values already gave it the older value.
      else if (kind.changesNothing(change, at) && kind.changesNothing(change, draft))
        report.mistake('it changes nothing.', 'Leave it out, or say what the older version had.')
      else at = kind.takeBack(at, change, report) ?? at
    })
  }
  return at
}

/** What totals have of their own: all else is that of the rows they count. */
const changesOfTotals: ReadonlySet<Change['kind']> = new Set<Change['kind']>([
  'rename-resource',
  'remove-method',
  'change-limit',
  'require-scope',
])

const refuseOfTotals = (change: Change, { of }: DraftTotals, report: Report): void => {
  report.mistake(
    `${changedResource(change)} are totals, whose fields and filters are those of ${of}.`,
    `Write the change of ${of}: the totals follow.`,
  )
}

/** An older version with all that its frozen contract hides: it differs from its successor by its changes alone. */
export const withAdditions = (version: Version, successor: Version): Version => {
  const { title, description } = successor
  return linkVersion({ ...version, title, description }, takenBack(version, successor, mistakeList()))
}

/** A kept field has a column of its own, under the name it last had. */
const checkKept = (declaration: ApiDeclaration, mistakes: MistakeList): void => {
  for (const [resource, fields] of keptFields(declaration)) {
    const declared = declaration.resources.find(({ name }) => name === resource)
    const taken = new Set(Object.keys(declared?.fields ?? {}))
    for (const { name } of fields) {
      if (taken.has(name)) {
        mistakes.add(
          `${resource}.${name}`,
          'an older version removed a field of this name, whose values are still kept under it.',
          'Give the new field another name, or retire the older version first.',
        )
      }
      taken.add(name)
    }
  }
}

/** Every stored field that some version filters or sorts a resource by: each needs an index, also those that the head no longer offers. */
export const queriedFields = (resource: Resource, versions: readonly Version[]): readonly string[] => {
  const views = versions.flatMap((version) => [...version.views.values()])
  const filtered = views.flatMap((view) =>
    [...view.filterOf.values()]
      .filter(({ steps }) => (steps.at(-1)?.relation.target ?? view.resource) === resource)
      .map(({ field }) => field),
  )
  const sorted = views
    .filter((view) => view.resource === resource)
    .flatMap((view) => [...view.sorts].map((name) => view.field.get(name)))
  return [...new Set([...filtered, ...sorted].flatMap((field) => field?.field?.name ?? []))]
}

/** Every scope that a field needs in some version: an older one may still need what the head does not. */
export const neededScopes = (resource: Resource, versions: readonly Version[]): readonly string[] =>
  versions.flatMap(({ viewOf }) => viewOf.get(resource.name)?.fields.flatMap((one) => one.needsScopes) ?? [])
