import { codecs } from '../../compile/codecs.ts'
import type { CodecName } from '../../declare/change.ts'
import type { FieldKind } from '../../kinds/kinds.ts'
import type { Dialect } from '../../plan/dialect.ts'

/** How one database reads a value that is stored in the form of an older version. `x` is a column. */
export interface ConversionWords {
  readonly dialect: Dialect
  /** The type of a column, as its table is made with it. */
  readonly type: (kind: FieldKind) => string
  /** Whether `value` can be worked out at all: a cast of other text would stop the statement. */
  readonly readable: { readonly [C in CodecName]: (x: string) => string }
  readonly value: { readonly [C in CodecName]: (x: string) => string }
  /** An expression that stops the statement: nothing is converted rather than a value wrongly. */
  readonly stop: (x: string, kind: FieldKind) => string
}

export const safe = `BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`
/** The years 1 to 9999 in seconds since 1970: what every store can keep as a datetime. */
export const seconds = 'BETWEEN -62135596800 AND 253402300799'

/** True where the older version would show the very same bytes of the converted value. */
export function converts({ dialect, readable, value }: ConversionWords, codec: CodecName, x: string): string {
  const before = dialect.asText(dialect.json(x, codecs[codec].older, false))
  return `CASE WHEN ${readable[codec](x)} THEN ${before} = ${dialect.encode(value[codec](x), codec)} ELSE FALSE END`
}

/** The value in its new form. */
export function converted(words: ConversionWords, codec: CodecName, x: string): string {
  const stop = words.stop(x, codecs[codec].newer)
  return `CASE WHEN ${x} IS NULL THEN NULL WHEN ${converts(words, codec, x)} THEN ${words.value[codec](x)} ELSE ${stop} END`
}
