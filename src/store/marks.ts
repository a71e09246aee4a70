import { statement } from '../plan/bound-statement.ts'
import { minuteMs } from '../times.ts'
import type { Store } from './store.ts'

// Rows of `nounkit_marks`, each a time on one machine of a cluster.

/** Null where nobody has set it yet. */
export async function readMark(store: Store, mark: string): Promise<number | null> {
  const { text, values } = statement(
    store.dialect,
    (bind) => `SELECT "at" FROM "nounkit_marks" WHERE "id" = ${bind('id', mark)}`,
  )
  const row = await store.first(text, values, mark)
  return row ? Number(row[0]) : null
}

export async function setMark(store: Store, mark: string, at: number): Promise<void> {
  const { text, values } = statement(
    store.dialect,
    (bind) =>
      `INSERT INTO "nounkit_marks" ("id", "at") VALUES (${bind('id', mark)}, ${bind('integer', at)}) ON CONFLICT ("id") DO UPDATE SET "at" = excluded."at"`,
  )
  await store.writeOne(text, values, mark)
}

/** Whether it was: another process may have changed it. */
export async function replaceMark(
  store: Store,
  mark: string,
  at: number,
  when: 'equal' | 'at most',
  seen: number,
): Promise<boolean> {
  const { text, values } = statement(
    store.dialect,
    (bind) =>
      `UPDATE "nounkit_marks" SET "at" = ${bind('integer', at)} WHERE "id" = ${bind('id', mark)} AND "at" ${when === 'equal' ? '=' : '<='} ${bind('integer', seen)}`,
  )
  return (await store.writeOne(text, values, mark)) > 0
}

/** Whether this process does now what one process does at a time. The mark says when somebody did it last. */
export async function takeLookTurn(
  store: Store,
  mark: string,
  now: number,
  everyMs: number,
): Promise<boolean> {
  // Timers of processes are not in step: the next turn may come a little early.
  if (await replaceMark(store, mark, now, 'at most', now - 0.9 * everyMs)) return true
  const last = await readMark(store, mark)
  // A time in the future was written by a process whose clock was ahead.
  if (last !== null && last <= now + minuteMs) return false
  await setMark(store, mark, now)
  return true
}
