import type { z } from 'zod'
import { type FieldMarks, isZod } from '../../declare/field.ts'
import type { JsonSchema } from '../../declare/json-schema.ts'
import { type FieldKind, kindOfZod, kinds } from '../../kinds/kinds.ts'
import { type Note, shownValue } from '../mistakes.ts'
import { sameJson } from '../schemas/canonical.ts'
import { defOf } from './def.ts'
import { layersOf } from './layers.ts'
import { refusalsOf } from './refuse.ts'
import { jsonSchemaOf } from './schema-from-zod.ts'

/** A Zod schema read as a field. */
export interface ZodField {
  readonly kind: FieldKind
  readonly schema: JsonSchema
  readonly optional: boolean
  /** May be unset: optional or nullable, and without a default. */
  readonly nullable: boolean
  readonly default: unknown
  readonly marks: FieldMarks
  readonly description: string
}

/** Reads a field's schema; null, with a mistake, where it cannot be one. */
export const readZod = (declared: unknown, note: Note): ZodField | null => {
  if (!isZod(declared))
    return note(
      'this is not a Zod schema.',
      'Use z.string() or the like (Zod 4), or states(…) or sum(…) with no mark around them.',
    )
  const layers = layersOf(declared)
  const refusals = refusalsOf(layers.inner)
  for (const { what, hint } of refusals) note(`${what} cannot be a field.`, hint)
  if (refusals.length > 0) return null
  const json = jsonSchemaOf(layers.inner)
  const kind = kindOfZod(defOf(layers.inner).type, json)
  if (json['x-rewrite'] !== undefined && !kinds[kind].isFreeText)
    return note(
      '.trim and .toLowerCase are for texts.',
      'Leave them out: a value of this form has no spaces around it, and one way to write it.',
    )
  checkDefault(layers, { kind, json }, note)
  checkExamples(layers.inner, json.examples, note)
  return {
    kind,
    schema: Object.freeze(schemaOf(kind, json)),
    optional: layers.optional,
    nullable: (layers.optional || layers.nullable) && layers.default === undefined,
    default: layers.default,
    marks: layers.marks,
    description: layers.description,
  }
}

/** The field carries the description; an enum of one value (a literal) is an enum all the same. */
const schemaOf = (kind: FieldKind, { description: _, const: only, ...rest }: JsonSchema): JsonSchema =>
  kinds[kind].listsValues && only !== undefined ? { ...rest, enum: [only] } : rest

const checkDefault = (
  layers: { readonly inner: z.ZodType; readonly default: unknown; readonly defaultChanges: boolean },
  { kind, json }: { readonly kind: FieldKind; readonly json: JsonSchema },
  note: Note,
): void => {
  if (layers.default === undefined) return
  if (layers.defaultChanges) {
    note('its default is not a constant.', 'Set a computed value in a beforeCreate hook.')
  } else if (!isDefault(layers.inner, layers.default)) {
    // A decimal "0" is shown as "0.00": a default is written as it is shown.
    const stored = kinds[kind].toStored(layers.default, json)
    note(
      `its default ${shownValue(layers.default)} is not a value it allows.`,
      layers.inner.safeParse(stored).success
        ? `Write ${shownValue(stored)}, as it is shown.`
        : 'Change the default or the schema.',
    )
  }
}

/** Whether a default is allowed, and is what would be stored: `.toLowerCase()` makes another value of "A". */
const isDefault = (inner: z.ZodType, value: unknown): boolean => {
  const parsed = inner.safeParse(value)
  return parsed.success && sameJson(parsed.data, value)
}

/** Examples are shown in the documents, where people copy them: they must be valid. */
const checkExamples = (inner: z.ZodType, examples: unknown, note: Note): void => {
  for (const example of Array.isArray(examples) ? examples : [])
    if (!inner.safeParse(example).success)
      note(
        `its example ${shownValue(example)} is not a value it allows.`,
        'Change the example or the schema.',
      )
}
