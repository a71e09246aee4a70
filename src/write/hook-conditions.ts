import type { StoredRow } from '../call/stored-row.ts'
import type { Field, Resource } from '../compile/model.ts'
import { didYouMean } from '../compile/names/nearest.ts'
import { isValid } from '../compile/schemas/validate.ts'
import { kinds } from '../kinds/kinds.ts'
import { isOperatorName, type OperatorName, operators, operatorsFor } from '../kinds/operators.ts'
import { bound } from '../plan/bind.ts'
import { padded } from '../plan/compared-values.ts'
import { knownField, type SortedBy, type Where } from '../plan/row-statements.ts'
import type { Value } from '../store/store.ts'
import { typeInWords } from './hook-values.ts'

/** Conditions of a hook, and the values that they bind. */
export interface Conditions {
  readonly where: Where
  readonly values: readonly Value[]
}

/** The error for a mistake in a call. */
type Mistake = (what: string) => Error

/** Databases bind some 30,000 values in all. */
const mostListed = 1_000

/** Reads conditions such as `{ room_id: id, starts: { gte: day, lt: next } }`, whose names are fields. */
export function readConditions(resource: Resource, given: StoredRow, mistake: Mistake): Conditions {
  const tests: Where[number][] = []
  const values: Value[] = []
  for (const name of Object.keys(given).sort()) {
    const field = knownField(resource, name)
    for (const [operator, value] of testsOf(field, given[name], mistake)) {
      const read = readTest(field, operator, value, mistake)
      tests.push({ field: name, ...read, values: read.values.length })
      values.push(...read.values)
    }
  }
  return { where: tests, values }
}

type AskedOperator = OperatorName | 'null'

/** A value that stands alone is tested for equality. */
function testsOf(
  field: Field,
  given: unknown,
  mistake: Mistake,
): readonly (readonly [AskedOperator, unknown])[] {
  const isOperators =
    typeof given === 'object' && given !== null && Object.getPrototypeOf(given) === Object.prototype
  if (!isOperators) return [['eq', given]]
  const asked = Object.entries(given)
  if (asked.length === 0)
    throw mistake(`"${field.name}" has no operator. Write a value, or { eq: … } around it.`)
  return asked.map(([operator, value]) => [readOperator(field, operator, mistake), value])
}

function readOperator({ name, kind }: Field, operator: string, mistake: Mistake): AskedOperator {
  if (operator === 'null') return operator
  const offered = operatorsFor(kinds[kind])
  if (isOperatorName(operator) && offered.includes(operator)) return operator
  const hint = didYouMean(operator, [...offered, 'null'])
  throw mistake(`"${operator}" is not an operator for "${name}". ${hint}`)
}

interface ReadTest {
  readonly operator: OperatorName
  readonly values: readonly Value[]
  readonly withNull: boolean
}

function readTest(field: Field, asked: AskedOperator, given: unknown, mistake: Mistake): ReadTest {
  const { name } = field
  if (asked === 'null') {
    if (typeof given !== 'boolean') throw mistake(`null of "${name}" is neither true nor false.`)
    return { operator: given ? 'eq' : 'ne', values: [], withNull: true }
  }
  const { takesList, takesNull } = operators[asked]
  const items = takesList ? listOf(name, given, mistake) : [given]
  const withNull = items.includes(null)
  if (withNull && !takesNull) throw mistake(`${asked} of "${name}" is null, with which nothing compares.`)
  const set = items.filter((item) => item !== null)
  const values = set.map((item) => readValue(field, item, mistake))
  const [operator = asked] = set.flatMap((item) => operatorForFiner(field, asked, item, mistake) ?? [])
  return { operator, values: takesList && values.length > 0 ? padded(values) : values, withNull }
}

function listOf(name: string, given: unknown, mistake: Mistake): readonly unknown[] {
  if (!Array.isArray(given)) throw mistake(`in of "${name}" is not a list.`)
  if (given.length <= mostListed) return given
  throw mistake(`in of "${name}" has more than ${mostListed} values. Ask for them in parts.`)
}

/** A value as it is bound. It need not be one that the field allows: such a condition finds nothing. */
function readValue(field: Field, value: unknown, mistake: Mistake): Value {
  const { name, kind, schema, stored } = field
  const { filterValueNoun, isStored, listsValues, notQueryable, toStored } = kinds[kind]
  if (value === undefined)
    throw mistake(`"${name}" is undefined. Leave it out, or write null for rows in which it is not set.`)
  if (notQueryable !== null) throw mistake(`"${name}" ${notQueryable}. Test it for null alone.`)
  const isListed = !listsValues || schema.enum?.includes(value)
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  if (!isPlain || !isListed || !isStored(value) || !isValid({ type: typeof value as 'string' }, value))
    throw mistake(`"${name}" is compared with ${typeInWords(value)} that is not ${filterValueNoun(schema)}.`)
  return bound({ kind, schema: {}, stored }, toStored(value, schema))
}

/** The operator to use instead, where the value lies between two that can be stored and the lower one is bound. */
function operatorForFiner(
  field: Field,
  operator: OperatorName,
  value: unknown,
  mistake: Mistake,
): OperatorName | null {
  const finer = kinds[field.kind].finerThanStored(String(value))
  if (finer === null) return null
  const { forFinerValues } = operators[operator]
  if (forFinerValues === null) throw mistake(`"${field.name}" ${finer}.`)
  return forFinerValues
}

/** Reads `'-starts'`, or a list of such names. */
export function readOrder(resource: Resource, given: unknown, mistake: Mistake): readonly SortedBy[] {
  const names: readonly unknown[] = Array.isArray(given) ? given : given === undefined ? [] : [given]
  return names.map((text) => {
    if (typeof text !== 'string')
      throw mistake(`orderBy is ${typeInWords(text)}, and not the name of a field.`)
    const descending = text.startsWith('-')
    const name = descending ? text.slice(1) : text
    const sortable = resource.fields.filter((field) => kinds[field.kind].notQueryable === null)
    if (sortable.some((field) => field.name === name)) return { field: name, descending }
    const hint = didYouMean(
      name,
      sortable.map((field) => field.name),
    )
    throw mistake(`cannot be ordered by "${name}". ${hint}`)
  })
}
