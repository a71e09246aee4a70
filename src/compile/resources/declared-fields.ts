import {
  type FieldDeclaration,
  isStates,
  isSum,
  type StatesField,
  type SumField,
} from '../../declare/field.ts'
import type { JsonSchema } from '../../declare/json-schema.ts'
import { safeInteger } from '../../kinds/integer.ts'
import { type FieldKind, kinds } from '../../kinds/kinds.ts'
import { type MistakeList, type Note, shownValue } from '../mistakes.ts'
import type { Field } from '../model.ts'
import { snakeNameFault } from '../names/name-rules.ts'
import { listOf, mapOf, type OptionTable, object, soundOptions, textShape } from '../shape/shapes.ts'
import { readZod, type ZodField } from '../zod/read.ts'
import { checkFormerName, formerFieldName } from './former-name.ts'
import { checkFormerValues, formerValuesOf } from './former-values.ts'
import type { Mutable, ResourceDraft } from './resource-draft.ts'
import { checkStates, stateNames } from './states.ts'

/** A field with only a name, a kind and a schema. */
export const plainField = (name: string, kind: FieldKind, schema: JsonSchema): Mutable<Field> => ({
  name,
  column: name,
  stored: null,
  kind,
  schema,
  nullable: false,
  optional: false,
  default: undefined,
  whenNone: undefined,
  mayLack: false,
  counted: null,
  readOnly: false,
  writeOnly: false,
  immutable: false,
  open: false,
  needsScopes: [],
  states: null,
  sum: null,
  relation: null,
  kept: false,
  description: '',
})

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'

export const idSchema = (prefix: string): JsonSchema =>
  prefix === '' ? { type: 'string', format: 'uuid' } : { type: 'string', pattern: `^${prefix}${uuid}$` }

/** An id that the code of a noun gives: what stands in a path as it is, and does not begin with a dot. */
export const answeredIdSchema: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: '^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$',
}

export const idField = (prefix: string): Mutable<Field> => ({
  ...plainField('id', 'id', idSchema(prefix)),
  readOnly: true,
  description: 'The identifier, given by the server.',
})

export const timeField = (name: 'created_at' | 'updated_at', description: string): Mutable<Field> => ({
  ...plainField(name, 'datetime', { type: 'string', format: 'date-time' }),
  readOnly: true,
  description,
})

/** Fields of every resource, which only the server sets. */
export const serverFields: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at'])

/** Times that a noun answered by code has only where it declares them. */
const answeredTimes: ReadonlySet<string> = new Set(['created_at', 'updated_at'])

/** The declared fields, in order; those with a mistake are left out and listed as broken. */
export const declaredFields = (draft: ResourceDraft, mistakes: MistakeList): Mutable<Field>[] => {
  const { name: resource, fields, hooks, engineMade, answers } = draft.declaration
  const made: Mutable<Field>[] = []
  for (const [name, declaration] of Object.entries(fields ?? {})) {
    const where = `${resource}.fields.${name}`
    const note = mistakes.at(where)
    const column = engineMade?.columns?.[name]
    const isTime = answers !== undefined && answeredTimes.has(name)
    const fault = column === undefined && !isTime ? snakeNameFault(name, 'field') : null
    if (fault !== null) note(fault.what, fault.hint)
    checkFormerName(formerFieldName(declaration), name, note)
    const field = oneField(name, declaration, where, mistakes)
    if (field !== null) checkFormerValues(formerValuesOf(declaration), field, note)
    if (field === null || fault !== null) {
      draft.broken.add(name)
      continue
    }
    if (isTime && !(field.readOnly && field.schema.format === 'date-time'))
      note(
        'it is the time that the code of the resource gives.',
        `Write ${name}: readOnly(z.iso.datetime()), or leave it out.`,
      )
    const sets = hooks?.beforeCreate ?? engineMade ?? answers
    if (field.readOnly && isUnset(field) && sets === undefined)
      note(
        'nobody can set it: it is read-only, required and without a default.',
        'Make it .optional(), give it a .default(), or set it in a beforeCreate hook.',
      )
    made.push(column === undefined ? field : { ...field, column })
  }
  return made
}

const isUnset = (field: Field): boolean =>
  field.default === undefined && !field.nullable && field.sum === null

const oneField = (
  name: string,
  declaration: FieldDeclaration,
  where: string,
  mistakes: MistakeList,
): Mutable<Field> | null => {
  const note = mistakes.at(where)
  if ((isStates(declaration) || isSum(declaration)) && !checkFieldShape(declaration, where, mistakes))
    return null
  if (isStates(declaration)) return stateField(name, declaration, note)
  // The sum is linked to its relation later, once relations are known.
  if (isSum(declaration))
    return {
      ...plainField(name, 'integer', safeInteger),
      readOnly: true,
      default: 0,
      needsScopes: declaration.needsScopes ?? [],
      description: declaration.description ?? '',
    }
  const read = readZod(declaration, note)
  return read === null ? null : zodField(name, read, note)
}

const optionTables: { readonly [K in 'states' | 'sum']: OptionTable } = {
  states: {
    form: "states('draft', { draft: ['placed'] })",
    needs: { initial: textShape, moves: mapOf(listOf(textShape)) },
    may: { description: textShape, needsScopes: listOf(textShape), was: textShape, became: object },
  },
  sum: {
    form: "sum('items', 'price')",
    needs: { relation: textShape, of: listOf(textShape) },
    may: { description: textShape, needsScopes: listOf(textShape), was: textShape },
  },
}

/** Checks the arguments of states(…) and sum(…). */
const checkFieldShape = (field: StatesField | SumField, where: string, mistakes: MistakeList): boolean => {
  const before = mistakes.all.length
  soundOptions({ ...field }, optionTables[field.kind], where, mistakes)
  return mistakes.all.length === before
}

const stateField = (name: string, states: StatesField, note: Note): Mutable<Field> | null => {
  if (!checkStates(states, note)) return null
  return {
    ...plainField(name, 'state', { type: 'string', enum: stateNames(states) }),
    default: states.initial,
    needsScopes: states.needsScopes ?? [],
    states,
    description: states.description ?? '',
  }
}

/** A field as its Zod schema says; also for fields that only older versions show. */
export const zodField = (name: string, read: ZodField, note: Note): Mutable<Field> => {
  const {
    readOnly = false,
    writeOnly = false,
    immutable = false,
    open = false,
    needsScopes = [],
  } = read.marks
  if (readOnly && writeOnly)
    note('it is both read-only and write-only, so nobody could use it.', 'Take one of the two away.')
  for (const scope of needsScopes)
    if (typeof scope !== 'string')
      note(
        `needsScope(${shownValue(scope)}, …): this is not the name of a scope.`,
        "Write needsScope('books:secrets', …).",
      )
  if (open && !kinds[read.kind].canBeOpen)
    note('open() is for enums, whose values may grow.', 'Take open() away, or use z.enum().')
  return {
    ...plainField(name, read.kind, read.schema),
    nullable: read.nullable,
    optional: read.optional,
    default: read.default,
    readOnly,
    writeOnly,
    immutable,
    open,
    needsScopes: needsScopes.filter((scope) => typeof scope === 'string'),
    description: read.description,
  }
}
