import type { SubCollection, Version, View, ViewField } from '../../compile/model.ts'
import { sentListSchemas, shownListSchemas } from './bulk-schemas.ts'
import { type DocumentNames, pascal, singularName, words } from './document-names.ts'
import { eventData } from './event-schemas.ts'
import { exampleOfCreate, exampleOfPatch, exampleOfReplace, exampleOfRow } from './examples.ts'
import {
  createdField,
  type DocumentPart,
  patchedField,
  replacedField,
  schemaRef,
  shownField,
} from './field-schemas.ts'
import { relationSchemas, relationsName } from './relation-schemas.ts'

/** The body of a write. Under an owner, the owner's id comes from the path. */
export type SentForm = 'Create' | 'Replace' | 'Patch'

export const sentName = (
  sent: SentForm,
  view: View,
  sub: SubCollection | null,
  naming: DocumentNames,
): string => {
  const name = `${naming.schema(view)}${sent}`
  if (!sub || !ownerMatters(sent, view, sub)) return name
  return `${name}Under${pascal(singularName(sub.owner().name))}`
}

const ownerField = (view: View, sub: SubCollection): ViewField | undefined =>
  view.fields.find((field) => field.field?.name === sub.by?.field)

/** The nested form needs its own schema only where the owner's id must be sent otherwise. */
const ownerMatters = (sent: SentForm, view: View, sub: SubCollection): boolean => {
  const field = ownerField(view, sub)
  return field !== undefined && isRequired(sent, field)
}

const isRequired = (sent: SentForm, field: ViewField): boolean => {
  if (sent === 'Patch' || !field.required || field.readOnly) return false
  // A caller without the scope leaves it out of a replacement, which then keeps it.
  if (sent === 'Replace' && field.needsScopes.length > 0) return false
  return sent === 'Create' || !(field.immutable || field.writeOnly || field.states)
}

export const schemasOf = (version: Version, naming: DocumentNames): DocumentPart => {
  const schemas: { [name: string]: DocumentPart } = {}
  for (const view of version.views.values()) {
    if (!view.topLevel && view.under.length === 0) continue
    const name = naming.schema(view)
    schemas[name] = rowSchema(view, naming)
    if (view.include.size > 0) Object.assign(schemas, relationSchemas(view, naming, rowSchema))
    Object.assign(schemas, envelopes(view, naming))
    if (view.bulk) Object.assign(schemas, shownListSchemas(name))
    addSent(schemas, view, naming)
  }
  return { ...schemas, Page: pageSchema, CountedPage: countedPageSchema, IncludedPage: includedPageSchema }
}

const addSent = (schemas: { [name: string]: DocumentPart }, view: View, naming: DocumentNames): void => {
  const offered = sentKinds.filter(([method]) => view.methods.has(method))
  for (const [method, sent] of offered) {
    const places = [
      ...(view.topLevel ? [null] : []),
      ...view.under.filter(({ methods }) => methods.has(method)),
    ]
    for (const sub of places) {
      const name = sentName(sent, view, sub, naming)
      schemas[name] ??= sentSchema(sent, view, sub)
      if (sent === 'Create' && view.bulk) Object.assign(schemas, sentListSchemas(name, view))
    }
  }
}

const sentKinds = [
  ['POST', 'Create'],
  ['PUT', 'Replace'],
  ['PATCH', 'Patch'],
] as const

/** The schema of a read: with relations where some can be included. */
export const readName = (view: View, naming: DocumentNames): string =>
  view.include.size > 0 ? relationsName(view, naming) : naming.schema(view)

export const envelopeName = (rowName: string): string => `${rowName}Envelope`

export const listName = (view: View, naming: DocumentNames): string => `${naming.schema(view)}List`

/** The envelope of a row or a page of rows. It is closed: everything about rows is in `data`. */
const envelopes = (view: View, naming: DocumentNames): { [name: string]: DocumentPart } => {
  const [base, read] = [naming.schema(view), readName(view, naming)]
  // A longer page is not a breaking change, so the schema has no `maxItems`.
  const rows = { type: 'array', items: schemaRef(read) }
  return {
    [envelopeName(base)]: envelope({ data: schemaRef(base) }),
    [envelopeName(read)]: envelope({ data: schemaRef(read) }),
    [listName(view, naming)]: envelope({
      data: rows,
      page: schemaRef(view.counted ? 'CountedPage' : 'Page'),
    }),
  }
}

const envelope = (properties: DocumentPart): DocumentPart => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

/** The row without relations; every key is always present, except those that need a scope. */
const rowSchema = (view: View, naming: DocumentNames): DocumentPart => {
  const shown = view.fields.filter((field) => !field.writeOnly)
  return {
    type: 'object',
    title: naming.schema(view),
    description: view.description === '' ? plainDescription(view) : view.description,
    properties: Object.fromEntries(
      shown.map((field) => [
        field.name,
        view.serves === 'events' && field.name === 'data'
          ? eventData(view.version, naming)
          : shownField(field),
      ]),
    ),
    required: shown
      // A row of totals has the fields that it is grouped by.
      .filter(({ name, needsScopes }) => needsScopes.length === 0 && !view.totals?.by.has(name))
      .map((field) => field.name),
    ...example(exampleOfRow(view)),
  }
}

const plainDescription = ({ name, totals }: View): string =>
  totals
    ? `A group of rows of ${words(totals.of().name)}: the fields of \`by\` that they have in common, how many they are, and their sums.`
    : `A row of ${words(name)}.`

const fieldOf = { Create: createdField, Replace: replacedField, Patch: patchedField } as const
const exampleFor = { Create: exampleOfCreate, Replace: exampleOfReplace, Patch: exampleOfPatch } as const
const about = {
  Create: 'What to send to create',
  Replace: 'The whole of what to keep: an optional field that is left out returns to its default, in',
  Patch: 'What to change, as a JSON merge patch (RFC 7396): what is left out stays, in',
} as const

const sentSchema = (sent: SentForm, view: View, sub: SubCollection | null): DocumentPart => {
  // A create with a read-only field is refused; a replacement may send read-only fields back.
  const fields = view.fields.filter((field) => sent !== 'Create' || !field.readOnly)
  const fromPath = sub ? ownerField(view, sub) : undefined
  const required = fields.filter((field) => field !== fromPath && isRequired(sent, field))
  const properties = fields.map((field) => [
    field.name,
    field === fromPath ? pathField(field) : fieldOf[sent](field, view),
  ])
  return {
    type: 'object',
    description: `${about[sent]} a row of ${words(view.name)}.`,
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required: required.map((field) => field.name) } : {}),
    additionalProperties: false,
    ...example(exampleFor[sent](view, fromPath)),
  }
}

const pathField = (field: ViewField): DocumentPart => ({
  ...field.schema,
  description: 'Taken from the path; if sent, it must be the same.',
})

const example = (value: unknown): DocumentPart => (value === undefined ? {} : { examples: [value] })

const pageProperties = {
  limit: { type: 'integer', minimum: 1, description: 'The most rows this page could have.' },
  has_more: { type: 'boolean', description: 'Whether there are rows after these.' },
  next_cursor: {
    type: ['string', 'null'],
    description: 'Send it as `cursor` to get the next page; `null` at the end.',
  },
}

const pageSchema: DocumentPart = {
  type: 'object',
  description: 'Where a list stands.',
  properties: pageProperties,
  required: ['limit', 'has_more', 'next_cursor'],
}

const countedPageSchema: DocumentPart = {
  type: 'object',
  description: 'Where a list stands, and how many rows it has on all pages if that was asked for.',
  properties: {
    ...pageProperties,
    total: { type: 'integer', minimum: 0, description: 'How many rows the filters find. With `count=true`.' },
    total_is_exact: {
      type: 'boolean',
      description: 'False where there are more rows than `total`. With `count=true`.',
    },
  },
  required: ['limit', 'has_more', 'next_cursor'],
}

const includedPageSchema: DocumentPart = {
  type: 'object',
  description: 'Where an included list stands.',
  properties: {
    ...pageProperties,
    next: {
      type: ['string', 'null'],
      format: 'uri-reference',
      description: 'The URL in the sub-collection that continues it, or `null`.',
    },
  },
  required: ['limit', 'has_more', 'next_cursor', 'next'],
}
