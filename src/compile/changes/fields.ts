import type { AddRequiredField, ChangeDefault, MakeRequired, RemoveField } from '../../declare/change.ts'
import { toStored } from '../codecs.ts'
import { readZod } from '../zod/read.ts'
import type { Inverse } from './inverse.ts'
import type { Report } from './report.ts'
import { type DraftField, type DraftView, placeFields, withField, without, withView } from './view-draft.ts'

export const removeField: Inverse<RemoveField> = (draft, change, report) => {
  const view = report.view(change.resource)
  if (!view) return draft
  if (view.fields.has(change.field)) {
    report.mistake(
      `${change.resource}.${change.field} still exists in the newer version.`,
      'Delete the field from the declaration, or this change.',
    )
    return draft
  }
  const was = readZod(change.was, `${report.where} was`, report.mistakes)
  const kept = view.resource.field.get(change.field)
  if (!was || !kept?.kept || !report.claim(`${change.resource}.${change.field}`, 'name')) return draft
  const fallback = was.default ?? change.whenAbsent
  if (!was.nullable && fallback === undefined) {
    report.mistake(
      `${change.field} was never null, but rows that newer versions create have no value for it.`,
      'Say what they show: { whenAbsent: \'…\' }, or make "was" optional if it was.',
    )
  }
  const { marks } = was
  const field: DraftField = {
    name: change.field,
    field: kept,
    made: null,
    schema: was.schema,
    kind: was.kind,
    required: !was.optional && was.default === undefined && marks.readOnly !== true,
    nullable: was.nullable,
    default: was.default,
    readOnly: marks.readOnly ?? false,
    writeOnly: marks.writeOnly ?? false,
    immutable: marks.immutable ?? false,
    open: marks.open ?? false,
    values: null,
    codec: null,
    states: null,
    description: was.description,
  }
  return withView(draft, change.resource, (one) => ({
    ...one,
    fields: placeFields(one.fields, [[change.field, field]], new Set()),
    whenAbsent: field.required ? withoutKey(one.whenAbsent, change.field) : one.whenAbsent,
  }))
}

/** `whenAbsent` of a removed field speaks of newer versions' rows: where it had to be sent, its absence meant nothing. */
const withoutKey = (map: DraftView['whenAbsent'], key: string): DraftView['whenAbsent'] =>
  new Map([...map].filter(([one]) => one !== key))

export const addRequiredField: Inverse<AddRequiredField> = (draft, change, report) => {
  const found = absentField(change, draft.get(change.resource), report)
  if (!found) return draft
  if (!found.required) {
    report.mistake(
      `${change.resource}.${change.field} is not required.`,
      'An optional field needs no line: what a frozen contract does not show is hidden.',
    )
    return draft
  }
  if (!report.claim(`${change.resource}.${change.field}`, 'all')) return draft
  return withView(draft, change.resource, (view) =>
    hideField(absenceMeans(view, found, change.whenAbsent), change.field),
  )
}

export const makeRequired: Inverse<MakeRequired> = (draft, change, report) => {
  const found = absentField(change, draft.get(change.resource), report)
  if (!found) return draft
  if (!found.required) {
    report.mistake(`${change.resource}.${change.field} is not required.`, 'Leave this change out.')
    return draft
  }
  if (!report.claim(`${change.resource}.${change.field}`, 'absence')) return draft
  if (!change.why) {
    report.mistake(
      `who sends no ${change.field} reads ${JSON.stringify(change.whenAbsent)} instead of null.`,
      "Say the reason: { why: '…' }.",
    )
  }
  return withView(draft, change.resource, (view) =>
    withField(absenceMeans(view, found, change.whenAbsent), change.field, {
      required: false,
      nullable: true,
    }),
  )
}

export const changeDefault: Inverse<ChangeDefault> = (draft, change, report) => {
  const view = report.view(change.resource)
  const field = view && report.field(view, change.resource, change.field)
  if (!field || !report.claim(`${change.resource}.${change.field}`, 'absence')) return draft
  if (field.readOnly) {
    report.mistake(`${change.field} is read-only: nobody leaves it out.`, 'Leave this change out.')
    return draft
  }
  if (change.was === null && !field.nullable) {
    report.mistake(
      `${change.resource}.${change.field} cannot be null, so null was never its default.`,
      'A field that was required and now has a default needs no line.',
    )
    return draft
  }
  if (field.made || (change.was !== null && !isValue(field, change.was))) {
    report.mistake(
      `${JSON.stringify(change.was)} is not a value of ${change.field}.`,
      'Name the older default.',
    )
    return draft
  }
  return withView(draft, change.resource, (one) =>
    withField(one, change.field, { default: change.was ?? undefined, required: false }),
  )
}

/** The field whose absence is given a meaning, when that value is one it can have. */
const absentField = (
  change: AddRequiredField | MakeRequired,
  known: DraftView | undefined,
  report: Report,
): DraftField | null => {
  const view = known ?? report.view(change.resource)
  const field = view && report.field(view, change.resource, change.field)
  if (!field) return null
  if (field.kind === 'reference') {
    report.mistake(
      `no row can stand in for ${change.field} in every account.`,
      'Make the relation optional in the newer version.',
    )
    return null
  }
  if (field.made || !isValue(field, change.whenAbsent)) {
    report.mistake(
      `${JSON.stringify(change.whenAbsent)} is not a value of ${change.resource}.${change.field}.`,
      field.schema.enum
        ? `Use one of ${field.schema.enum.join(', ')}.`
        : `It holds values of kind ${field.kind}.`,
    )
    return null
  }
  return field
}

const absenceMeans = (view: DraftView, field: DraftField, shown: unknown): DraftView => {
  const name = field.field?.name
  if (name === undefined) return view
  return { ...view, whenAbsent: new Map(view.whenAbsent).set(name, toStored(field, shown)) }
}

/** Takes a field out of sight; a create still stores what its absence means. */
export const hideField = (view: DraftView, key: string): DraftView => {
  const field = view.fields.get(key)
  if (!field) return view
  const name = field.field?.name
  const silent = name === undefined || field.default === undefined || view.whenAbsent.has(name)
  return {
    ...(silent ? view : absenceMeans(view, field, field.default)),
    fields: new Map([...view.fields].filter(([one]) => one !== key)),
    filters: without(view.filters, [key]),
    sorts: without(view.sorts, [key]),
  }
}

/** Whether a constant is a value of the field that the store can hold. */
const isValue = (field: DraftField, value: unknown): boolean =>
  fits(field, value) && toStored(field, value) !== undefined

/** Whether a constant fits the type, the listed values and the bounds of the field. */
const fits = ({ schema }: DraftField, value: unknown): boolean => {
  if (schema.enum) return schema.enum.includes(value)
  if (schema.type === 'integer') return Number.isSafeInteger(value) && inRange(schema, Number(value))
  if (schema.type === 'number') return typeof value === 'number' && inRange(schema, value)
  if (typeof value === 'string' && schema.type === 'string') {
    const length = [...value].length
    const matches = schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value)
    return (
      length >= (schema.minLength ?? 0) && length <= (schema.maxLength ?? Number.POSITIVE_INFINITY) && matches
    )
  }
  return typeof value === schema.type
}

const inRange = (schema: DraftField['schema'], value: number): boolean =>
  value >= (schema.minimum ?? Number.NEGATIVE_INFINITY) &&
  value <= (schema.maximum ?? Number.POSITIVE_INFINITY)
