import { sqlText } from '../../../plan/dialect.ts'
import { renamedPrefix, upsertMeta } from '../generation.ts'
import { forgetPublished } from '../published.ts'
import type { Emptying } from './follow-store.ts'

const metaRows = (prefix: string): string =>
  `DELETE FROM "nounkit_meta" WHERE "key" LIKE ${sqlText(`${prefix}%`)}`

/**
 * What a reset deletes besides the rows of resources: everything about calls that were made. API keys and the secret of cursors stay.
 * Positions of events go on where they were, so that a cursor from before the reset is refused as expired.
 */
export const emptyingOf = (seed: 'again' | 'never'): Emptying => ({
  tables: [
    'nounkit_idempotency',
    'nounkit_events',
    'nounkit_event_inbox',
    'nounkit_usage',
    'nounkit_usage_details',
    'nounkit_signals',
    'nounkit_contacts',
    'nounkit_retirements',
  ],
  statements: [
    `UPDATE "nounkit_event_heads" SET "swept" = "last"`,
    metaRows(renamedPrefix),
    metaRows('swapped '),
    forgetPublished,
    seed === 'again' ? metaRows('seeded') : upsertMeta('seeded', 'reset'),
  ],
})
