import type { Caller } from '../request/caller.ts'
import { freezeClaims, noClaims } from '../request/caller.ts'
import type { JsonObject } from '../request/json-body.ts'

/**
 * An endpoint is told what the caller may read who created it or changed it last: nobody else's rights must reach its URL. The
 * caller is stored with it, as JSON.
 */
export const callerText = ({ consumer, scopes, subject, claims }: Caller): string =>
  JSON.stringify({ consumer, scopes: [...scopes], subject, claims })

interface StoredCaller extends Omit<Caller, 'scopes' | 'account'> {
  readonly scopes: readonly string[]
}

export function storedCaller(account: string, text: string): Caller {
  const { consumer, scopes, subject, claims } = JSON.parse(text) as StoredCaller
  return {
    account,
    consumer,
    scopes: new Set(scopes),
    subject,
    claims: claims ? freezeClaims(claims as JsonObject) : noClaims,
  }
}
