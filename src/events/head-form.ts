import { toStored } from '../compile/codecs.ts'
import type { Field, Model, Resource, Version, View, ViewField } from '../compile/model.ts'
import { withAdditions } from '../compile/versions.ts'
import type { StoredRow } from '../request/body.ts'
import { madeUp } from '../request/customs.ts'
import type { StoredValue } from '../request/values.ts'
import type { EventRow } from './event-row.ts'

/** A row of an event as the store would hold it today. */
export interface HeadForm {
  readonly resource: Resource
  readonly row: StoredRow
  /** The row before an update. */
  readonly former: StoredRow | null
}

/** An event may be older than the head: its row has the names and values of the version that was the head then. Null where today's API has no such resource. */
export function headForm(model: Model, { version, resource, data, before }: EventRow): HeadForm | null {
  const view = writtenAs(model, version).get(resource)
  if (!view) return null
  const former = before && { ...data, ...before }
  return {
    resource: view.resource,
    row: upgraded(view, data),
    former: former && upgraded(view, former),
  }
}

const views = new WeakMap<Model, Map<string, ReadonlyMap<string, View>>>()

/** The views of a version that was the head once: with all that its frozen contract hides today. */
function writtenAs(model: Model, name: string): ReadonlyMap<string, View> {
  let known = views.get(model)
  if (!known) {
    known = new Map()
    let newer: Version = model.head
    for (const version of model.versions) {
      newer = version === model.head ? version : withAdditions(version, newer)
      known.set(version.name, newer.views)
    }
    views.set(model, known)
  }
  // The names of a version that is declared no more are unknown. Most of them are still those of the head.
  return known.get(name) ?? model.head.views
}

/** Every name that a resource has, or had while an older version was the head. */
export const namesOf = (model: Model, resource: Resource): readonly string[] =>
  model.versions.flatMap(({ name }) =>
    [...writtenAs(model, name).values()]
      .filter((view) => view.resource === resource)
      .map((view) => view.name),
  )

/** A row in the words of a version, in the form that the store has today. */
function upgraded(view: View, written: StoredRow): StoredRow {
  const row: { [field: string]: StoredValue } = {}
  const sent = new Map<ViewField, unknown>()
  for (const [name, value] of Object.entries(written)) {
    const field = view.field.get(name)
    // A value has one form, stored and shown, unless the version shows another one.
    if (field?.field)
      row[field.field.name] = field.codec || field.values ? (toStored(field, value) ?? null) : value
    else if (field) sent.set(field, value)
    // Kept for an older version, which alone shows it.
    else if (view.resource.field.has(name)) row[name] = value
  }
  Object.assign(row, madeFields(view, sent))
  for (const field of view.resource.fields)
    row[field.name] ??= view.whenAbsent.get(field.name) ?? valueSince(field)
  return row
}

function madeFields(view: View, sent: ReadonlyMap<ViewField, unknown>): StoredRow {
  try {
    return madeUp(view, null, sent, () => false)
  } catch {
    // The code of a custom change cannot take the values of that time. The rest of the event is still right.
    return {}
  }
}

/** What a row has in a field that was declared after the event was written. */
const valueSince = (field: Field): StoredValue =>
  field.nullable ? null : (field.default ?? field.states?.initial ?? null)
