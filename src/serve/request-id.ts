import { randomCharacters } from '../guard/api-key.ts'

/** Makes request ids: a random prefix for the process, and a counter. */
export const createRequestIds = (): (() => string) => {
  const prefix = randomCharacters(10)
  let count = 0
  return () => `${prefix}-${++count}`
}

/** Whether an id from a proxy is safe to copy into headers, logs and problem bodies. */
export const isRequestId = (text: unknown): text is string =>
  typeof text === 'string' && /^[\w.:+/=@-]{1,128}$/.test(text)
