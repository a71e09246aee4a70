import type { Version, View } from '../model.ts'
import { olderView, type Step } from './step.ts'

/** The parts of a call, besides its method and path, that are counted per consumer. */
export type DetailKind = 'include' | 'filter' | 'sort' | 'field'

/** Which recorded calls depend on the older side of a change. Reads of a field are not recorded: whole rows are read. */
export interface UsageTraces {
  /** A phrase for a call that depends on it, or null. */
  operation?(method: string, template: string): string | null
  detail?(resource: string, kind: DetailKind, name: string): string | null
}

const verbs: { readonly [K in DetailKind]: string } = {
  include: 'includes',
  filter: 'filters by',
  sort: 'sorts by',
  field: 'sends',
}

/** Calls to the resource itself that send these fields, filter by them or sort by them. */
export const fieldTraces = (
  view: View | undefined,
  names: readonly string[],
  kinds: readonly DetailKind[] = ['field', 'filter', 'sort'],
): UsageTraces => ({
  detail: (resource, kind, name) =>
    resource === view?.name && names.includes(name) && kinds.includes(kind)
      ? `${verbs[kind]} \`${name}\``
      : null,
})

/** Calls to a resource with the method; HEAD counts as GET. */
export const methodTraces = (step: Step, resource: string, method: string): UsageTraces =>
  callTraces(
    step,
    resource,
    method === 'GET' ? ['GET', 'HEAD'] : [method],
    (called, template) => `calls \`${called} ${template}\``,
  )

export const createTraces = (step: Step, resource: string, how: string): UsageTraces =>
  callTraces(step, resource, ['POST'], () => `creates \`${olderView(step, resource)?.name}\` ${how}`)

export const callTraces = (
  step: Step,
  resource: string,
  methods: readonly string[],
  phrase: (method: string, template: string) => string,
): UsageTraces => {
  const view = olderView(step, resource)
  return {
    operation: (method, template) =>
      view && methods.includes(method) && viewAt(step.older, template) === view
        ? phrase(method, template)
        : null,
  }
}

/** The view that answers at `/clients/{id}/orders`. */
const viewAt = (older: Version, template: string): View | undefined => {
  const [, name = '', , segment] = template.split('/')
  if (segment === undefined) return older.views.get(name)
  return [...older.views.values()].find((view) =>
    view.under.some((sub) => sub.owner().name === name && sub.segment === segment),
  )
}
