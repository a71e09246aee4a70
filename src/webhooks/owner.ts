import { type Caller, freezeClaims, noClaims } from '../call/caller.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'

/**
 * The fields of an endpoint that say whose it is. An endpoint is told what its owner may read, with the scopes and claims of the owner's
 * last write of it: nobody else's rights must reach its URL. So the owner and those rights are only ever written together.
 */
export const ownedBy = (caller: Caller): StoredRow => ({
  owner: { consumer: caller.consumer.id, subject: caller.subject },
  owner_consumer: caller.consumer.id,
  owner_subject: caller.subject,
  told_to: rightsText(caller),
})

/**
 * Whether a write by this caller is one by the owner: the same subject, whatever program it uses; without one, the same program. Tokens
 * that name neither may be of several programs.
 */
export const isOwner = ({ consumer, subject }: Caller, endpoint: StoredRow): boolean =>
  subject === null
    ? endpoint.owner_subject === null && endpoint.owner_consumer === consumer.id && !consumer.isUnnamed
    : endpoint.owner_subject === subject

/** Rights as they are stored. */
const rightsText = ({ consumer, scopes, subject, claims }: Caller): string =>
  JSON.stringify({ consumer, scopes: [...scopes], subject, claims })

interface StoredCaller extends Omit<Caller, 'scopes' | 'account'> {
  readonly scopes: readonly string[]
}

/** The owner as a caller, with the rights that were stored. */
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
