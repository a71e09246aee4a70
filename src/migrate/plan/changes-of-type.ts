import { codecs } from '../../compile/versions/codecs.ts'
import type { CodecName } from '../../declare/change.ts'
import type { FieldKind } from '../../kinds/kinds.ts'
import type { Dialect } from '../../plan/dialect.ts'

/** The SQL with which one database converts values that are stored in the type of an older version. `x` is a column. */
export interface ConversionSql {
  readonly dialect: Dialect
  /** The column type of a field kind. */
  readonly type: (kind: FieldKind) => string
  /** True where `value` can be computed: a cast of other text would fail the whole statement. */
  readonly readable: { readonly [C in CodecName]: (x: string) => string }
  readonly value: { readonly [C in CodecName]: (x: string) => string }
  /** An expression that fails the statement, so that no value is converted wrongly. */
  readonly stop: (x: string, kind: FieldKind) => string
}

export const safe = `BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`
/** The years 1 to 9999 in seconds since 1970: the range of a datetime on every store. */
export const seconds = 'BETWEEN -62135596800 AND 253402300799'

/** True where the older version shows the same bytes after the conversion as before. */
export function converts({ dialect, readable, value }: ConversionSql, codec: CodecName, x: string): string {
  const before = dialect.asText(dialect.json(x, codecs[codec].older, false))
  return `CASE WHEN ${readable[codec](x)} THEN ${before} = ${dialect.encode(value[codec](x), codec)} ELSE FALSE END`
}

/** The value in its new type. */
export function converted(sql: ConversionSql, codec: CodecName, x: string): string {
  const stop = sql.stop(x, codecs[codec].newer)
  return `CASE WHEN ${x} IS NULL THEN NULL WHEN ${converts(sql, codec, x)} THEN ${sql.value[codec](x)} ELSE ${stop} END`
}
