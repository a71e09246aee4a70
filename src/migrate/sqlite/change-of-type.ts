import { sqlite } from '../../plan/sqlite.ts'
import { type ConversionSql, safe, seconds } from '../plan/changes-of-type.ts'
import { sqliteType } from './ddl.ts'

const integer = (x: string): string => `CAST(${x} AS INTEGER)`
const cents = (x: string): string => integer(`replace(${x}, '.', '')`)

export const sqliteConversions: ConversionSql = {
  dialect: sqlite,
  type: sqliteType,
  // A cast of text ignores everything after the digits. `converts` notices that, because the value then shows other text.
  readable: {
    'integer-as-string': (x) => `${integer(x)} ${safe}`,
    'boolean-as-integer': (x) => `${x} IN (0, 1)`,
    'cents-as-decimal-string': (x) => `${cents(x)} ${safe}`,
    'datetime-as-unix-seconds': (x) => `${x} ${seconds}`,
  },
  value: {
    'integer-as-string': integer,
    'boolean-as-integer': (x) => x,
    'cents-as-decimal-string': cents,
    'datetime-as-unix-seconds': (x) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${x}, 'unixepoch')`,
  },
  // A STRICT table takes no BLOB in a column of another type.
  stop: () => `x''`,
}
