import { problem } from '../problems.ts'
import type { Holder } from './fair-limit.ts'
import { type Admission, type AskingRequest, bodiesOverShare, overloaded } from './overload.ts'

const withinMs = 30_000
const nothing = new Uint8Array(0)

export interface BodyBounds {
  readonly limit: number
  readonly admission: Admission
  readonly holder: Holder
  /** Whose body it is. */
  readonly asks: AskingRequest
}

/** The body of a web request, read up to a limit. A stream without end is cancelled: at the limit, or when its time is over. */
export async function readWebBody(
  request: Request,
  { limit, admission, holder, asks }: BodyBounds,
): Promise<Uint8Array> {
  if (request.bodyUsed)
    throw new Error('The body of the request was read before the service got it. Pass the request on unread.')
  const length = Number(request.headers.get('content-length') ?? 0)
  if (length > limit) throw tooLarge(limit)
  if (!request.body) return nothing
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    void reader.cancel().catch(() => {})
  }, withinMs)
  admission.beginBody()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw problem('bad-request', { detail: 'The body ended before it was complete.' })
      })
      if (isLate) throw problem('request-timeout', { detail: 'The body did not arrive within 30 s.' })
      if (done) break
      size += value.length
      const fits = admission.growBody(holder, value.length)
      if (size > limit) throw tooLarge(limit)
      if (!fits) throw bodiesOverShare()
      chunks.push(value)
    }
  } catch (error) {
    void reader.cancel().catch(() => {})
    throw error
  } finally {
    clearTimeout(timer)
    admission.endBody(holder, size)
  }
  if (!(await admission.inTurn(asks, () => true)) || !admission.mayContinue()) throw overloaded()
  return Buffer.concat(chunks)
}

const tooLarge = (limit: number): Error =>
  problem('body-too-large', { detail: `The body may have at most ${limit} bytes.`, members: { limit } })
