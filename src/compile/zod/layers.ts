import { globalRegistry, type z } from 'zod'
import { type FieldMarks, marksOf } from '../../declare/field.ts'
import { shownValue } from '../mistakes.ts'
import { defOf } from './def.ts'

/** The wrappers around a schema (optional, default, marks), and the schema inside. */
export interface Layers {
  readonly inner: z.ZodType
  readonly optional: boolean
  readonly nullable: boolean
  /** `undefined` where there is none; a default is a constant that JSON can hold. */
  readonly default: unknown
  readonly defaultChanges: boolean
  readonly marks: FieldMarks
  readonly description: string
}

const wrappers = new Set(['optional', 'nullable', 'default', 'readonly'])

/** The outer mark wins, except for scopes: all are needed. */
const mergedMarks = (inner: FieldMarks, outer: FieldMarks): FieldMarks => {
  const scopes = new Set([...(outer.needsScopes ?? []), ...(inner.needsScopes ?? [])])
  return { ...inner, ...outer, ...(scopes.size > 0 ? { needsScopes: [...scopes] } : {}) }
}

export const layersOf = (schema: z.ZodType): Layers => {
  let inner = schema
  let optional = false
  let nullable = false
  let defaultValue: unknown
  let defaultChanges = false
  let marks: FieldMarks = {}
  let description = ''
  for (;;) {
    marks = mergedMarks(marksOf(inner), marks)
    description ||= globalRegistry.get(inner)?.description ?? ''
    const def = defOf(inner)
    if (!wrappers.has(def.type) || def.innerType === undefined) break
    if (def.type === 'optional') optional = true
    if (def.type === 'nullable') nullable = true
    if (def.type === 'default' && defaultValue === undefined) {
      defaultValue = def.defaultValue
      // Zod calls the function of a default again for each read.
      defaultChanges = shownValue(defaultValue) !== shownValue(def.defaultValue)
    }
    inner = def.innerType
  }
  return { inner, optional, nullable, default: defaultValue, defaultChanges, marks, description }
}
