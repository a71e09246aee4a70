const leastPauseMs = 100
const mostPauseMs = 5_000

/** `Retry-After`, in seconds or as a date. */
export const secondsToWait = (headers: Headers): number | null => {
  const text = headers.get('retry-after')
  if (text === null) return null
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}

/** Full jitter: clients that failed together do not come back together. */
export const pauseMs = (error: unknown, tries: number): number => {
  const { retryAfter = null } = Object(error) as { retryAfter?: number | null }
  return retryAfter === null
    ? Math.random() * Math.min(mostPauseMs, leastPauseMs * 2 ** (tries - 1))
    : retryAfter * 1000
}

/** The promise, unless the signal is aborted before; then the signal's reason is thrown. */
export const unlessAborted = <T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  signal
    ? new Promise((done, fail) => {
        const abort = (): void => fail(signal.reason)
        if (signal.aborted) abort()
        signal.addEventListener('abort', abort, { once: true })
        promise.then(done, fail).finally(() => signal.removeEventListener('abort', abort))
      })
    : promise

/** Throws the signal's reason when it is aborted. */
export const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((done, fail) => {
    const abort = () => {
      clearTimeout(timer)
      fail(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      done()
    }, ms)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
