import { hash, timingSafeEqual } from 'node:crypto'
import type { PlainRequest } from '../call/exchange.ts'
import { randomCharacters } from '../guard/api-key.ts'
import type { ConsoleParts } from './console-page.ts'
import { isDirectlyLocal } from './console-request.ts'
import { OperatorRing } from './operators/operator-ring.ts'
import { OperatorSessions } from './operators/operator-sessions.ts'
import { sessionCookie } from './session-cookie.ts'

/** Who is signed in. */
export interface Signed {
  readonly operator: string
  /** What the forms of the session's pages carry. */
  readonly token: string
  /** Signed in by being on this machine, in `nounkit dev`. */
  readonly isDevelopment: boolean
}

export interface ConsoleGate {
  /** Whether there is a console: somebody could sign in. */
  isThere(request: PlainRequest): Promise<boolean>
  /** The session of a request; null without one. */
  pass(request: PlainRequest): Promise<Signed | null>
  isToken(signed: Signed, sent: string | null): boolean
}

export const createConsoleGate = ({ model, store, clock, isDevelopment }: ConsoleParts): ConsoleGate => {
  const operators = new OperatorRing(store, clock)
  const sessions = new OperatorSessions(store, clock)
  const development: Signed = {
    operator: 'dev',
    token: tokenOf(randomCharacters(43)),
    isDevelopment: true,
  }
  let wasThere = false
  return {
    async isThere(request) {
      if (isDevelopment && isDirectlyLocal(request)) return true
      // Whoever was revoked last finds the sign-in until the process ends, and cannot sign in.
      wasThere ||= await operators.any()
      return wasThere
    },
    async pass(request) {
      if (isDevelopment && isDirectlyLocal(request)) return development
      const secret = sessionCookie(request, model.prefix).read()
      const session = secret === null ? null : await sessions.find(secret, isByHand(request))
      return session && { operator: session.operator, token: tokenOf(session.secret), isDevelopment: false }
    },
    isToken: ({ token }, sent) => sent !== null && timingSafeEqual(digest(sent), digest(token)),
  }
}

/** A page that refreshes itself does not keep its session open. */
const isByHand = ({ headers }: PlainRequest): boolean => headers['sec-fetch-dest'] !== 'empty'

/** Follows from what the cookie has, and leads back to nothing. */
const tokenOf = (secret: string): string => hash('sha256', `form ${secret}`, 'base64url')
const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
