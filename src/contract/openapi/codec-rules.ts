import type { CodecName } from '../../declare/change.ts'
import { digitsUpTo, integerPattern } from '../../kinds/integer.ts'

const safe = Number.MAX_SAFE_INTEGER

interface Bounds {
  readonly minimum?: number
  readonly maximum?: number
}

const wholeCents = Math.floor(safe / 100)
const decimal = `-?(?:${digitsUpTo(wholeCents - 1)}(?:\\.[0-9]{1,2})?|${wholeCents}(?:\\.(?:[0-8]?[0-9]|9[01]?))?)`

/** The form that a value of an older version must have to be converted. */
export const codecRules: { readonly [N in CodecName]: Bounds & { readonly pattern?: string } } = {
  'integer-as-string': { pattern: `^${integerPattern()}$` },
  'boolean-as-integer': { minimum: 0, maximum: 1 },
  'cents-as-decimal-string': { pattern: `^${decimal}$` },
  'datetime-as-unix-seconds': { minimum: -62_135_596_800, maximum: 253_402_300_799 },
}
