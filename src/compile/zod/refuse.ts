import type { z } from 'zod'
import { patternFault } from '../../kinds/pattern.ts'
import { checksOf, defOf, type ZodCheckDef } from './def.ts'
import { isSupportedCheck, patternsOf, rewriteOf, supportedFormats } from './strings.ts'

/** A Zod schema that cannot be stored, described or validated the same way everywhere. */
export interface ZodRefusal {
  /** `z.bigint()` */
  readonly what: string
  readonly hint: string
}

const useCode = 'Check it in a beforeCreate or beforeUpdate hook, which can reject with a problem of its own.'
const plainForms = 'Use z.string(), z.int(), z.number(), z.boolean(), z.enum(), z.array() or z.object().'

/** Zod's names of the types that fields are made of. All others are refused, also those that a later Zod adds. */
const allowed =
  /^(?:string|number|boolean|enum|literal|null|union|object|array|record|tuple|optional|nullable|default|readonly)$/

/** What to write in place of a refused type, where that is not one of the plain forms. */
const insteadOf: { readonly [type: string]: string } = {
  transform: `What is sent is what is stored. ${useCode}`,
  pipe: `What is sent is what is stored. ${useCode}`,
  catch: 'A wrong value is refused, never replaced. Use .default() for an absent one.',
  prefault: 'Use .default().',
  nonoptional: 'Leave out .optional() instead.',
  bigint: 'JSON readers lose digits past 2^53: use z.int(), or z.string() with a pattern of digits.',
  date: 'JSON has no dates: use z.iso.datetime() or z.iso.date().',
  map: 'Use z.record(z.string(), …).',
  set: 'Use z.array(…).',
  undefined: 'Use .optional() on the schema of the value.',
  never: 'Leave the field out.',
  nan: 'JSON has no NaN: use z.number().',
  any: 'Say what it holds; z.record(z.string(), z.string()) is the loosest object.',
  unknown: 'Say what it holds; z.record(z.string(), z.string()) is the loosest object.',
  file: 'Keep files elsewhere and store their address with z.url().',
  lazy: 'Recursive values have no bounded description: write out the levels you need.',
  intersection: 'Write one z.object() with the keys of both.',
  template_literal: 'Use z.string().regex(…).',
}

/** How types are called that are not made by a function of their name. */
const callOf: { readonly [type: string]: string } = {
  transform: 'a transform',
  pipe: 'a pipe (transform, preprocess, codec or stringbool)',
  catch: '.catch()',
  prefault: '.prefault()',
  nonoptional: '.nonoptional()',
  custom: 'z.custom() or z.instanceof()',
  lazy: 'z.lazy() or z.json()',
  template_literal: 'z.templateLiteral()',
}

/** All refused parts of a schema without its wrappers, each once. */
export const refusalsOf = (schema: z.ZodType): readonly ZodRefusal[] => {
  const found = new Map<string, ZodRefusal>()
  const refuse = (refusal: ZodRefusal) => found.set(refusal.what, refusal)
  const visit = (at: z.ZodType, nested: boolean): void => {
    const def = defOf(at)
    const { type } = def
    if (!allowed.test(type))
      return void refuse({ what: callOf[type] ?? `z.${type}()`, hint: insteadOf[type] ?? plainForms })
    if (def.coerce === true)
      refuse({
        what: 'z.coerce',
        hint: 'A value of the wrong type is refused, never converted: leave out "coerce".',
      })
    for (const check of checksOf(at)) refusalOfCheck(check, nested, refuse)
    refusePatterns(at, refuse)
    refuseValues(at, nested, refuse)
    for (const child of childrenOf(at)) visit(child, true)
  }
  visit(schema, false)
  return [...found.values()]
}

const childrenOf = (schema: z.ZodType): readonly z.ZodType[] => {
  const def = defOf(schema)
  return [
    def.innerType,
    def.element,
    ...Object.values(def.shape ?? {}),
    def.catchall !== undefined && defOf(def.catchall).type === 'never' ? undefined : def.catchall,
    def.keyType,
    def.valueType,
    ...(def.items ?? []),
    def.rest ?? undefined,
    ...(def.options ?? []),
  ].filter((child) => child !== undefined)
}

type Refuse = (refusal: ZodRefusal) => void

const refusalOfCheck = (check: ZodCheckDef, nested: boolean, refuse: Refuse): void => {
  if (check.check === 'custom')
    refuse({ what: 'a check in code (.refine, .superRefine or .check)', hint: useCode })
  if (check.check === 'overwrite' && (nested || rewriteOf(check) === undefined))
    refuse({
      what: nested
        ? 'a rewriting check (.trim, .toLowerCase) within another value'
        : 'a rewriting check other than .trim and .toLowerCase (.normalize, .toUpperCase …)',
      hint: 'What is sent is what is stored: use .regex(…) to demand the form.',
    })
  if (check.check === 'property' || check.check === 'mime_type')
    refuse({ what: `a "${check.check}" check`, hint: 'Say it in the schema of the key itself.' })
  if (check.check === 'multiple_of' && (check.value === 0 || !Number.isFinite(check.value)))
    refuse({ what: `.multipleOf(${check.value})`, hint: 'Write a number above 0.' })
  if (check.check === 'string_format' && check.format !== undefined)
    refusalOfFormat(check, check.format, refuse)
}

const refusalOfFormat = (check: ZodCheckDef, format: string, refuse: Refuse): void => {
  if (!isSupportedCheck(format))
    refuse({
      what: `the string format "${format}"`,
      hint: `Supported are ${supportedFormats}: use z.string().regex(…) for others.`,
    })
  if (format === 'datetime' && check.local === true)
    refuse({
      what: 'a datetime without an offset ({ local: true })',
      hint: 'A time without an offset is no moment: leave out "local".',
    })
  if (format === 'datetime' && check.precision !== undefined && check.precision !== null)
    refuse({
      what: 'a datetime with a fixed precision',
      hint: 'Times are kept to the millisecond: leave out "precision".',
    })
  if (
    format === 'url' &&
    (check.hostname !== undefined || check.protocol !== undefined || check.normalize === true)
  )
    refuse({
      what: 'a url with conditions of its own',
      hint: 'Use z.url().regex(/^https:/) or the like, which the documents can show.',
    })
}

const refusePatterns = (schema: z.ZodType, refuse: Refuse): void => {
  const patterns = patternsOf(schema)
  if (patterns.length > 1)
    refuse({ what: 'several patterns on one string', hint: 'Write them as one regular expression.' })
  for (const pattern of patterns) {
    if (pattern.flags.replace(/[uv]/g, '') !== '')
      refuse({
        what: `the flags of ${String(pattern)}`,
        hint: 'JSON Schema patterns have no flags: spell it out, as in [Aa].',
      })
    else if (!compilesWithUnicode(pattern.source))
      refuse({
        what: `the pattern ${String(pattern)}`,
        hint: 'It must also be valid with the "u" flag, as JSON Schema reads it.',
      })
    else refuseSlow(pattern.source, refuse)
  }
}

/** A caller sends texts that make a pattern as slow as it can be. */
const refuseSlow = (source: string, refuse: Refuse): void => {
  const fault = patternFault(source)
  if (fault !== null)
    refuse({
      what: `the pattern /${source}/`,
      hint: `It has ${fault}, and could not be matched in a time that grows with the length of the text alone. Say lengths with .min() and .max(), and check the rest in a beforeCreate or beforeUpdate hook.`,
    })
}

const compilesWithUnicode = (source: string): boolean => {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}

const structured = new Set(['object', 'array', 'record', 'tuple'])

const refuseValues = (schema: z.ZodType, nested: boolean, refuse: Refuse): void => {
  const def = defOf(schema)
  if (def.type === 'default')
    refuse({
      what: 'a default within an object or array',
      hint: 'Only a whole field has a default: use .optional() here.',
    })
  if (def.type === 'null' && !nested)
    refuse({ what: 'z.null()', hint: 'Use .nullable() on the schema of the value.' })
  if (def.type === 'enum' && Object.keys(def.entries ?? {}).length === 0)
    refuse({ what: 'an enum without values', hint: 'Name at least one.' })
  if (def.type === 'enum' && Object.values(def.entries ?? {}).some((value) => typeof value !== 'string'))
    refuse({ what: 'an enum with numbers', hint: 'Enum values are strings: numbers tell consumers nothing.' })
  if (def.type === 'literal' && !nested && (def.values ?? []).some((value) => typeof value !== 'string'))
    refuse({
      what: 'a literal that is not a string',
      hint: 'Use z.enum() of strings, z.int() or z.boolean().',
    })
  if (
    def.type === 'literal' &&
    (def.values ?? []).some((value) => value === undefined || typeof value === 'bigint')
  )
    refuse({ what: 'a literal that JSON cannot hold', hint: 'Use a string, a number, a boolean or null.' })
  if (
    def.type === 'union' &&
    !nested &&
    !(def.options ?? []).every((option) => structured.has(defOf(option).type))
  )
    refuse({
      what: 'a union of scalars',
      hint: 'A field has one type: use z.enum() for a choice of values, or two fields.',
    })
  if (
    def.type === 'record' &&
    def.keyType !== undefined &&
    !['string', 'enum'].includes(defOf(def.keyType).type)
  )
    refuse({
      what: 'a record whose keys are not strings',
      hint: 'Keys of JSON objects are strings: use z.record(z.string(), …).',
    })
}
