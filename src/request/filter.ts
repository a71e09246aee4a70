import { codecs, toStored } from '../compile/codecs.ts'
import type { View, ViewField } from '../compile/model.ts'
import { nearest } from '../compile/nearest.ts'
import { kinds } from '../kinds/kinds.ts'
import { isOperatorName, type OperatorName, operators, operatorsFor } from '../kinds/operators.ts'
import type { FieldError } from '../problems.ts'
import { allowedNames, anyOf, type Disclosure, offeredFilters } from './disclosure.ts'
import { type StoredValue, storedImages } from './values.ts'

/** A condition on a field. */
export interface Filter {
  /** The query parameter, as it was sent. */
  readonly parameter: string
  readonly name: string
  readonly field: ViewField
  readonly operator: OperatorName
  /** The values as the caller's version says them, which are the same before and after a newer version is released. */
  readonly shown: readonly unknown[]
  /** The same in the store's terms. `null` stands for NULL; with eq and ne there may be several where one shown value stands for several stored ones. */
  readonly values: readonly StoredValue[]
}

type Refuse = (detail: string, code: string, allowed?: readonly string[]) => null

/** Reads one `filter[field]` or `filter[field][op]`; null when it is refused, with the reason in `errors`. */
export function readFilter(
  parameter: string,
  text: string,
  view: View,
  told: Disclosure,
  errors: FieldError[],
): Filter | null {
  const refuse: Refuse = (detail, code, allowed) => {
    errors.push({
      parameter: parameter.slice(0, 100),
      detail,
      code,
      ...(allowed ? allowedNames(allowed) : {}),
    })
    return null
  }
  const match = /^filter\[([^[\]]+)\](?:\[([^[\]]+)\])?$/.exec(parameter)
  if (!match) return refuse('is not a filter; write filter[field] or filter[field][operator]', 'syntax')
  const [, name = '', operator = 'eq'] = match
  const field = view.filters.has(name) ? view.field.get(name) : undefined
  if (!field) return refuseName(name, view, told, refuse)
  const offered = operatorsFor(kinds[field.kind])
  if (!isOperatorName(operator)) {
    const near = nearest(operator, offered)
    const use = near ? `did you mean ${near}?` : `use ${anyOf(offered)}`
    return refuse(`has an unknown operator; ${use}`, 'operator', offered)
  }
  if (!offered.includes(operator))
    return refuse(`compares, but ${name} can only be tested with ${anyOf(offered)}`, 'operator', offered)
  const values = readValues(field, operator, text, refuse)
  return values && { parameter, name, field, ...values }
}

function refuseName(name: string, view: View, told: Disclosure, refuse: Refuse): null {
  const offered = offeredFilters(view, told)
  const near = nearest(name, offered)
  if (near) return refuse(`is not offered; did you mean filter[${near}]?`, 'unknown', offered)
  const use = offered.length > 0 ? `filter by ${anyOf(offered)}` : `${view.name} offers no filter`
  return refuse(`is not offered; ${use}`, 'unknown', offered)
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
    if (item === '') return refuse('has an empty element in its list', 'empty')
    if (item === 'null' && field.nullable) {
      if (!takesNull) return refuse('cannot compare with null', 'type')
      shown.push(null)
      values.push(null)
      continue
    }
    const scalar = readScalar(item === '"null"' ? 'null' : item, field)
    if (scalar === undefined) return refuse(`has a value that is not ${describe(field)}`, 'type')
    shown.push(scalar)
    values.push(...storedImages(field, scalar))
    const finer = kinds[field.kind].finerThanStored(item)
    if (finer === null) continue
    if (!forFinerValues) return refuse(finer, 'type')
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

/** Text of a query parameter → a shown value of the field's type; undefined when it is none. */
function readScalar(text: string, field: ViewField): unknown {
  const value = kinds[field.kind].parse(text, field.schema)
  return value === undefined || toStored(field, value) === undefined ? undefined : value
}
