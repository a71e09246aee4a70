import { collectionPaths } from '../names/collection-paths.ts'
import { newerView, olderFieldName, olderView, type VersionStep } from './step.ts'

/** What one change means to a consumer. Everything in it is derived; only `why` was written by a person. */
export interface GuideEntry {
  readonly title: string
  /** What to look for, what to write instead. */
  readonly rows: readonly (readonly [string, string])[]
  readonly note: string
  /** The resource, by its stored name, and the fields (older names, newer names) an example shows; null where no row changes. */
  readonly example: {
    readonly resource: string
    readonly older: readonly string[]
    readonly newer: readonly string[]
    /** Values of the example row that matter, by stored field name. */
    readonly focus: Focus
  } | null
}

type Focus = { readonly [field: string]: unknown }

export const inCode = (text: string): string => `\`${text}\``

export const exampleOf = (
  step: VersionStep,
  resource: string,
  older: readonly string[],
  newer: readonly string[],
  focus: Focus = {},
): GuideEntry['example'] => ({
  resource: newerView(step, resource)?.resource.name ?? resource,
  older,
  newer,
  focus,
})

/** For a change of one field that both versions have. */
export const fieldEntry = (
  step: VersionStep,
  resource: string,
  field: string,
  entry: Omit<GuideEntry, 'example'>,
  focus?: Focus,
): GuideEntry => ({
  ...entry,
  example: exampleOf(step, resource, [olderFieldName(step, resource, field)], [field], focus),
})

/** For a change of a rule, which no row shows. */
export const ruleEntry = (title: string, rows: GuideEntry['rows'], note = ''): GuideEntry => ({
  title,
  rows,
  note,
  example: null,
})

/** The paths of a resource's rows in the older version: `/v1/orders`, `/v1/customers/{id}/orders`. The first is the usual one. */
export const olderPaths = (step: VersionStep, resource: string): readonly [string, ...string[]] => {
  const view = olderView(step, resource)
  const [first = `/${view?.name ?? resource}`, ...others] = view ? collectionPaths(view) : []
  const inVersion = (path: string) => `/${step.older.name}${path}`
  return [inVersion(first), ...others.map(inVersion)]
}

export const storedName = (step: VersionStep, resource: string, field: string): string =>
  newerView(step, resource)?.field.get(field)?.field?.name ?? field
