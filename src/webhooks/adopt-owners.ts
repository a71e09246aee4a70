import { statement } from '../plan/bound-statement.ts'
import { allRows } from '../store/run-statement.ts'
import type { Store } from '../store/store.ts'
import { ownerFields, storedCaller } from './owner.ts'

const batch = 500

/**
 * Gives endpoints an owner that were made by a release without owners, also those that such a process makes while releases change: the
 * caller who wrote them last, whose rights they were told with. Nobody recorded who made them. Until then no subject sees them.
 */
export async function adoptOwners(store: Store): Promise<void> {
  const { dialect } = store
  for (;;) {
    const orphans = await allRows(
      store,
      statement(
        dialect,
        () =>
          `SELECT "account_id", "id", "told_to" FROM "webhook_endpoints" WHERE "owner_consumer" IS NULL AND "told_to" IS NOT NULL LIMIT ${batch}`,
      ),
    )
    for (const [account, id, toldTo = null] of orphans) {
      const { owner, owner_consumer, owner_subject } = ownerFields(
        storedCaller(String(account), String(toldTo)),
      )
      const { text, values } = statement(
        dialect,
        (bind) =>
          `UPDATE "webhook_endpoints" SET "owner" = ${bind('json', JSON.stringify(owner))}, "owner_consumer" = ${bind('string', owner_consumer)}, "owner_subject" = ${bind('string', owner_subject)}, "version" = "version" + 1 WHERE "account_id" = ${bind('id', String(account))} AND "id" = ${bind('id', String(id))} AND "owner_consumer" IS NULL AND "told_to" = ${bind('string', toldTo)}`,
      )
      await store.writeOne(text, values, String(account))
    }
    if (orphans.length < batch) return
  }
}
