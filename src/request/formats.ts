import { emailLocalTooLong, emailMaxLength, emailPattern } from '../compile/text-patterns.ts'
import { isDate, utcText } from '../compile/time.ts'

interface Format {
  readonly name: string
  test(value: string): boolean
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const email = new RegExp(emailPattern)
const longLocal = new RegExp(emailLocalTooLong)
const isEmail = (value: string): boolean =>
  value.length <= emailMaxLength && email.test(value) && !longLocal.test(value)

/** What each `format` means here; unknown formats are refused when the API is compiled. */
export const formats: { readonly [format: string]: Format } = {
  email: { name: 'an email address', test: isEmail },
  uri: { name: 'a URL', test: (value) => URL.canParse(value) && /^[a-z][a-z0-9+.-]*:\S+$/i.test(value) },
  uuid: { name: 'a UUID', test: (value) => uuid.test(value) },
  date: { name: 'a date such as 2026-06-01', test: isDate },
  'date-time': { name: 'a time such as 2026-06-01T12:00:00Z', test: (value) => utcText(value) !== null },
}
