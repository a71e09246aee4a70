import type { Contract } from '../compile/contract-format.ts'
import type { Version } from '../compile/model.ts'
import { integersAmong } from '../compile/schemas/integer-schema.ts'
import { textRanges } from '../compile/schemas/text-ranges.ts'
import { codecs } from '../compile/versions/codecs.ts'
import type { CodecName } from '../declare/change.ts'
import type { JsonSchema } from '../declare/json-schema.ts'
import { breaking, type Differences, sayAt } from './diff/difference.ts'
import { codecRules } from './openapi/value-patterns.ts'

export const unheld = 'unheld values'

/**
 * Fields whose published type allows values that the type of the newer version cannot hold: a request that sends one was accepted, and would
 * be refused.
 */
export const unheldValues = (version: Version, promise: Contract): Differences =>
  [...version.views.values()].flatMap((view) =>
    view.fields.flatMap(({ name, codec, readOnly, field }) => {
      const from = promise.resources[view.name]?.fields[name]
      const published = from?.request?.schema
      if (!codec || !published || !field || readOnly) return []
      const values = unheldBy(codec, published, field.schema)
      if (values === null) return []
      const what = `allows ${values}, which the newer type (${field.kind}) cannot hold: publish the bound first, ${boundFor(codec, field.schema)}`
      const say = sayAt('field', `${view.name}.${name}`, { resource: view.name, name, from, to: from })
      return [say(breaking, what, unheld)]
    }),
  )

/** Values of the older type that the newer one cannot hold, in words; null where it holds all. */
export function unheldBy(codec: CodecName, older: JsonSchema, newer: JsonSchema): string | null {
  const ranges = rangesOf(older)
  if (ranges === null) return 'texts of any form'
  const [{ minimum, maximum, multipleOf }] = integersAmong(newer, newer)
  const holds = (value: unknown): boolean => {
    const stored = codecs[codec].up(value)
    if (typeof stored !== 'number') return stored !== undefined
    return stored >= minimum && stored <= maximum && stored % multipleOf === 0
  }
  const holdsRange = ({ least, greatest }: Range) =>
    holds(least) && holds(greatest) && (multipleOf === 1 || least === greatest)
  const range = ranges.find((one) => !holdsRange(one))
  if (!range) return null
  const [least, greatest] = [range.least, range.greatest].map((end) => JSON.stringify(end))
  if (holds(range.least) && holds(range.greatest)) return `values between ${least} and ${greatest}`
  return `values such as ${holds(range.greatest) ? least : greatest}`
}

/** Values of which the newer type holds all where it holds both ends, unless it holds only multiples. */
interface Range {
  readonly least: unknown
  readonly greatest: unknown
}

/** All values of an integer or a text; null where a text may have any form. */
const rangesOf = (schema: JsonSchema): readonly Range[] | null => {
  const listed = schema.const === undefined ? schema.enum : [schema.const]
  if (listed) return listed.map((value) => ({ least: value, greatest: value }))
  if (schema.type === 'string') return textRanges(schema)
  const [{ minimum, maximum }] = integersAmong(schema, schema)
  const safe = Number.MAX_SAFE_INTEGER
  return [{ least: Math.max(minimum, -safe), greatest: Math.min(maximum, safe) }]
}

/** As source, for a newer type without bounds of its own; those are said in words. */
const boundFor = (codec: CodecName, newer: JsonSchema): string => {
  const { minimum, maximum } = codecRules[codec]
  if (minimum !== undefined && maximum !== undefined) return `.min(${minimum}).max(${maximum})`
  const pattern = codec === 'integer-as-string' ? '^-?[0-9]{1,15}$' : '^-?[0-9]{1,13}\\.[0-9]{2}$'
  const [own] = integersAmong(newer, newer)
  const isBounded = Math.max(-own.minimum, own.maximum) < Number.MAX_SAFE_INTEGER - own.multipleOf
  const range = isBounded ? `, for numbers from ${own.minimum} to ${own.maximum}` : ''
  const steps = own.multipleOf === 1 ? '' : `, for multiples of ${own.multipleOf}`
  return `such as .regex(/${pattern}/)${range}${steps}`
}
