import type { StoredRow } from '../call/stored-row.ts'
import type { Field } from '../compile/model.ts'
import { answeredIdSchema } from '../compile/resources/declared-fields.ts'
import { isJsonObject } from '../compile/schemas/canonical.ts'
import { isValid } from '../compile/schemas/validate.ts'
import { unknownKey } from '../write/hook-names.ts'
import { fittingValues, type HookWrite, typeInWords } from '../write/hook-values.ts'
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
  const { id: givenId, ...values } = given
  const write: HookWrite = { resource, levels: writer.model.limits.jsonDepth, mistake }
  const row = { id: idOf(givenId, idUnlessGiven, mistake), ...fittingValues(write, values) }
  return wholeRow(resource.fields, row, mistake)
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

/** What may be unset is null where the code left it out. */
function wholeRow(fields: readonly Field[], given: StoredRow, mistake: (what: string) => Error): StoredRow {
  const row: { [field: string]: unknown } = {}
  for (const field of fields) {
    const value = given[field.name]
    if (value === undefined && !field.nullable && !field.writeOnly)
      throw mistake(`"${field.name}" is required, and is not set.`)
    row[field.name] = value ?? null
  }
  return row
}

/** A mistake of the API's author. */
export const wrongAnswer = (
  { resource, name }: Pick<CodeQuestion, 'resource' | 'name'>,
  what: string,
): Error => new Error(`answers.${name} of ${resource.name}: ${what} The caller got a 500.`)
