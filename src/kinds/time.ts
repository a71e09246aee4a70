const storedForm = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** Whether a text is already in the one form. */
const isUtcText = (text: string): boolean =>
  storedForm.test(text) &&
  isDay(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10)))

/** RFC 3339 with any offset → UTC with milliseconds, the one form that is stored and shown; null for any other text. */
export function utcText(text: string): string | null {
  // Answers have this form, and so have the times that are sent back or imported. Without it an import takes a fifteenth more CPU time.
  if (isUtcText(text)) return text
  const match =
    /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/.exec(text)
  if (!match) return null
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second,
    fraction = '',
    sign,
    offsetHour = '0',
    offsetMinute = '0',
  ] = match
  if (!isDay(Number(year), Number(month), Number(day))) return null
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return null
  const local = Date.UTC(0, Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  // Date.UTC reads years below 100 as 19xx, so the year is set on its own.
  const date = new Date(local)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const shift = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000 * (sign === '-' ? -1 : 1)
  const utc = new Date(date.getTime() - shift + Number(fraction.padEnd(3, '0').slice(0, 3)))
  const iso = utc.toISOString()
  return /^\d{4}-/.test(iso) && !iso.startsWith('0000') ? iso : null
}

/** Whether a time has more than the three digits of a second's fraction that are kept; zeros are none. */
export const isFinerThanKept = (text: string): boolean => /\.\d{3}0*[1-9]/.test(text)

export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  return match !== null && isDay(Number(match[1]), Number(match[2]), Number(match[3]))
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

const mostDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const isDay = (year: number, month: number, day: number): boolean => {
  if (year < 1 || day < 1 || day > (mostDays[month - 1] ?? 0)) return false
  return month !== 2 || day < 29 || isLeap(year)
}
