import type { Caller } from '../call/caller.ts'
import { type Grants, holds, holdsToWrite, mayKnow, maySet, noScopes } from '../call/grants.ts'
import type { ListQuery } from '../call/query.ts'
import type { View, ViewField } from '../compile/model.ts'
import { isJsonObject, type JsonObject } from '../compile/schemas/canonical.ts'
import type { FieldError } from '../problems.ts'
import { credentialsMissing, scopeMissing } from './challenge.ts'
import { placedError, placeOf } from './field-errors.ts'
import { fieldFault } from './fields-refused.ts'

/** A field or parameter that asks for scopes, with what is said of it. */
interface Asking {
  readonly field: ViewField
  readonly error: FieldError
  /** Of the row in a list. */
  readonly place?: string
}

/** The refusal of all fields and parameters that the caller lacks a scope for. */
function refuseAsking(asking: readonly Asking[], lacks: (scope: string) => boolean): void {
  const [first] = asking
  if (!first) return
  const scopes = [...new Set(asking.flatMap(({ field }) => field.needsScopes.filter(lacks)))]
  const names = [...new Set(asking.map(({ field }) => field.name))]
  const needed = scopes.map((scope) => `"${scope}"`).join(' and ')
  const where = first.place ? `${first.place.slice(1)}: ` : ''
  const detail = `${where}${names.join(', ')} ${names.length > 1 ? 'need' : 'needs'} the scope ${needed}, which these credentials lack.`
  throw scopeMissing(
    scopes,
    detail,
    asking.map(({ error }) => error),
  )
}

const needing = ({ needsScopes }: ViewField): string => `needs the scope ${needsScopes.join(' and ')}`

/** Filtering and sorting tell what the values are, so they need the same scopes as seeing them. */
export function refuseUnknownTo(caller: Caller | null, { conditions, sort, by }: ListQuery): void {
  const grants = caller?.scopes ?? noScopes
  const asking: Asking[] = []
  const note = (field: ViewField, parameter: string) => {
    if (mayKnow(field, grants)) return
    asking.push({
      field,
      error: { parameter, detail: `names ${field.name}, which ${needing(field)}`, code: 'scope' },
    })
  }
  for (const { field, parameter } of conditions) note(field, parameter)
  for (const { field } of sort) if (!by.includes(field)) note(field, 'sort')
  for (const field of by) note(field, 'by')
  if (asking.length > 0 && caller === null) throw credentialsMissing()
  refuseAsking(asking, (scope) => !holds(grants, scope))
}

/**
 * Refuses a body with fields that the caller may not know, before any row is looked up: the stored values must make no difference.
 * A create is also refused where it may not set what it sends, or could not send what is required.
 */
export function refuseUnknownFields(
  view: View,
  body: JsonObject,
  grants: Grants,
  method: 'create' | 'update',
): void {
  refuseSetting(view, unknownIn(view, body, grants, method), grants)
}

/** The same for the rows of a list, all of them at once. */
export function refuseUnknownInList(view: View, list: readonly unknown[], grants: Grants): void {
  if (view.resource.asks.length === 0) return
  const asking = list.flatMap((body, index) =>
    (isJsonObject(body) ? unknownIn(view, body, grants, 'create') : []).map((field) =>
      placedAsking(field, placeOf(index)),
    ),
  )
  refuseAsking(asking, (scope) => !holdsToWrite(grants, scope, view.resource))
}

function unknownIn(
  view: View,
  body: JsonObject,
  grants: Grants,
  method: 'create' | 'update',
): readonly ViewField[] {
  if (view.resource.asks.length === 0) return []
  const may = (field: ViewField) =>
    method === 'create' ? maySet(view, field, grants) : mayKnow(field, grants)
  const isAsked = (field: ViewField) =>
    Object.hasOwn(body, field.name) || (method === 'create' && mustBeSent(view, field))
  return view.fields.filter((field) => !may(field) && isAsked(field))
}

const mustBeSent = (view: View, { required, field }: ViewField): boolean =>
  required && !(field && view.whenAbsent.has(field.name))

const placedAsking = (field: ViewField, place: string): Asking => ({
  field,
  error: placedError(fieldFault(field, needing(field), 'scope'), place),
  place,
})

/** The refusal of fields that a body would set and the caller may not set. */
export const refuseSetting = (view: View, fields: readonly ViewField[], grants: Grants): void =>
  refuseAsking(
    fields.map((field) => placedAsking(field, '')),
    (scope) => !holdsToWrite(grants, scope, view.resource),
  )
