import type { ScopeRule } from '../../declare/resource.ts'
import { filterTargets } from '../changes/filter-targets.ts'
import type { Resource, Version, View } from '../model.ts'
import { headField } from './views.ts'

/** What differs between the collections that the engine itself serves. */
interface EngineCollection {
  readonly serves: 'events' | 'audit'
  readonly scope: ScopeRule
  readonly filters: readonly string[]
}

/** A read-only collection that the engine itself serves, in the words of a version. */
export function engineView(
  version: Version,
  resource: Resource,
  { serves, scope, filters: named }: EngineCollection,
): View {
  const fields = resource.fields.map((field) => Object.freeze({ ...headField(field), target: null }))
  const field = new Map(fields.map((one) => [one.name, one]))
  const filters = new Set(named)
  return Object.freeze({
    version,
    name: resource.name,
    resource,
    serves,
    totals: null,
    events: false,
    audited: false,
    fields,
    field,
    relations: new Map(),
    includePaths: [],
    include: new Map(),
    filters,
    filterOf: filterTargets({ field, relations: new Map() }, filters),
    sorts: new Set<string>(),
    searched: new Set<string>(),
    eitherOr: false,
    counted: false,
    bulk: false,
    topLevel: true,
    under: [],
    methods: new Set(['GET'] as const),
    reads: { one: true, list: true },
    idempotency: { mode: 'off', storesBody: false },
    requireIfMatch: false,
    cacheControl: 'private, no-cache',
    scopes: { GET: scope, POST: scope, PUT: scope, PATCH: scope, DELETE: scope },
    limits: version.limits,
    rate: null,
    publishedRules: new Map(),
    whenAbsent: new Map(),
    customs: [],
    description: resource.description,
  } satisfies View)
}
