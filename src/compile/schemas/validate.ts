import type { JsonSchema } from '../../declare/json-schema.ts'
import { stringFormats } from '../../kinds/kinds.ts'
import { matches } from '../../kinds/pattern.ts'
import { plainCounted } from '../names/plural.ts'
import { isJsonObject } from './canonical.ts'
import { isMultiple } from './multiples.ts'

/** What is wrong with a value, and where below it. */
export interface Fault {
  /** A JSON pointer below the value: empty for the value itself. */
  readonly at: string
  readonly detail: string
  readonly code: string
}

/** Is told of every fault. A value may have more than anyone shows, so that words are made for those alone that are asked for. */
type Report = (inWords: () => Fault) => void

/** Validates a value against the part of JSON Schema that fields use. Lengths count code points, as JSON Schema says. */
export const validateValue = (schema: JsonSchema, value: unknown, report: Report): void =>
  check(schema, value, '', (at, detail, code) =>
    report(() => ({ at, detail: typeof detail === 'string' ? detail : detail(), code })),
  )

export function firstFault(schema: JsonSchema, value: unknown): Fault | null {
  let first: Fault | null = null
  validateValue(schema, value, (inWords) => {
    first ??= inWords()
  })
  return first
}

export function isValid(schema: JsonSchema, value: unknown): boolean {
  let valid = true
  check(schema, value, '', () => {
    valid = false
  })
  return valid
}

/** A detail that takes longer to say is a function. */
type Note = (at: string, detail: string | (() => string), code: string) => void

function check(schema: JsonSchema, value: unknown, at: string, report: Note): void {
  if (schema.anyOf) {
    if (!schema.anyOf.some((one) => isValid(one, value)))
      report(at, 'matches none of the allowed forms', 'type')
    return
  }
  if (schema.type !== undefined && !hasType(value, schema.type)) {
    const { type } = schema
    return report(at, () => `must be ${article(type)}${inQuotes(schema, value)}`, 'type')
  }
  if (schema.const !== undefined && value !== schema.const)
    report(at, `must be ${JSON.stringify(schema.const)}`, 'enum')
  const { enum: listed } = schema
  if (listed && !valuesOf(listed).has(value))
    return report(at, () => `must be one of ${listed.map((one) => JSON.stringify(one)).join(', ')}`, 'enum')
  if (typeof value === 'string') checkString(schema, value, at, report)
  else if (typeof value === 'number') checkNumber(schema, value, at, report)
  else if (Array.isArray(value)) checkArray(schema, value, at, report)
  else if (typeof value === 'object' && value !== null) checkObject(schema, value, at, report)
}

const hasType = (value: unknown, type: NonNullable<JsonSchema['type']>): boolean => {
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  if (type === 'object') return isJsonObject(value)
  // JSON has no infinities, but 1e999 parses to one.
  return typeof value === type && (typeof value !== 'number' || Number.isFinite(value))
}

/** A list in a body may have as many values as the schema lists, or more: each is looked up, not compared with all. */
const sets = new WeakMap<readonly unknown[], ReadonlySet<unknown>>()

function valuesOf(listed: readonly unknown[]): ReadonlySet<unknown> {
  const known = sets.get(listed) ?? new Set(listed)
  sets.set(listed, known)
  return known
}

const article = (type: string): string =>
  /^[aeio]/.test(type) ? `an ${type}` : type === 'null' ? type : `a ${type}`

/** A number is often sent for a decimal: the string that was meant, or an example where the number cannot be written so. */
const inQuotes = (schema: JsonSchema, value: unknown): string => {
  const format = stringFormats[schema.format ?? '']
  if (!format || typeof value !== 'number') return ''
  const meant = String(value)
  return ` such as ${JSON.stringify(format.test(meant, schema) ? meant : format.example(schema))}`
}

function checkString(schema: JsonSchema, value: string, at: string, report: Note): void {
  if (value.includes('\0')) return report(at, 'must not contain a NUL character', 'characters')
  if (!value.isWellFormed()) return report(at, 'must not contain a lone surrogate', 'characters')
  const { minLength, maxLength } = schema
  // Code points are at most UTF-16 units: counting them is only needed near a limit.
  if (maxLength !== undefined && value.length > maxLength && codePoints(value) > maxLength) {
    // A text that is too long is not matched with a pattern: that costs time for each of its characters.
    return report(at, `must have at most ${plainCounted(maxLength, 'character')}`, 'too_long')
  }
  if (minLength !== undefined && codePoints(value) < minLength) {
    report(at, `must have at least ${plainCounted(minLength, 'character')}`, 'too_short')
  }
  if (schema.pattern !== undefined && !matches(schema.pattern, value)) {
    report(at, `must ${idLike(schema.pattern) ?? `match ${schema.pattern}`}`, 'pattern')
  }
  const format = schema.format === undefined ? undefined : stringFormats[schema.format]
  if (format && !format.test(value, schema)) report(at, () => `must be ${format.noun(schema)}`, 'format')
}

/** What an id with a prefix looks like, where the pattern is that of one: people know it by its look. */
const idLike = (pattern: string): string | null => {
  const [, prefix] = /^\^([a-z][a-z0-9]*_)\[0-9a-f\]\{8\}-\[0-9a-f\]\{4\}-7/.exec(pattern) ?? []
  return prefix === undefined ? null : `be an id such as "${prefix}01980000-0000-7000-8000-000000000042"`
}

const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

function checkNumber(schema: JsonSchema, value: number, at: string, report: Note): void {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return report(at, 'must lie between -(2^53 - 1) and 2^53 - 1', 'out_of_range')
  }
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  if (minimum !== undefined && value < minimum) report(at, `must be at least ${minimum}`, 'too_small')
  if (maximum !== undefined && value > maximum) report(at, `must be at most ${maximum}`, 'too_big')
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
    report(at, `must be greater than ${exclusiveMinimum}`, 'too_small')
  }
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) {
    report(at, `must be less than ${exclusiveMaximum}`, 'too_big')
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf) && !isNearMultiple(value / multipleOf)) {
    report(at, `must be a multiple of ${multipleOf}`, 'multiple')
  }
}

/** Rounding errors of a sender's floating-point arithmetic are accepted: 0.1 + 0.2 is 0.30000000000000004. */
const isNearMultiple = (ratio: number): boolean => Math.abs(ratio - Math.round(ratio)) <= 1e-9

function checkArray(schema: JsonSchema, value: readonly unknown[], at: string, report: Note): void {
  const { minItems, maxItems, items, prefixItems = [] } = schema
  if (minItems !== undefined && value.length < minItems)
    report(at, `must have at least ${plainCounted(minItems, 'item')}`, 'too_short')
  if (maxItems !== undefined && value.length > maxItems)
    return report(at, `must have at most ${plainCounted(maxItems, 'item')}`, 'too_long')
  value.forEach((item, index) => {
    const inner = prefixItems[index] ?? items
    if (inner) check(inner, item, `${at}/${index}`, report)
  })
}

function checkObject(schema: JsonSchema, value: object, at: string, report: Note): void {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema
  for (const name of required)
    if (!Object.hasOwn(value, name)) report(`${at}/${pointerStep(name)}`, 'is required', 'required')
  for (const [name, inner] of Object.entries(value)) {
    const where = `${at}/${pointerStep(name)}`
    if (name.includes('\0') || !name.isWellFormed()) {
      report(at, 'has a key with a NUL character or a lone surrogate', 'characters')
    } else if (Object.hasOwn(properties, name)) check(properties[name] ?? {}, inner, where, report)
    else if (additionalProperties === false) report(where, 'is not a known field', 'unknown')
    else {
      if (propertyNames) check(propertyNames, name, where, report)
      check(typeof additionalProperties === 'object' ? additionalProperties : {}, inner, where, report)
    }
  }
}

/** Longer names are cut: a key of a megabyte may hold a list whose every element is a mistake. */
const longestStep = 100

/** RFC 6901: `~` and `/` are escaped in a step, and in a fragment of a URI all that a URI cannot hold. */
export const pointerStep = (name: string): string =>
  encodeURIComponent(name.slice(0, longestStep).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))
