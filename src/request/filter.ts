import { codecs } from '../compile/codecs.ts'
import type { View, ViewField } from '../compile/model.ts'
import { nearest } from '../compile/nearest.ts'
import { isFinerThanKept } from '../compile/time.ts'
import type { FieldError } from '../problems.ts'
import { readScalar } from './scalar.ts'
import { type StoredValue, storedImages } from './values.ts'

export type Operator = 'eq' | 'ne' | 'in' | 'gt' | 'gte' | 'lt' | 'lte'

/** A condition on a field. */
export interface Filter {
  readonly name: string
  readonly field: ViewField
  readonly operator: Operator
  /** The values as the caller's version says them, which are the same before and after a newer version is released. */
  readonly shown: readonly unknown[]
  /** The same in the store's terms. `null` stands for NULL; with eq and ne there may be several where one shown value stands for several stored ones. */
  readonly values: readonly StoredValue[]
}

const operators: ReadonlySet<string> = new Set(['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'])
const ordered: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'date', 'datetime'])

/** Reads one `filter[field]` or `filter[field][op]`; null when it is refused, with the reason in `errors`. */
export function readFilter(parameter: string, text: string, view: View, errors: FieldError[]): Filter | null {
  const refuse = (detail: string, code: string): null => {
    errors.push({ parameter: parameter.slice(0, 100), detail, code })
    return null
  }
  const match = /^filter\[([^[\]]+)\](?:\[([^[\]]+)\])?$/.exec(parameter)
  if (!match) return refuse('is not a filter; write filter[field] or filter[field][operator]', 'syntax')
  const [, name = '', operator = 'eq'] = match
  const field = view.filters.has(name) ? view.field.get(name) : undefined
  if (!field) {
    const near = nearest(name, [...view.filters])
    return refuse(`is not offered${near ? `; did you mean filter[${near}]?` : ''}`, 'unknown')
  }
  if (!operators.has(operator))
    return refuse('has an unknown operator; use eq, ne, in, gt, gte, lt or lte', 'operator')
  const comparing = operator !== 'eq' && operator !== 'ne' && operator !== 'in'
  if (comparing && !ordered.has(field.kind)) {
    return refuse(`compares, but ${name} can only be tested with eq, ne and in`, 'operator')
  }
  return readValues(name, field, operator as Operator, text, refuse)
}

function readValues(
  name: string,
  field: ViewField,
  operator: Operator,
  text: string,
  refuse: (detail: string, code: string) => null,
): Filter | null {
  const shown: unknown[] = []
  const values: StoredValue[] = []
  let asked = operator
  for (const item of operator === 'in' ? splitList(text) : [text]) {
    if (item === '') return refuse('has an empty element in its list', 'empty')
    if (item === 'null' && field.nullable) {
      if (operator !== 'eq' && operator !== 'ne' && operator !== 'in')
        return refuse('cannot compare with null', 'type')
      shown.push(null)
      values.push(null)
      continue
    }
    const scalar = readScalar(item === '"null"' ? 'null' : item, field)
    if (scalar === undefined) return refuse(`has a value that is not ${describe(field)}`, 'type')
    shown.push(scalar)
    values.push(...storedImages(field, scalar))
    if (field.kind !== 'datetime' || !isFinerThanKept(item)) continue
    const beside = besideMilliseconds[operator]
    if (!beside) return refuse('has a time finer than the milliseconds in which times are kept', 'type')
    asked = beside
  }
  return { name, field, operator: asked, shown, values }
}

/** A time between two milliseconds is read as the first of them: what comes after it is asked for without that one. */
const besideMilliseconds: { readonly [O in Operator]?: Operator } = {
  gt: 'gt',
  gte: 'gt',
  lt: 'lte',
  lte: 'lte',
}

const describe = (field: ViewField): string => {
  if (field.schema.enum) return `one of ${field.schema.enum.join(', ')}`
  if (field.codec) return codecs[field.codec].form
  const articles: { readonly [kind: string]: string } = {
    integer: 'an integer between -(2^53 - 1) and 2^53 - 1',
    number: 'a number',
    boolean: 'true or false',
    reference: 'an id',
    date: 'a date (2026-06-01)',
    datetime: 'a time with an offset (2026-06-01T12:00:00Z)',
  }
  return articles[field.kind] ?? 'a valid value'
}

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
