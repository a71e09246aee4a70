import type { ScopeRule } from '../../declare/resource.ts'
import type { DraftView } from '../changes/view-draft.ts'
import type { Field, Resource, Version } from '../model.ts'
import { plainResource } from '../resources/resource-draft.ts'
import { headField, onlyRead } from './views.ts'

/** What differs between the collections that the engine itself serves. */
interface EngineCollection extends Pick<Resource, 'name' | 'table' | 'newestFirst' | 'description'> {
  readonly serves: 'events' | 'audit'
  readonly scope: ScopeRule
  readonly filters: readonly string[]
  readonly fields: readonly Field[]
}

/** A read-only collection that the engine itself serves, in the words of a version. */
export function engineView(
  { limits }: Version,
  { serves, scope, filters, fields: written, ...own }: EngineCollection,
): DraftView {
  const fields = written.map((field) => Object.freeze({ ...field, readOnly: true }))
  const field = new Map(fields.map((one) => [one.name, one]))
  const resource: Resource = Object.freeze({ ...plainResource(own.name), ...own, fields, field })
  return {
    ...onlyRead,
    name: own.name,
    resource,
    serves,
    totals: null,
    fields: new Map(fields.map((one) => [one.name, headField(one)])),
    filters: new Set(filters),
    eitherOr: false,
    topLevel: true,
    methods: new Set(['GET'] as const),
    reads: { one: true, list: true },
    cacheControl: 'private, no-cache',
    scopes: { GET: scope, POST: scope, PUT: scope, PATCH: scope, DELETE: scope },
    limits,
    rate: null,
    description: own.description,
  }
}
