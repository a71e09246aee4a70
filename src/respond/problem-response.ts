import type { PlainResponse } from '../call/exchange.ts'
import { Problem, problem } from '../problems.ts'
import { mostShown } from '../request/field-errors.ts'
import { StoreError, type UnavailableReason } from '../store/store.ts'

/** Any error as the problem that the consumer sees. An unexpected error reveals nothing about itself. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof StoreError && (error.kind === 'unavailable' || error.kind === 'lock-timeout')) {
    return problem('store-unavailable', {
      // After a connection is lost during a commit, nobody knows whether the commit took effect.
      detail: `${whyOf(error)} Retry; send a create with the same Idempotency-Key.`,
      headers: { 'Retry-After': '1' },
    })
  }
  return problem('unexpected', { detail: 'The service failed unexpectedly.' })
}

const reasons: { readonly [reason in UnavailableReason]: string } = {
  full: 'The disk of the store is full: nothing can be written at the moment, and reads go on.',
  disk: 'The disk of the store fails at the moment.',
  'read-only': 'The store can only be read at the moment.',
}

const whyOf = ({ reason }: StoreError): string =>
  reason ? reasons[reason] : 'The store does not answer at the moment.'

/** The answer to every call in a process whose store was migrated for a newer release, until the process exits. */
export const storeMigrated = (): Problem =>
  problem('shutting-down', {
    detail:
      'The store was migrated for a newer release of this service, and this process is about to exit. Retry.',
    headers: { 'Retry-After': '1' },
  })

/** RFC 9457. The type is the URL of a page of this service, unless IANA registers a type. */
export function problemResponse(failure: Problem, requestId: string, prefix: string): PlainResponse {
  const { detail, members, errors, headers } = failure.details
  const shown = errors?.slice(0, mostShown)
  const more = (failure.details.more ?? 0) + (errors?.length ?? 0) - (shown?.length ?? 0)
  const body = JSON.stringify({
    type: failure.uri ?? `${prefix}/problems/${failure.type}`,
    title: failure.title,
    status: failure.status,
    detail,
    instance: requestId,
    ...members,
    ...(shown ? { errors: shown } : {}),
    ...(more > 0 ? { more } : {}),
  })
  return {
    status: failure.status,
    headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store', ...headers },
    body,
  }
}
