import { randomCharacters } from '../guard/api-key.ts'

/** Ids that differ between processes by their prefix and within one by a counter: no random bytes per request. */
export const createRequestIds = (): (() => string) => {
  const prefix = randomCharacters(10)
  let count = 0
  return () => `${prefix}-${++count}`
}

/** An id goes into headers, logs and problem bodies, so one from outside may only be plain. */
export const isRequestId = (text: unknown): text is string =>
  typeof text === 'string' && /^[\w.:+/=@-]{1,128}$/.test(text)
