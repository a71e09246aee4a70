import type { CodecName } from '../../declare/change.ts'

/** The written forms of values, as regular expressions without anchors. No lookahead: RE2 has none. */

/** The digits of every whole number from 0 to the limit, leading zeros allowed up to the limit's length. */
const digitsUpTo = (limit: number): string => {
  const digits = String(limit)
  if (digits.length === 1) return `[0-${digits}]`
  const smaller = [...digits].flatMap((digit, at) => {
    const rest = digits.length - at - 1
    if (digit === '0') return []
    const first = `${digits.slice(0, at)}[0-${Number(digit) - 1}]`
    return [rest === 0 ? first : `${first}[0-9]{${rest}}`]
  })
  return `(?:[0-9]{1,${digits.length - 1}}|${[...smaller, digits].join('|')})`
}

const safe = Number.MAX_SAFE_INTEGER

/** Every whole number between the bounds, the lower of which is not above zero. */
const integerBetween = ({ minimum = -safe, maximum = safe }: Bounds = {}): string =>
  `(?:-${digitsUpTo(-minimum)}|${digitsUpTo(maximum)})`

interface Bounds {
  readonly minimum?: number
  readonly maximum?: number
}

const wholeCents = Math.floor(safe / 100)
const decimal = `-?(?:${digitsUpTo(wholeCents - 1)}(?:\\.[0-9]{1,2})?|${wholeCents}(?:\\.(?:[0-8]?[0-9]|9[01]?))?)`

const longMonth = '(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])'
const shortMonth = '(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)'
const february = '02-(?:0[1-9]|1[0-9]|2[0-8])'
const year = '(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])'
const leapYear = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)'
const date = `(?:${year}-(?:${longMonth}|${shortMonth}|${february})|${leapYear}-02-29)`

const hour = '(?:[01][0-9]|2[0-3])'
/** With the milliseconds in which times are kept: nothing is equal to a finer time. */
const time = `${date}[Tt]${hour}:[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,3}0{0,6})?(?:[Zz]|[+-]${hour}:[0-5][0-9])`

const hex = '[0-9A-Fa-f]'
const uuid = `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`

export const written = {
  integer: integerBetween,
  /** Short enough to stay finite. */
  number: '-?[0-9]{1,200}(?:\\.[0-9]{1,200})?(?:[eE][+-]?[0-9]{1,2})?',
  boolean: '(?:true|false)',
  date,
  datetime: time,
  uuid,
} as const

/** What an older version's form of a value must look like to be stored. */
export const codecRules: { readonly [N in CodecName]: Bounds & { readonly pattern?: string } } = {
  'integer-as-string': { pattern: `^${integerBetween()}$` },
  'boolean-as-integer': { minimum: 0, maximum: 1 },
  'cents-as-decimal-string': { pattern: `^${decimal}$` },
  'datetime-as-unix-seconds': { minimum: -62_135_596_800, maximum: 253_402_300_799 },
}
