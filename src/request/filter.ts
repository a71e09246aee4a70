import type { Filter } from '../call/query.ts'
import type { StoredValue } from '../call/stored-row.ts'
import type { View, ViewField } from '../compile/model.ts'
import { nearest } from '../compile/names/nearest.ts'
import { eitherOrParameter } from '../compile/resources/either-or-limits.ts'
import { codecs, toStored } from '../compile/versions/codecs.ts'
import { kinds } from '../kinds/kinds.ts'
import { isOperatorName, type OperatorName, operators, operatorsFor } from '../kinds/operators.ts'
import { allowedNames, type Disclosure, listedNames, offeredFilters } from './disclosure.ts'
import type { FieldErrors } from './field-errors.ts'

interface Refusal {
  readonly detail: string
  readonly code: string
  readonly allowed?: readonly string[]
}

type Refuse = (inWords: () => Refusal) => null

/** A parameter of a query, where it stands, and where its mistakes are noted. */
export interface SentFilter {
  readonly parameter: string
  readonly text: string
  readonly view: View
  readonly disclosure: Disclosure
  readonly errors: FieldErrors
}

/** Reads one `filter[field]` or `filter[field][op]`; null when it is refused, with the reason in `errors`. */
export function readFilter(sent: SentFilter): Filter | null {
  const { parameter, view, disclosure } = sent
  const match = /^filter\[([^[\]]+)\](?:\[([^[\]]+)\])?$/.exec(parameter)
  if (!match)
    return refuserOf(sent)(() => {
      const allowed = offeredFilters(view, disclosure)
      // Where a view has alternatives, they are read before.
      if (parameter.startsWith(`${eitherOrParameter}[`))
        return {
          detail: `is not offered: lists of ${view.name} take no alternatives; ask for each by itself`,
          code: 'unknown',
          allowed,
        }
      const at = parameter.lastIndexOf('[')
      const operator = isOperatorName(parameter.slice(at + 1, -1)) ? parameter.slice(at) : ''
      const path = pathMeant(operator === '' ? parameter : parameter.slice(0, at), allowed)
      const use = path
        ? `did you mean filter[${path}]${operator}?`
        : 'write filter[field] or filter[field][operator]'
      return { detail: `is not a filter; ${use}`, code: 'syntax', allowed }
    })
  const [, name = '', operator] = match
  return readCondition(sent, 'filter', name, operator)
}

/** Reads a condition; `word` is what stands before the field: `filter`, or `filter[or][0]`. */
export function readCondition(sent: SentFilter, word: string, name: string, operator = 'eq'): Filter | null {
  const { parameter, text, view } = sent
  const refuse = refuserOf(sent)
  const target = view.filterOf.get(name)
  if (!target) return refuse(() => notOffered(sent, word, name))
  const { steps, field } = target
  const offered = operatorsFor(kinds[field.kind])
  if (!isOperatorName(operator)) return refuse(() => unknownOperator(operator, offered))
  if (!offered.includes(operator)) {
    const detail = `compares, but ${name} can only be tested with ${listedNames(offered)}`
    return refuse(() => ({ detail, code: 'operator', allowed: offered }))
  }
  const values = readValues(field, operator, text, refuse)
  return values && { parameter, name, steps, field, ...values }
}

/** Notes a mistake of a parameter. */
export const refuserOf =
  ({ parameter, errors }: SentFilter): Refuse =>
  (inWords) => {
    errors.add(() => {
      const { detail, code, allowed } = inWords()
      return {
        parameter: parameter.slice(0, 100),
        detail,
        code,
        ...(allowed ? allowedNames(allowed) : {}),
      }
    })
    return null
  }

function unknownOperator(operator: string, offered: readonly string[]): Refusal {
  const near = nearest(operator, offered)
  const use = near ? `did you mean ${near}?` : `use ${listedNames(offered)}`
  return { detail: `has an unknown operator; ${use}`, code: 'operator', allowed: offered }
}

function notOffered({ parameter, view, disclosure }: SentFilter, word: string, name: string): Refusal {
  const offered = offeredFilters(view, disclosure)
  const path = pathMeant(parameter.slice(word.length), offered)
  const near = path ?? offered.find((one) => one === `${name}_id`) ?? nearest(name, offered)
  const instead = offered.length > 0 ? `filter by ${listedNames(offered)}` : `${view.name} offers no filter`
  const use = near ? `did you mean ${word}[${near}]?` : instead
  return { detail: `is not offered; ${use}`, code: 'unknown', allowed: offered }
}

/** The path that other APIs write with brackets, `[customer][email]` for `customer.email`; null where it is not offered. */
export const pathMeant = (text: string, offered: readonly string[]): string | null => {
  const path = text
    .replace(/^\w*\[/, '')
    .replaceAll('][', '.')
    .replace(/\]$/, '')
  return offered.find((one) => one.includes('.') && one === path) ?? null
}

function readValues(
  field: ViewField,
  operator: OperatorName,
  text: string,
  refuse: Refuse,
): Pick<Filter, 'operator' | 'shown' | 'values'> | null {
  const shown: unknown[] = []
  const values: StoredValue[] = []
  const { takesList, takesNull, forFinerValues } = operators[operator]
  let asked = operator
  for (const item of takesList ? splitList(text) : [text]) {
    if (item === '') return refuse(() => ({ detail: 'has an empty element in its list', code: 'empty' }))
    if (item === 'null' && field.nullable) {
      if (!takesNull) return refuse(() => ({ detail: 'cannot compare with null', code: 'type' }))
      shown.push(null)
      values.push(null)
      continue
    }
    const scalar = readScalar(item === '"null"' ? 'null' : item, field)
    if (scalar === undefined)
      return refuse(() => ({ detail: `has a value that is not ${describe(field)}`, code: 'type' }))
    shown.push(scalar)
    values.push(...storedImages(field, scalar))
    const finer = kinds[field.kind].finerThanStored(item)
    if (finer === null) continue
    if (!forFinerValues) return refuse(() => ({ detail: finer, code: 'type' }))
    asked = forFinerValues
  }
  return { operator: asked, shown, values }
}

const describe = (field: ViewField): string =>
  field.codec ? codecs[field.codec].form : kinds[field.kind].filterValueNoun(field.schema)

/** A comma separates, `\,` is a comma within a value. */
function splitList(text: string): readonly string[] {
  if (!text.includes('\\')) return text.split(',')
  const items: string[] = []
  let item = ''
  for (let at = 0; at < text.length; at++) {
    const escaped = text[at] === '\\' && (text[at + 1] === ',' || text[at + 1] === '\\')
    if (text[at] === ',') {
      items.push(item)
      item = ''
    } else item += escaped ? text[++at] : text[at]
  }
  return [...items, item]
}

/** Text of a query parameter → a shown value of the field's type; undefined for a text that is no such value. */
function readScalar(text: string, field: ViewField): unknown {
  const value = kinds[field.kind].parse(text, field.schema)
  return value === undefined || toStored(field, value) === undefined ? undefined : value
}

/** Every stored value that a version shows as this one: usually one, several where values were merged. */
function storedImages(field: ViewField, shown: unknown): readonly StoredValue[] {
  const images: StoredValue[] = []
  for (const [stored, image] of field.values?.down ?? []) if (image === shown) images.push(stored)
  // Several older words may stand for one stored value, of which one is shown. The others find the value that they would write.
  return images.length > 0 ? images : [toStored(field, shown)]
}
