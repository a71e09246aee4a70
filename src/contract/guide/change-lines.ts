import type { Change, ChangeOfKind } from '../../declare/change.ts'
import { newerView, olderField, type Step } from './step.ts'

/** A declared change in one line: `customers.full_name → name`, `renamed`. */
export interface ChangeLine {
  readonly where: string
  readonly what: string
}

type Lines = { readonly [K in Change['kind']]: (change: ChangeOfKind<K>, step: Step) => ChangeLine }

export const changeLine = (change: Change, step: Step): ChangeLine =>
  (lines[change.kind] as (change: Change, step: Step) => ChangeLine)(change, step)

/** The resource that a change is about, by its newer name. */
export const resourceOf = (change: Change): string =>
  change.kind === 'rename-resource' ? change.to : change.resource

const json = (value: unknown): string => JSON.stringify(value ?? null)

const lines: Lines = {
  'rename-resource': ({ from, to }) => ({ where: `${from} → ${to}`, what: 'renamed' }),
  'rename-field': ({ resource, from, to }) => ({ where: `${resource}.${from} → ${to}`, what: 'renamed' }),
  'rename-relation': ({ resource, from, to }, step) => {
    const belongs = newerView(step, resource)?.relations.get(to)?.relation.kind === 'belongs-to'
    const id = belongs ? `, and so is ${from}_id → ${to}_id` : ''
    return { where: `${resource}.${from} → ${to}`, what: `relation renamed${id}` }
  },
  'map-values': ({ resource, field, values, onlyInNewer }, { older }) => {
    const renamed = Object.entries(values).filter(([old, now]) => old !== now)
    const what = [
      ...renamed.map(([old, now]) => `value ${json(old)} → ${json(now)}`),
      ...Object.entries(onlyInNewer).map(
        ([now, old]) => `value ${json(now)} is new, ${older.name} shows ${json(old)}`,
      ),
    ]
    return { where: `${resource}.${field}`, what: what.join('; ') || 'values changed' }
  },
  'change-type': ({ resource, field, codec }, step) => {
    const before = olderField(step, resource, field)?.kind
    const after = newerView(step, resource)?.field.get(field)?.kind
    return { where: `${resource}.${field}`, what: `type ${before} → ${after} (${codec})` }
  },
  'remove-field': ({ resource, field }) => ({ where: `${resource}.${field}`, what: 'removed' }),
  'add-required-field': ({ resource, field, whenAbsent }, { older }) => ({
    where: `${resource}.${field}`,
    what: `required field added, ${older.name} stores ${json(whenAbsent)}`,
  }),
  'make-required': ({ resource, field, whenAbsent }, { older }) => ({
    where: `${resource}.${field}`,
    what: `became required, ${older.name} stores ${json(whenAbsent)} where it is left out`,
  }),
  'remove-include': ({ resource, path }) => ({ where: resource, what: `include ${path} removed` }),
  'remove-filter': ({ resource, field }) => ({ where: `${resource}.${field}`, what: 'filter removed' }),
  'remove-sort': ({ resource, field }) => ({ where: `${resource}.${field}`, what: 'sort removed' }),
  'change-limit': ({ resource, limit, was }, step) => ({
    where: `${resource}.limits.${limit}`,
    what: `${was} → ${newerView(step, resource)?.limits[limit]}`,
  }),
  'require-idempotency-key': ({ resource }) => ({
    where: resource,
    what: 'creating needs an Idempotency-Key',
  }),
  'require-scope': ({ resource, method, was }, step) => ({
    where: `${method} ${resource}`,
    what: `scope ${was} → ${newerView(step, resource)?.scopes[method]}`,
  }),
  'remove-method': ({ resource, method }) => ({ where: `${method} ${resource}`, what: 'method removed' }),
  'change-default': ({ resource, field, was }, step) => ({
    where: `${resource}.${field}`,
    what: `default ${json(was)} → ${json(newerView(step, resource)?.field.get(field)?.default)}`,
  }),
  custom: ({ resource, fields, replaces }) => ({
    where: `${resource}.${Object.keys(fields).join(', ')} → ${replaces.join(', ')}`,
    what: 'converted by code',
  }),
}
