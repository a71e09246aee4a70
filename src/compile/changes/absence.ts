import type { AddRequiredField, MakeRequired } from '../../declare/change.ts'
import { firstFault, isValid } from '../schemas/validate.ts'
import { toStored } from '../versions/codecs.ts'
import type { Report } from './report.ts'
import { type DraftField, type DraftView, without } from './view-draft.ts'

/** The required field whose absence gets a meaning, where `whenAbsent` is a valid value of it. */
export const absentField = (
  change: AddRequiredField | MakeRequired,
  report: Report,
  unlessRequired: string,
): DraftField | null => {
  const field = report.field(change.resource, change.field)
  if (!field) return null
  if (field.field?.relation)
    return report.mistake(
      `no row can stand in for ${change.field} in every account.`,
      'Make the relation optional in the newer version.',
    )
  if (field.made || !isValue(field, change.whenAbsent))
    return report.mistake(
      `${JSON.stringify(change.whenAbsent)} is not a value of ${change.resource}.${change.field}.`,
      `It ${firstFault(field.schema, change.whenAbsent)?.detail ?? `holds values of kind ${field.kind}`}.`,
    )
  if (!field.required)
    return report.mistake(`${change.resource}.${change.field} is not required.`, unlessRequired)
  return field
}

export const absenceMeans = (view: DraftView, field: DraftField, shown: unknown): DraftView => {
  const name = field.field?.name
  if (name === undefined) return view
  return { ...view, whenAbsent: new Map(view.whenAbsent).set(name, toStored(field, shown)) }
}

/** Hides a field; a create still stores its `whenAbsent` value or its default. */
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
    searched: without(view.searched, [key]),
  }
}

/** Whether a constant is a value of the field that the store can hold. */
export const isValue = (field: DraftField, value: unknown): boolean =>
  isValid(field.schema, value) && toStored(field, value) !== undefined
