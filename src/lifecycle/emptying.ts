import type { NamesRecord } from '../compile/stored-names.ts'
import type { Emptying } from '../migrate/migration.ts'
import { forgetNames } from '../migrate/record/names-record.ts'
import { forgetPublished } from '../migrate/record/published.ts'
import { forgetAllMeta, forgetMeta, metaFacts, upsertMeta } from '../store/meta.ts'

/**
 * What a reset deletes besides the rows of resources: everything about calls that were made. API keys and the secret of cursors stay.
 * Positions of events go on where they were, so that a cursor from before the reset is refused as expired.
 */
export const emptyingOf = (seed: 'again' | 'never', names: NamesRecord | null): Emptying => ({
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
    // SQLite needs the WHERE to tell ON CONFLICT from ON of a join.
    `INSERT INTO "nounkit_event_heads" ("account_id", "last", "swept") SELECT "account_id", max("position"), max("position") FROM "nounkit_events" WHERE 1 = 1 GROUP BY "account_id" ON CONFLICT ("account_id") DO UPDATE SET "swept" = excluded."swept"`,
    // A file that was imported can be imported again.
    forgetAllMeta(metaFacts.import),
    forgetPublished,
    // What the declaration does not have is dropped, and no older declaration can come back for it.
    names ? upsertMeta(metaFacts.names.key, JSON.stringify(names)) : forgetNames,
    seed === 'again' ? forgetMeta(metaFacts.seeded.key) : upsertMeta(metaFacts.seeded.key, 'reset'),
  ],
})
