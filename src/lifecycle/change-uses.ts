import type { BelongsToModel, HasManyModel, IncludeNode, Version, View } from '../compile/model.ts'
import type { Change, ChangeOfKind } from '../declare/change.ts'
import type { DetailKind } from './counts.ts'

/** How calls show that a consumer uses what a change removed. Reading a field leaves no trace: calls read whole rows. */
export interface Traces {
  /** What the call does, as text, or null when it does not use it. */
  operation(method: string, template: string): string | null
  detail(resource: string, kind: DetailKind, name: string): string | null
}

type Tracers = {
  readonly [K in Change['kind']]: (change: ChangeOfKind<K>, older: Version) => Partial<Traces>
}

const unseen: Traces = { operation: () => null, detail: () => null }

export const tracesOf = (change: Change, older: Version): Traces => ({
  ...unseen,
  ...(tracers[change.kind] as (change: Change, older: Version) => Partial<Traces>)(change, older),
})

const verbs: { readonly [K in DetailKind]: string } = {
  include: 'includes',
  filter: 'filters by',
  sort: 'sorts by',
  field: 'sends',
}

/** Changes name resources as the newer version does. */
const newerView = (older: Version, resource: string): View | undefined => older.successor?.views.get(resource)
const olderView = (older: Version, resource: string): View | undefined =>
  older.viewOf.get(newerView(older, resource)?.resource.name ?? '')

/** The name in the older version of a field that both versions have. */
const olderField = (older: Version, resource: string, field: string): string => {
  const stored = newerView(older, resource)?.field.get(field)?.field
  const before = olderView(older, resource)?.fields.find((one) => one.field && one.field === stored)
  return before?.name ?? field
}

/** Fields that are sent, filtered by or sorted by in calls to the resource itself. */
const fields = (
  view: View | undefined,
  names: readonly string[],
  kinds: readonly DetailKind[] = ['field', 'filter', 'sort'],
): Partial<Traces> => ({
  detail: (resource, kind, name) =>
    resource === view?.name && names.includes(name) && kinds.includes(kind)
      ? `${verbs[kind]} \`${name}\``
      : null,
})

const calls = (
  older: Version,
  view: View | undefined,
  methods: readonly string[],
  text: (method: string, template: string) => string = (method, template) =>
    `calls \`${method} ${template}\``,
): Partial<Traces> => ({
  operation: (method, template) =>
    view && methods.includes(method) && viewAt(older, template) === view ? text(method, template) : null,
})

const creates = (older: Version, resource: string, how: string): Partial<Traces> => {
  const view = olderView(older, resource)
  return calls(older, view, ['POST'], () => `creates \`${view?.name}\` ${how}`)
}

const tracers: Tracers = {
  'rename-resource': ({ from }) => ({
    operation: (_, template) => (template.split('/')[1] === from ? `calls \`/${from}\`` : null),
  }),
  'rename-field': ({ resource, from }, older) => fields(olderView(older, resource), [from]),
  'rename-relation': ({ resource, from, to }, older) => {
    const view = olderView(older, resource)
    const relation = newerView(older, resource)?.relations.get(to)?.relation
    const own = fields(view, relation?.kind === 'belongs-to' ? [`${from}_id`] : [])
    const path = `/${view?.name}/{id}/${from.replaceAll('_', '-')}`
    return {
      operation: (_, template) => (template.startsWith(path) ? `calls \`${path}\`` : null),
      detail: (name, kind, at) =>
        kind === 'include' && relation && usesRelation(older.views.get(name), at, relation)
          ? `includes \`${at}\``
          : (own.detail?.(name, kind, at) ?? null),
    }
  },
  'map-values': ({ resource, field }, older) =>
    fields(olderView(older, resource), [olderField(older, resource, field)]),
  'change-type': ({ resource, field }, older) =>
    fields(olderView(older, resource), [olderField(older, resource, field)]),
  'remove-field': ({ resource, field }, older) => fields(olderView(older, resource), [field]),
  'add-required-field': ({ resource, field }, older) => creates(older, resource, `without \`${field}\``),
  'make-required': ({ resource, field }, older) =>
    creates(older, resource, `and may leave out \`${olderField(older, resource, field)}\``),
  'change-default': ({ resource, field }, older) =>
    creates(older, resource, `and may leave out \`${olderField(older, resource, field)}\``),
  'remove-include': ({ resource, path }, older) =>
    fields(olderView(older, resource), [olderPath(older, resource, path)], ['include']),
  'remove-filter': ({ resource, field }, older) =>
    fields(olderView(older, resource), [olderField(older, resource, field)], ['filter']),
  'remove-sort': ({ resource, field }, older) =>
    fields(olderView(older, resource), [olderField(older, resource, field)], ['sort']),
  'change-limit': () => ({}),
  'require-idempotency-key': ({ resource }, older) => calls(older, olderView(older, resource), ['POST']),
  'require-scope': ({ resource, method }, older) =>
    calls(older, olderView(older, resource), method === 'GET' ? ['GET', 'HEAD'] : [method]),
  'remove-method': ({ resource, method }, older) =>
    calls(older, olderView(older, resource), method === 'GET' ? ['GET', 'HEAD'] : [method]),
  custom: ({ resource, fields: made }, older) => fields(olderView(older, resource), Object.keys(made)),
}

/** The view that answers at `/clients/{id}/orders`. */
function viewAt(older: Version, template: string): View | undefined {
  const [, name = '', , segment] = template.split('/')
  if (segment === undefined) return older.views.get(name)
  return [...older.views.values()].find((view) =>
    view.under.some((sub) => sub.owner().name === name && sub.segment === segment),
  )
}

/** Whether an include path uses that relation. */
function usesRelation(
  view: View | undefined,
  path: string,
  relation: BelongsToModel | HasManyModel,
): boolean {
  let nodes: ReadonlyMap<string, IncludeNode> | undefined = view?.include
  for (const name of path.split('.')) {
    const node: IncludeNode | undefined = nodes?.get(name)
    if (node?.relation.relation === relation) return true
    nodes = node?.children
  }
  return false
}

/** An include path in the names of the older version. */
function olderPath(older: Version, resource: string, path: string): string {
  let [newer, before] = [newerView(older, resource), olderView(older, resource)]
  const names = path.split('.').map((name) => {
    const relation = newer?.relations.get(name)?.relation
    const same = [...(before?.relations.values() ?? [])].find((one) => one.relation === relation)
    newer = newer?.relations.get(name)?.target()
    before = same?.target()
    return same?.name ?? name
  })
  return names.join('.')
}
