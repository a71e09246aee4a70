import { Problem, problem } from '../problems.ts'
import type { PlainResponse } from '../request/exchange.ts'
import { StoreError } from '../store/store.ts'

const mostErrors = 100

/** Any error → the problem it is for the consumer. What is not foreseen tells nothing of itself. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof StoreError && (error.kind === 'unavailable' || error.kind === 'lock-timeout')) {
    return problem('store-unavailable', {
      // A connection lost at the commit leaves open whether it was kept: nothing more can be promised than this.
      detail: 'The store does not answer at the moment. Send it again, a create with its Idempotency-Key.',
      headers: { 'Retry-After': '1' },
    })
  }
  return problem('unexpected', { detail: 'The service failed in a way it did not foresee.' })
}

/** What every call gets in a process whose store was migrated past it, until it has ended. */
export const storeMigrated = (): Problem =>
  problem('shutting-down', {
    detail:
      'The store was migrated for a newer release of this service, and this process ends. Send it again.',
    headers: { 'Retry-After': '1' },
  })

/** RFC 9457. The type is a page of this service unless IANA registers one. */
export function problemResponse(failure: Problem, requestId: string): PlainResponse {
  const { detail, members, errors, headers } = failure.details
  const shown = errors?.slice(0, mostErrors)
  const body = JSON.stringify({
    type: failure.uri ?? `/problems/${failure.type}`,
    title: failure.title,
    status: failure.status,
    detail,
    instance: requestId,
    ...members,
    ...(shown ? { errors: shown } : {}),
    ...(errors && errors.length > mostErrors ? { more: errors.length - mostErrors } : {}),
  })
  return {
    status: failure.status,
    headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store', ...headers },
    body,
  }
}
