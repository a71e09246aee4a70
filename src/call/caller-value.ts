import type { CallerValue } from '../compile/model.ts'
import { storedAs } from '../compile/rules/rule-values.ts'
import { type FieldKind, kinds } from '../kinds/kinds.ts'
import { type Caller, claimIn } from './caller.ts'

/** A list with more elements, or more characters as JSON, is no list: every statement would carry it to the store. */
const mostElements = 1_000
const longestList = 16_384

/**
 * Something about the caller, as it is bound to a statement. Null where it is absent or of another type: a comparison with NULL is not
 * true, so doubt opens nothing. A list is bound as JSON, with null for elements that do not fit: SQL says neither that a list with NULL
 * has another value, nor that it has it not.
 */
export function callerValue(value: CallerValue, caller: Caller, now: number): string | number | null {
  const found = foundIn(value, caller, now)
  if (!value.isList) return boundAs(value.as, found)
  if (!Array.isArray(found) || found.length > mostElements) return null
  const text = JSON.stringify(found.map((element) => boundAs(value.as, element)))
  return text.length > longestList ? null : text
}

function boundAs(kind: FieldKind, value: unknown): string | number | null {
  const stored = storedAs(kind, value)
  return stored === undefined ? null : kinds[kind].bind(stored, {})
}

function foundIn({ source, name, as }: CallerValue, caller: Caller, now: number): unknown {
  switch (source) {
    case 'claim':
      return claimIn(caller.claims, name)
    case 'subject':
      return caller.subject
    case 'consumer':
      return caller.consumer.isUnnamed ? null : caller.consumer.name
    case 'program':
      return caller.subject === null ? true : null
    case 'now':
      return kinds[as].atTime?.(new Date(now).toISOString())
  }
}
