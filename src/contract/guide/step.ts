import type { Version, View, ViewField } from '../../compile/model.ts'

/** One step between neighbouring versions, with the names of both. */
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

export const code = (text: string): string => `\`${text}\``

export const newerView = ({ newer }: Step, resource: string): View | undefined => newer.views.get(resource)
export const olderView = (step: Step, resource: string): View | undefined =>
  step.older.viewOf.get(newerView(step, resource)?.resource.name ?? '')
export const olderName = (step: Step, resource: string): string => olderView(step, resource)?.name ?? resource

/** The same stored field as the older version shows it. */
export const olderField = (step: Step, resource: string, field: string): ViewField | undefined => {
  const stored = newerView(step, resource)?.field.get(field)?.field
  return olderView(step, resource)?.fields.find((one) => one.field && one.field === stored)
}

/** Every path with the resource's name in it: its own, and what lies below it. */
export const pathRows = (step: Step, resource: string): readonly (readonly [string, string])[] => {
  const [before, after] = [olderView(step, resource), newerView(step, resource)]
  if (!before || !after) return []
  const path = (version: Version, ...segments: string[]) => code(`/${[version.name, ...segments].join('/')}`)
  const rows: [string, string][] = [[path(step.older, before.name), path(step.newer, after.name)]]
  for (const { name, relation } of before.relations.values()) {
    const now = [...after.relations.values()].find((one) => one.relation === relation)
    if (!now || relation.kind !== 'has-many') continue
    const below = (one: string) => one.replaceAll('_', '-')
    rows.push([
      path(step.older, before.name, '{id}', below(name)),
      path(step.newer, after.name, '{id}', below(now.name)),
    ])
  }
  return rows
}

export const queryRows = (
  step: Step,
  resource: string,
  from: string,
  to: string,
): readonly (readonly [string, string])[] => {
  const view = newerView(step, resource)
  const rows: [string, string][] = []
  if (view?.filters.has(to)) rows.push([code(`filter[${from}]=…`), code(`filter[${to}]=…`)])
  if (view?.sorts.has(to)) rows.push([code(`sort=${from}`), code(`sort=${to}`)])
  return rows
}
