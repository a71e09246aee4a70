import { z } from 'zod'
import { stringFormats } from '../../kinds/kinds.ts'
import { rewrites } from '../../kinds/rewrites.ts'
import { checksOf, type ZodCheckDef } from './def.ts'

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

/** Zod does not name what a rewriting check does, so it is told by what it makes of these texts. */
const probes = [' Aa\u00c9 ', '\t\n\u00a0X', 'e\u0301', '\u0130\u00df', 'ABCXYZ', 'abcxyz', ' a  b ', '']

/** `trim` or `lower-case`; undefined where the check does something else. */
export const rewriteOf = ({ check, tx }: ZodCheckDef): string | undefined =>
  check === 'overwrite' && tx
    ? Object.keys(rewrites).find((name) => probes.every((text) => tx(text) === rewrites[name]?.apply(text)))
    : undefined

/** The rewrites that a string's declaration asks for, in one order whatever the order of the checks. */
export const rewritesAskedBy = (schema: z.ZodType): readonly string[] => {
  const asked = new Set(checksOf(schema).map(rewriteOf))
  return Object.keys(rewrites).filter((name) => asked.has(name))
}
