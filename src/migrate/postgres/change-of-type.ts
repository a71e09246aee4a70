import { postgres } from '../../plan/postgres.ts'
import { type ConversionSql, safe, seconds } from '../plan/changes-of-type.ts'
import { postgresType } from './ddl.ts'

const integer = (x: string): string => `${x}::bigint`
const cents = (x: string): string => integer(`replace(${x}, '.', '')`)
/** Only text that matches the pattern is cast: a cast of other text would fail the statement. */
const matching = (x: string, pattern: string, then: string): string =>
  `CASE WHEN ${x} ~ '${pattern}' THEN ${then} ELSE FALSE END`

export const postgresConversions: ConversionSql = {
  dialect: postgres,
  type: postgresType,
  readable: {
    'integer-as-string': (x) => matching(x, '^-?[0-9]{1,16}$', `${integer(x)} ${safe}`),
    'boolean-as-integer': (x) => `${x} IN (0, 1)`,
    'cents-as-decimal-string': (x) => matching(x, '^-?[0-9]{1,14}[.][0-9]{2}$', `${cents(x)} ${safe}`),
    'datetime-as-unix-seconds': (x) => `${x} ${seconds}`,
  },
  value: {
    'integer-as-string': integer,
    'boolean-as-integer': (x) => `(${x} = 1)`,
    'cents-as-decimal-string': cents,
    'datetime-as-unix-seconds': (x) => `to_timestamp(${x})`,
  },
  stop: (x, kind) => `('cannot be converted: ' || ${x})::${postgresType(kind)}`,
}
