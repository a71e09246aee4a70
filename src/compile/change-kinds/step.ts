import type { Version, View, ViewField } from '../model.ts'

/** Two neighbouring versions. Changes name resources and fields as the newer one does. */
export interface Step {
  readonly older: Version
  readonly newer: Version
}

/** The way from a version to a newer one; empty where `to` is not newer. */
export const stepsBetween = (from: Version, to: Version): readonly Step[] => {
  const steps: Step[] = []
  for (let older = from; older !== to; ) {
    const { successor: newer } = older
    if (!newer) return []
    steps.push({ older, newer })
    older = newer
  }
  return steps
}

export const newerView = ({ newer }: Step, resource: string): View | undefined => newer.views.get(resource)
export const olderView = (step: Step, resource: string): View | undefined =>
  step.older.viewOf.get(newerView(step, resource)?.resource.name ?? '')
export const olderName = (step: Step, resource: string): string => olderView(step, resource)?.name ?? resource

/** The same stored field as the older version shows it. */
export const olderField = (step: Step, resource: string, field: string): ViewField | undefined => {
  const stored = newerView(step, resource)?.field.get(field)?.field
  return olderView(step, resource)?.fields.find((one) => one.field && one.field === stored)
}

export const olderFieldName = (step: Step, resource: string, field: string): string =>
  olderField(step, resource, field)?.name ?? field
