import type { Contract } from '../compile/contract-format.ts'
import type { Version } from '../compile/model.ts'
import { integersAmong } from '../compile/schemas/integer-schema.ts'
import { codecs } from '../compile/versions/codecs.ts'
import type { CodecName } from '../declare/change.ts'
import type { JsonSchema } from '../declare/json-schema.ts'
import { breaking, type Differences, sayAt } from './diff/difference.ts'
import { codecRules } from './openapi/codec-rules.ts'

export const unheldKind = 'unheld values'

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
      return [say(breaking, what, unheldKind)]
    }),
  )

/** Values of the older type that the newer one cannot hold, in words; null where it holds all. */
export function unheldBy(codec: CodecName, older: JsonSchema, newer: JsonSchema): string | null {
  const ends = older.type === 'string' ? endsIn(older.pattern) : endsOf(older)
  if (ends === null) return 'texts of any form'
  const [{ minimum, maximum, multipleOf }] = integersAmong(newer, newer)
  const unheld = ends.find((value) => {
    const stored = codecs[codec].up(value)
    return stored === undefined || (typeof stored === 'number' && (stored < minimum || stored > maximum))
  })
  if (unheld !== undefined) return `values such as ${JSON.stringify(unheld)}`
  return multipleOf === 1 ? null : `values that are no multiples of ${multipleOf}`
}

/** The greatest and the least of the integers of a schema. */
const endsOf = (schema: JsonSchema): readonly number[] => {
  const [{ minimum, maximum }] = integersAmong(schema, schema)
  return [Math.min(maximum, Number.MAX_SAFE_INTEGER), Math.max(minimum, -Number.MAX_SAFE_INTEGER)]
}

/** A minus that may be there, a first digit that is no zero, digits, and digits after a point, which may be left out together with it. */
const numberPattern =
  /^\^(-\?)?(\[1-9\])?(?:\[0-9\](?:\{(\d{1,2})(?:,(\d{1,2}))?\})?)(?:\\\.\[0-9\](?:\{([1-9]\d?)(?:,([1-9]\d?))?\})?)?\$$/

/** The greatest and the least of the numbers that a pattern allows; null for a pattern of another form. */
const endsIn = (pattern = ''): readonly string[] | null => {
  const plain = pattern
    .replaceAll('\\d', '[0-9]')
    .replaceAll('[0-9][0-9]', '[0-9]{2}')
    .replace(/\((?:\?:)?(\\\.[^()]*)\)\?\$$/, '$1$')
  const [found, minus, lead, fewest = '1', most = fewest, places = '1', mostPlaces = places] =
    numberPattern.exec(plain) ?? []
  if (found === undefined || (!lead && fewest === '0')) return null
  const textOf = (first: string, digit: string, count: string): string =>
    (lead ? first : '') +
    digit.repeat(Number(count)) +
    (plain.includes('.') ? `.${digit.repeat(Number(mostPlaces))}` : '')
  const greatest = textOf('9', '9', most)
  return [greatest, minus ? `-${greatest}` : textOf('1', '0', fewest)]
}

/** As source, for a newer type without bounds of its own; those are said in words. */
const boundFor = (codec: CodecName, newer: JsonSchema): string => {
  const { minimum, maximum } = codecRules[codec]
  if (minimum !== undefined && maximum !== undefined) return `.min(${minimum}).max(${maximum})`
  const pattern = codec === 'integer-as-string' ? '^-?[0-9]{1,15}$' : '^-?[0-9]{1,13}\\.[0-9]{2}$'
  const [own] = integersAmong(newer, newer)
  const isBounded = Math.max(-own.minimum, own.maximum) < Number.MAX_SAFE_INTEGER - own.multipleOf
  const range = isBounded ? `, for numbers from ${own.minimum} to ${own.maximum}` : ''
  return `such as .regex(/${pattern}/)${range}`
}
