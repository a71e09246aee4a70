import type { Version, View, ViewField } from '../model.ts'

/** Two neighbouring versions. Changes name resources and fields as the newer one does. */
export interface VersionStep {
  readonly older: Version
  readonly newer: Version
}

/** The way from a version to a newer one; empty where `to` is not newer. */
export const stepsBetween = (from: Version, to: Version): readonly VersionStep[] => {
  const steps: VersionStep[] = []
  for (let older = from; older !== to; ) {
    const { successor: newer } = older
    if (!newer) return []
    steps.push({ older, newer })
    older = newer
  }
  return steps
}

export const newerView = ({ newer }: VersionStep, resource: string): View | undefined =>
  newer.views.get(resource)
export const olderView = (step: VersionStep, resource: string): View | undefined =>
  step.older.viewOf.get(newerView(step, resource)?.resource.name ?? '')
export const olderName = (step: VersionStep, resource: string): string =>
  olderView(step, resource)?.name ?? resource

/** The same stored field as the older version shows it. */
export const olderField = (step: VersionStep, resource: string, field: string): ViewField | undefined => {
  const stored = newerView(step, resource)?.field.get(field)?.field
  return olderView(step, resource)?.fields.find((one) => one.field && one.field === stored)
}

export const olderFieldName = (step: VersionStep, resource: string, field: string): string =>
  olderField(step, resource, field)?.name ?? field

/** A path of relations, and what it leads to in both versions, in the names of the older one. */
const olderWay = (step: VersionStep, resource: string, relations: readonly string[]) => {
  let newer = newerView(step, resource)
  let older = olderView(step, resource)
  const names = relations.map((name) => {
    const relation = newer?.relations.get(name)
    const same = older?.relations.values().find((one) => one.relation === relation?.relation)
    newer = relation?.target()
    older = same?.target()
    return same?.name ?? name
  })
  return { names, newer, older }
}

/** An include path in the names of the older version. */
export const olderIncludePath = (step: VersionStep, resource: string, path: string): string =>
  olderWay(step, resource, path.split('.')).names.join('.')

/** The path of a filter in the names of the older version. */
export const olderFilterName = (step: VersionStep, resource: string, path: string): string => {
  const relations = path.split('.')
  const name = relations.pop() ?? ''
  const { names, newer, older } = olderWay(step, resource, relations)
  const stored = newer?.field.get(name)?.field
  const same = older?.fields.find((one) => one.field && one.field === stored)
  return [...names, same?.name ?? name].join('.')
}
