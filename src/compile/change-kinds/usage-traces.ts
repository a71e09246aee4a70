import type { Method } from '../../declare/resource.ts'
import type { Version, View } from '../model.ts'
import { olderView, type VersionStep } from './step.ts'

/** The parts of a call, besides its method and path, that are counted per consumer. */
export type DetailKind = 'include' | 'filter' | 'sort' | 'field' | 'list'

/** What a call may ask of a list besides: that it is searched or counted, or that it takes many rows at once. */
export type ListPart = 'search' | 'count' | 'bulk'

/** Which recorded calls depend on the older side of a change. Reads of a field are not recorded: whole rows are read. */
export interface UsageTraces {
  /** A phrase for a call that depends on it, or null. */
  operation?(method: string, template: string): string | null
  detail?(resource: string, kind: DetailKind, name: string): string | null
  /** Calls do not show who depends on it, so that nobody can be said not to. */
  readonly isUnknown?: boolean
}

const verbs: { readonly [K in DetailKind]: string } = {
  include: 'includes',
  filter: 'filters by',
  sort: 'sorts by',
  field: 'sends',
  list: 'uses',
}

/** Calls that send these fields, filter by them or sort by them; also those of other resources whose filters lead to them. */
export const fieldTraces = (
  view: View | undefined,
  names: readonly string[],
  kinds: readonly DetailKind[] = ['field', 'filter', 'sort'],
): UsageTraces => ({
  detail: (resource, kind, name) => {
    if (!view || !kinds.includes(kind)) return null
    const counts = view.version.views.get(resource)?.totals?.of() === view
    const isOwn = (counts || resource === view.name) && names.includes(name)
    const verb = counts && kind === 'field' ? 'groups by' : verbs[kind]
    return isOwn || (kind === 'filter' && leadsTo(view, names, resource, name)) ? `${verb} \`${name}\`` : null
  },
})

/** Whether a filter of a resource leads by relations to one of these fields. */
const leadsTo = (view: View, names: readonly string[], resource: string, path: string): boolean => {
  const steps = view.version.views.get(resource)?.filterOf.get(path)?.steps ?? []
  return steps.at(-1)?.target() === view && names.includes(path.slice(path.lastIndexOf('.') + 1))
}

const listPhrases: { readonly [P in ListPart]: (resource: string) => string } = {
  search: (resource) => `searches \`${resource}\``,
  count: (resource) => `counts \`${resource}\``,
  bulk: (resource) => `sends lists of \`${resource}\``,
}

/** Calls that search a list, count it, or bring many rows at once. */
export const listTraces = (step: VersionStep, resource: string, part: ListPart): UsageTraces => {
  const name = olderView(step, resource)?.name
  return {
    detail: (called, kind, asked) =>
      kind === 'list' && asked === part && called === name ? listPhrases[part](called) : null,
  }
}

/** Calls to a resource with one of the methods; HEAD counts as GET. */
export const methodTraces = (
  step: VersionStep,
  resource: string,
  ...methods: readonly Method[]
): UsageTraces =>
  callTraces(
    step,
    resource,
    methods.includes('GET') ? [...methods, 'HEAD'] : methods,
    (called, template) => `calls \`${called} ${template}\``,
  )

export const createTraces = (step: VersionStep, resource: string, how: string): UsageTraces =>
  callTraces(step, resource, ['POST'], () => `creates \`${olderView(step, resource)?.name}\` ${how}`)

const callTraces = (
  step: VersionStep,
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
