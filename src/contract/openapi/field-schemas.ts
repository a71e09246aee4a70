import type { View, ViewField } from '../../compile/model.ts'
import { movesIn } from '../../compile/resources/states.ts'
import type { JsonSchema } from '../../declare/json-schema.ts'
import { kinds } from '../../kinds/kinds.ts'
import { rewrites, rewritesOf } from '../../kinds/rewrites.ts'
import { checkedSchema } from './checked-schema.ts'

/** A piece of the document. */
export type DocumentPart = { readonly [key: string]: unknown }

export const schemaRef = (name: string): DocumentPart => ({ $ref: `#/components/schemas/${name}` })

/** A field as responses show it. */
export const shownField = (field: ViewField): DocumentPart => {
  const extensible = growing(field.schema)
  const { enum: values, ...rest } = extensible
  // Readers of an open enum must expect new values, so the schema must accept them.
  const schema = field.open && values ? { ...rest, 'x-extensible-enum': values } : extensible
  return {
    ...orNull(schema, field.nullable),
    ...described(field, [...shownNotes(field), shownScopeNote(field)]),
    ...(field.readOnly ? { readOnly: true } : {}),
    ...statesOf(field),
    ...requiredScopes(field),
  }
}

/** A new key within a JSON value is not a breaking change for readers, so the schema accepts unknown keys. */
const growing = ({ additionalProperties: others, anyOf, ...schema }: JsonSchema): JsonSchema => ({
  ...schema,
  ...(typeof others === 'object' ? { additionalProperties: growing(others) } : {}),
  ...(schema.items ? { items: growing(schema.items) } : {}),
  ...(schema.prefixItems ? { prefixItems: schema.prefixItems.map(growing) } : {}),
  ...(anyOf ? choiceOf(anyOf.map(growing)) : {}),
  ...(schema.properties
    ? {
        properties: Object.fromEntries(
          Object.entries(schema.properties).map(([name, one]) => [name, growing(one)]),
        ),
      }
    : {}),
})

/** One form or null is written as a list of types, which every generator reads. */
const choiceOf = (forms: readonly JsonSchema[]): JsonSchema => {
  const [only, ...others] = forms.filter(({ type }) => type !== 'null')
  const isOneOrNull = only && others.length === 0 && forms.length === 2 && only.const === undefined
  return isOneOrNull ? (orNull(only, true) as JsonSchema) : { anyOf: forms }
}

/** A field in the body of a create. */
export const createdField = (field: ViewField, view: View): DocumentPart => {
  if (field.states) return initialState(field)
  const fallback = field.default === undefined ? {} : { default: field.default }
  return { ...sentField(field, view, checkedSchema(field)), ...fallback }
}

/** A field in the body of a replacement. Read-only fields may be sent back as they were read. */
export const replacedField = (field: ViewField, view: View): DocumentPart => {
  if (field.readOnly) return { ...shownField(field), readOnly: true }
  const keeps = field.states !== null || field.immutable || field.default === undefined
  return {
    ...sentField(field, view, checkedSchema(field)),
    ...(keeps ? {} : { default: field.default }),
    ...statesOf(field),
  }
}

export const patchedField = (field: ViewField, view: View): DocumentPart => {
  if (field.readOnly) return { ...shownField(field), readOnly: true }
  const schema = kinds[field.kind].mergesPatches ? mergeable(checkedSchema(field)) : checkedSchema(field)
  return { ...sentField(field, view, schema), ...statesOf(field) }
}

const sentField = (field: ViewField, view: View, schema: JsonSchema | DocumentPart): DocumentPart => ({
  ...orNull(schema, takesNull(field, view)),
  ...described(field, [...sentNotes(field), sentScopeNote(field)]),
  ...(field.writeOnly ? { writeOnly: true } : {}),
  ...requiredScopes(field),
})

export const scopesIn = (scopes: readonly string[]): string =>
  scopes.map((scope) => `\`${scope}\``).join(' and ')

const scopeNote = ({ needsScopes }: ViewField, before: string): string =>
  needsScopes.length > 0 ? `${before} the scope ${scopesIn(needsScopes)}.` : ''

const shownScopeNote = (field: ViewField): string => scopeNote(field, 'There only for callers with')

const sentScopeNote = (field: ViewField): string => scopeNote(field, 'Sending it needs')

/** As for operations: the same extension names the scopes. */
export const requiredScopes = ({ needsScopes }: ViewField): DocumentPart =>
  needsScopes.length > 0 ? { 'x-required-scopes': needsScopes } : {}

/** `null` means unset, or the default where there is one; a state stays. */
const takesNull = (field: ViewField, view: View): boolean =>
  field.nullable ||
  field.states !== null ||
  field.default !== undefined ||
  (field.field !== null && view.whenAbsent.has(field.field.name))

const initialState = (field: ViewField): DocumentPart => {
  const initial = field.states?.initial
  return {
    type: ['string', 'null'],
    enum: [initial, null],
    default: initial,
    ...described(field, [`A new row starts as \`${initial}\`.`, sentScopeNote(field)]),
    ...requiredScopes(field),
  }
}

/** RFC 7396: a patch of an object has only the members that change, and `null` removes a member. */
const mergeable = (schema: JsonSchema): DocumentPart => {
  if (schema.type !== 'object') return schema as DocumentPart
  const { required: _, properties = {}, ...rest } = schema
  const inner = Object.entries(properties).map(([name, one]) => [name, orNull(mergeable(one), true)])
  return { ...rest, properties: Object.fromEntries(inner) }
}

export const orNull = (schema: JsonSchema | DocumentPart, nullable: boolean): DocumentPart => {
  if (!nullable) return schema as DocumentPart
  const { type, enum: values, description, ...rest } = schema as DocumentPart
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] }
  const withNull = Array.isArray(values) ? { enum: [...values, null] } : {}
  return { type: [type, 'null'], ...withNull, ...rest, ...(description ? { description } : {}) }
}

const described = (field: ViewField, notes: readonly string[]): DocumentPart => {
  const description = [field.description, ...notes].filter((text) => text !== '').join(' ')
  return description === '' ? {} : { description }
}

const shownNotes = (field: ViewField): readonly string[] => [
  referenceNote(field),
  ...(field.open ? ['More values may be added.'] : []),
  movesNote(field),
]

const sentNotes = (field: ViewField): readonly string[] => [
  referenceNote(field),
  ...rewritesOf(field.schema).map((name) => rewrites[name]?.note ?? ''),
  ...(field.immutable ? ['Cannot change once it is set.'] : []),
  movesNote(field),
  ...(field.states ? ['`null` leaves the state as it is.'] : []),
]

const referenceNote = (field: ViewField): string =>
  field.target && field.description === '' ? `The id of a row of ${field.target().name}.` : ''

const movesNote = ({ states }: ViewField): string => {
  if (!states) return ''
  const lines = Object.entries(movesIn(states)).map(
    ([from, to]) => `\`${from}\` → ${to.map((one) => `\`${one}\``).join(', ')}`,
  )
  return `Moves: ${lines.join('; ')}.`
}

const statesOf = ({ states }: ViewField): DocumentPart =>
  states ? { 'x-states': { initial: states.initial, moves: states.moves } } : {}
