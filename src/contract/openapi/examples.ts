import type { View, ViewField } from '../../compile/model.ts'
import { auditedViews } from '../../compile/versions/audit-view.ts'
import { viewsWithEvents } from '../../compile/versions/events-view.ts'
import type { JsonSchema } from '../../declare/json-schema.ts'
import { exampleShown } from '../example.ts'

type Example = { readonly [name: string]: unknown }

/** A row as the version shows it; undefined where a value cannot be guessed, because a wrong example is worse than none. */
export const exampleOfRow = (view: View): Example | undefined =>
  view.serves === 'events'
    ? viewsWithEvents(view.version)
        .values()
        .map(exampleOfEvent)
        .find((event) => event !== undefined)
    : view.serves === 'audit'
      ? auditedViews(view.version)
          .values()
          .map(exampleOfEntry)
          .find((entry) => entry !== undefined)
      : whole(
          view,
          view.fields.filter((field) => !field.writeOnly),
        )

/** A new row of the view as an event. */
const exampleOfEvent = (view: View): Example | undefined => {
  const data = exampleOfRow(view)
  if (!data) return undefined
  return {
    id: '01980000-0000-7000-8000-000000000099',
    type: `${view.name}.created`,
    resource_id: data.id,
    changed: null,
    created_at: data.created_at,
    data,
  }
}

/** A new row of the view as an audit entry. */
const exampleOfEntry = (view: View): Example | undefined => {
  const after = exampleOfRow(view)
  if (!after) return undefined
  return {
    id: '01980000-0000-7000-8000-000000000088',
    action: 'created',
    resource: view.name,
    row_id: after.id,
    consumer: 'key_4fTq0Zr8hYd2',
    subject: null,
    operator: null,
    request_id: 'Qm3x7Lk0Pw-42',
    changed: null,
    withheld: null,
    before: null,
    after,
    detail: null,
    created_at: after.created_at,
  }
}

export const exampleOfCreate = (view: View, fromPath?: ViewField): Example | undefined =>
  whole(
    view,
    view.fields.filter((field) => !field.readOnly && !field.states && field !== fromPath),
  )

export const exampleOfReplace = (view: View, fromPath?: ViewField): Example | undefined =>
  whole(
    view,
    view.fields.filter((field) => !field.readOnly && field !== fromPath),
  )

/** A patch of one field: the first move of a state, or the first field that can change. */
export const exampleOfPatch = (view: View): Example | undefined => {
  const moving = view.fields.find((field) => field.states)
  const next = moving?.states?.moves[moving.states.initial]?.[0]
  if (moving && next !== undefined) return { [moving.name]: next }
  const mutable = view.fields.filter((field) => !field.readOnly && !field.immutable)
  const field = mutable.find(({ target }) => target === null) ?? mutable[0]
  return field && whole(view, [field])
}

const whole = (view: View, fields: readonly ViewField[]): Example | undefined => {
  const values = fields.map((field): [string, unknown] => [field.name, exampleShown(field, view)])
  const sound = fields.every((field, index) => isSound(field, values[index]?.[1]))
  return sound ? Object.fromEntries(values) : undefined
}

const isSound = (field: ViewField, value: unknown): boolean =>
  value === null ? field.nullable : fits(field.schema, value)

/** The rules that a made-up value may break. It always fits types, ranges and enums. */
const fits = (schema: JsonSchema, value: unknown): boolean => {
  if (typeof value === 'number') return schema.multipleOf === undefined || value % schema.multipleOf === 0
  if (Array.isArray(value)) return value.length >= (schema.minItems ?? 0)
  if (typeof value !== 'string') return true
  if (value.length < (schema.minLength ?? 0)) return false
  return schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value)
}
