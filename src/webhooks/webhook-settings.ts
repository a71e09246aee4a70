import type { LookupAddress } from 'node:dns'
import { SettingMistake } from '../setting-mistake.ts'
import { type AddressRange, readRange } from './addresses.ts'
import { readDelays } from './retry-times.ts'

export interface WebhookSettings {
  /** Addresses that may be called although they are not public, also without TLS: `NOUNKIT_WEBHOOK_ALLOW`. */
  readonly allow: readonly AddressRange[]
  /** Milliseconds before each further attempt: `NOUNKIT_WEBHOOK_DELAYS`. */
  readonly delaysMs: readonly number[]
  /** Finds the addresses of a name; by DNS unless said. */
  readonly resolve?: (name: string) => Promise<readonly LookupAddress[]>
  /** Certificate authorities to trust instead of the well-known ones. */
  readonly ca?: string
  /** How long a call may take. */
  readonly timeoutMs?: number
  /** How often the process looks for retries that are due, and for endpoints whose process has died. */
  readonly lookEveryMs?: number
}

interface Environment {
  readonly NOUNKIT_WEBHOOK_ALLOW?: string | undefined
  readonly NOUNKIT_WEBHOOK_DELAYS?: string | undefined
}

/** The addresses of this machine itself. A developer's receiver is there, without TLS. */
export const loopback = '127.0.0.0/8,::1'

/**
 * Throws where a variable cannot be read: a range that is silently ignored would be found out in production. `usuallyAllowed` is used
 * where the environment says nothing.
 */
export const readWebhookSettings = (environment: Environment, usuallyAllowed = ''): WebhookSettings => ({
  allow: listed(environment.NOUNKIT_WEBHOOK_ALLOW || usuallyAllowed).map(readAllowed),
  delaysMs: readDelays(listed(environment.NOUNKIT_WEBHOOK_DELAYS)),
})

const listed = (text: string | undefined): readonly string[] =>
  text ? text.split(',').map((one) => one.trim()) : []

function readAllowed(text: string): AddressRange {
  const range = readRange(text)
  if (range) return range
  throw new SettingMistake(
    `NOUNKIT_WEBHOOK_ALLOW has "${text}". Write addresses or ranges, such as 127.0.0.0/8,10.1.0.0/16.`,
  )
}
