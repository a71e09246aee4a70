import { type Bind, statement } from '../plan/bound-statement.ts'
import { firstRow, writeAlone } from './run-statement.ts'
import type { Store } from './store.ts'

// Rows of `nounkit_marks`, each a time. On a cluster each is on one machine.

/** Null where nobody has set it yet. */
export async function readMark(store: Store, mark: string): Promise<number | null> {
  const select = statement(
    store.dialect,
    (bind) => `SELECT "at" FROM "nounkit_marks" WHERE "id" = ${bind('id', mark)}`,
  )
  const row = await firstRow(store, select, mark)
  return row ? Number(row[0]) : null
}

const insert = (bind: Bind, mark: string, at: number): string =>
  `INSERT INTO "nounkit_marks" ("id", "at") VALUES (${bind('id', mark)}, ${bind('integer', at)})`

export async function setMark(store: Store, mark: string, at: number): Promise<void> {
  const set = statement(
    store.dialect,
    (bind) => `${insert(bind, mark, at)} ON CONFLICT ("id") DO UPDATE SET "at" = excluded."at"`,
  )
  await writeAlone(store, set, mark)
}

/** Replaces the time that was read, or null where there was none. False where another process has changed it meanwhile. */
export async function replaceMark(
  store: Store,
  mark: string,
  at: number,
  read: number | null,
): Promise<boolean> {
  const replace = statement(store.dialect, (bind) =>
    read === null
      ? `${insert(bind, mark, at)} ON CONFLICT DO NOTHING`
      : `UPDATE "nounkit_marks" SET "at" = ${bind('integer', at)} WHERE "id" = ${bind('id', mark)} AND "at" = ${bind('integer', read)}`,
  )
  return (await writeAlone(store, replace, mark)) > 0
}
