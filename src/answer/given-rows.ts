import type { StoredRow } from '../call/stored-row.ts'
import type { Field } from '../compile/model.ts'
import { answeredIdSchema } from '../compile/resources/declared-fields.ts'
import { isJsonObject } from '../compile/schemas/canonical.ts'
import { isValid } from '../compile/schemas/validate.ts'
import { unknownKey } from '../write/hook-names.ts'
import { fittingValue, type HookWrite, typeInWords } from '../write/hook-values.ts'
import type { CodeQuestion } from './answer-context.ts'

/**
 * The id of a row to which the code gives none: that of the path for `get`, a new one where rows are made, and none where a row could not be
 * found by it.
 */
type IdUnlessGiven = () => string | null

/** A row that code gave, in the form in which rows are stored. What breaks its schema is an error for the log, and is shown to nobody. */
export function givenRow(asking: CodeQuestion, given: unknown, idUnlessGiven: IdUnlessGiven): StoredRow {
  const { resource, writer } = asking
  const mistake = (what: string) => wrongAnswer(asking, what)
  if (!isJsonObject(given)) throw mistake(`a row must be an object, and is ${typeInWords(given)}.`)
  const unknown = unknownKey(resource, given)
  if (unknown !== null) throw mistake(`"${unknown.slice(0, 100)}" is not a field.`)
  const write: HookWrite = { resource, levels: writer.model.limits.jsonDepth, mistake }
  const row: { [field: string]: unknown } = {}
  for (const field of resource.fields) {
    const { name } = field
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    row[name] = name === 'id' ? idOf(value, idUnlessGiven, mistake) : valueGiven(write, field, value)
  }
  return row
}

/** What may be unset is null where the code left it out. */
function valueGiven(write: HookWrite, field: Field, value: unknown): unknown {
  if (value !== undefined) return fittingValue(write, field, value)
  if (field.nullable || field.writeOnly) return null
  throw write.mistake(`"${field.name}" is required, and is not set.`)
}

function idOf(given: unknown, idUnlessGiven: IdUnlessGiven, mistake: (what: string) => Error): string {
  if (given === undefined) {
    const id = idUnlessGiven()
    if (id !== null) return id
    throw mistake('"id" is missing, and get finds rows by it.')
  }
  if (typeof given !== 'string') throw mistake(`"id" got ${typeInWords(given)}, and must be a string.`)
  if (isValid(answeredIdSchema, given)) return given
  throw mistake(
    '"id" must have 1 to 200 of the characters A-Z a-z 0-9 . _ ~ - and not begin with a dot, because it stands in URLs.',
  )
}

/** A mistake of the API's author. */
export const wrongAnswer = (
  { resource, name }: Pick<CodeQuestion, 'resource' | 'name'>,
  what: string,
): Error => new Error(`answers.${name} of ${resource.name}: ${what} The caller got a 500.`)
