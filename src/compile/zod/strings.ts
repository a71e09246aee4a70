import { z } from 'zod'
import { stringFormats } from '../../kinds/kinds.ts'
import { checksOf } from './def.ts'

/** Zod's name of each supported string format, and JSON Schema's. */
const formats = new Map(Object.entries(stringFormats).map(([name, { zodName }]) => [zodName, name]))
/** Checks that are nothing but a regular expression. */
const patterned = new Set(['regex', 'lowercase', 'uppercase', 'includes', 'starts_with', 'ends_with'])
/** The pattern that Zod adds for a format, which the format makes redundant. A pattern of the user's own stays. */
const ownPatterns = new Set([z.regexes.email.source, z.regexes.uuid().source])

const names = [...formats.keys()]
/** For messages. Intl.ListFormat would take 15 ms or more of every start of a command. */
export const supportedFormats = `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`

export const isSupportedCheck = (format: string): boolean => formats.has(format) || patterned.has(format)

export const formatOf = (schema: z.ZodType): string | undefined => {
  for (const check of checksOf(schema)) {
    const format = check.check === 'string_format' ? formats.get(check.format ?? '') : undefined
    if (format !== undefined) return format
  }
  return undefined
}

/** The regular expressions that a string's declaration asks for beyond its format. */
export const patternsOf = (schema: z.ZodType): readonly RegExp[] =>
  checksOf(schema).flatMap(({ check, format = '', pattern }) => {
    if (check !== 'string_format' || pattern === undefined) return []
    const given =
      patterned.has(format) || (['email', 'uuid'].includes(format) && !ownPatterns.has(pattern.source))
    return given ? [pattern] : []
  })
