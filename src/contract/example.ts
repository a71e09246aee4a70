import type { Field, Resource, View, ViewField } from '../compile/model.ts'
import { toShown } from '../compile/versions/codecs.ts'
import type { JsonSchema } from '../declare/json-schema.ts'
import { stringFormats } from '../kinds/kinds.ts'

/** A row as it would be stored, by stored field name. */
export type ExampleRow = { readonly [field: string]: unknown }

const exampleId = '01980000-0000-7000-8000-000000000042'
const relatedId = '01980000-0000-7000-8000-000000000007'

/** The row is the same each time, so that a guide does not change without reason. */
export const exampleRow = (resource: Resource, focus: ExampleRow = {}): ExampleRow => ({
  ...Object.fromEntries(
    resource.fields.map((field) => [field.name, exampleOf(field, resource, field.relation)]),
  ),
  ...focus,
})

/**
 * A value as a version shows it, made from the version's own names and schemas alone: the document of a published
 * version must not change when newer versions rename or store it differently.
 */
export const exampleShown = (field: ViewField, { resource }: View): unknown =>
  field.states?.initial ?? exampleOf(field, resource, field.field?.relation)

const exampleOf = (
  field: Pick<Field, 'kind' | 'name' | 'schema' | 'default'>,
  { idPrefix }: Resource,
  relation: Field['relation'] | undefined,
): unknown => {
  if (field.name === 'id') return `${idPrefix}${exampleId}`
  if (relation) return `${relation.target.idPrefix}${relatedId}`
  return field.default ?? exampleValue(field.schema, field.name)
}

const exampleValue = (schema: JsonSchema, name: string): unknown => {
  const given =
    schema.examples?.[0] ??
    schema.const ??
    schema.enum?.[0] ??
    stringFormats[schema.format ?? '']?.example(schema)
  if (given !== undefined) return given
  if (schema.anyOf?.[0]) return exampleValue(schema.anyOf[0], name)
  switch (schema.type) {
    case 'integer':
      return Math.min(Math.max(1250, schema.minimum ?? 1250), schema.maximum ?? 1250)
    case 'number':
      return Math.min(Math.max(12.5, schema.minimum ?? 12.5), schema.maximum ?? 12.5)
    case 'boolean':
      return true
    case 'array':
      return schema.items ? [exampleValue(schema.items, name)] : []
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, inner]) => [key, exampleValue(inner, key)]),
      )
    default:
      return textFor(name).slice(0, schema.maxLength)
  }
}

/** Texts that read like what people would write, by the last word of the field's name. */
const texts: { readonly [word: string]: string } = {
  name: 'Ada Lovelace',
  title: 'A garden chair',
  note: 'Please ring twice.',
  notes: 'Please ring twice.',
  description: 'Made of oak, for two.',
  reason: 'Arrived damaged.',
  reference: 'RF-2026-0042',
  phone: '+32 9 123 45 67',
  fax: '+32 9 123 45 68',
  sku: 'CHAIR-42',
  code: 'A-42',
  label: 'A-42',
  isbn: '9780141439587',
  author: 'Mary Shelley',
  city: 'Ghent',
  street: 'Main Street 1',
  country: 'Belgium',
  text: 'Water the tomatoes.',
  word: 'tomato',
  topic: 'Gardening',
}

const textFor = (name: string): string => {
  const words = name.split('_')
  const known = texts[words.at(-1) ?? '']
  const [first = '', ...rest] = words
  return known ?? `${first.charAt(0).toUpperCase()}${[first.slice(1), ...rest].join(' ')} 1`
}

/** The row as one version shows it, with the maps, codecs and custom code that also answer requests. */
export const showRow = (view: View, row: ExampleRow): { readonly [name: string]: unknown } => {
  const made: { readonly [key: string]: unknown }[] = []
  const shown = (field: ViewField): unknown =>
    field.made
      ? (made[field.made.step]?.[field.made.key] ?? null)
      : toShown(field, field.field && row[field.field.name])
  for (const { change, newer } of view.customs) {
    made.push(change.down(Object.fromEntries(newer.map((field) => [field.name, shown(field)]))))
  }
  const seen = view.fields.filter((field) => !field.writeOnly)
  return Object.fromEntries(seen.map((field) => [field.name, shown(field)]))
}
