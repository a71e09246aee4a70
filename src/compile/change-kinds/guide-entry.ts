import { newerView, olderFieldName, type Step } from './step.ts'

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

export const code = (text: string): string => `\`${text}\``

export const exampleOf = (
  step: Step,
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
  step: Step,
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

export const storedName = (step: Step, resource: string, field: string): string =>
  newerView(step, resource)?.field.get(field)?.field?.name ?? field
