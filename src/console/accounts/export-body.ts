import type { LiveBody } from '../../call/exchange.ts'

/** What `produce` writes, as a body: it waits with each part until the client has taken the one before, and fails when the client has left. */
export const bodyWrittenBy = (
  produce: (write: (text: string) => Promise<void>) => Promise<unknown>,
): LiveBody => {
  const { readable, writable } = new TransformStream<string, string>()
  const [reader, writer] = [readable.getReader(), writable.getWriter()]
  let isBegun = false
  const begin = (): void => {
    isBegun = true
    void produce((text) => writer.write(text))
      .then(() => writer.close())
      .catch((error: unknown) => writer.abort(error))
  }
  return {
    async next() {
      if (!isBegun) begin()
      const { value } = await reader.read()
      return value ?? null
    },
    end: () => void reader.cancel().catch(() => {}),
  }
}
