import type { LiveBody } from '../../call/exchange.ts'

class ReaderLeft extends Error {}

/** What `produce` writes, as a body: it waits with each part until the client has taken the one before. */
export const bodyWrittenBy = (
  produce: (write: (text: string) => Promise<void>) => Promise<unknown>,
): LiveBody => {
  let hasLeft = false
  let taken = Promise.withResolvers<void>()
  let written = Promise.withResolvers<string | null>()
  let isBegun = false
  // Only one part is in memory at a time.
  written.promise.catch(() => {})
  const write = async (text: string): Promise<void> => {
    written.resolve(text)
    await taken.promise
    if (hasLeft) throw new ReaderLeft()
  }
  return {
    next() {
      if (isBegun) {
        const before = taken
        taken = Promise.withResolvers()
        written = Promise.withResolvers()
        written.promise.catch(() => {})
        before.resolve()
      } else {
        isBegun = true
        produce(write).then(
          () => written.resolve(null),
          (error: unknown) => written.reject(error),
        )
      }
      return written.promise
    },
    end() {
      hasLeft = true
      taken.resolve()
    },
  }
}
