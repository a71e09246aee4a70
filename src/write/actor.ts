import type { Call } from '../call/call.ts'

/** Who changes rows. A member is null where it is unknown, or where the caller has none. */
export interface Actor {
  /** A key's id, or `token:{client}`. */
  readonly consumer: string | null
  readonly subject: string | null
  /** The name of an operator. */
  readonly operator: string | null
  readonly requestId: string | null
}

export const actorOf = ({ caller, requestId }: Call): Actor => ({
  consumer: caller.consumer.id,
  subject: caller.subject,
  operator: caller.operator ?? null,
  requestId: requestId ?? null,
})

/** Whoever runs a command, by name where it is known. */
export const actorOfCommand = (operator: string | null): Actor => ({
  consumer: null,
  subject: null,
  operator,
  requestId: null,
})
