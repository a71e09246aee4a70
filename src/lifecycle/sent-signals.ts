import type { Model } from '../compile/model.ts'
import { statement } from '../plan/bound-statement.ts'
import { ident } from '../plan/dialect.ts'
import { allRows } from '../store/run-statement.ts'
import { type Store, type Transaction, textOrNull } from '../store/store.ts'

/** What the headers of a version's responses said about its end. */
export interface SentSignal {
  readonly version: string
  /** When the first response with a Deprecation header was sent. */
  readonly firstSentAt: number
  /** The latest sunset that responses carried: `2026-12-31`. It is a promise, whatever the declaration says since. */
  readonly sunset: string | null
}

const table = ident('nounkit_signals')

export async function writeSignal(
  tx: Transaction,
  { version, firstSentAt, sunset }: SentSignal,
): Promise<void> {
  const isLater = `${table}."sunset" IS NULL OR excluded."sunset" > ${table}."sunset"`
  const upsert = statement(
    tx.dialect,
    (bind) =>
      `INSERT INTO ${table} ("version", "first_sent_at", "sunset") VALUES (${bind('string', version)}, ${bind('integer', firstSentAt)}, ${bind('string', sunset)}) ON CONFLICT ("version") DO UPDATE SET "sunset" = excluded."sunset" WHERE ${isLater}`,
  )
  await allRows(tx, upsert)
}

/** By version. */
export async function readSignals(store: Store): Promise<ReadonlyMap<string, SentSignal>> {
  const rows = await store.all(`SELECT "version", "first_sent_at", "sunset" FROM ${table}`, [])
  return new Map(
    rows.map(([version, at, sunset]) => [
      String(version),
      {
        version: String(version),
        firstSentAt: Number(at),
        sunset: textOrNull(sunset),
      },
    ]),
  )
}

/** One sentence for each version whose declared sunset is earlier than the one that responses carried, or missing. */
export async function brokenSunsets(store: Store, { versions }: Model): Promise<readonly string[]> {
  const signals = await readSignals(store)
  return versions.flatMap(({ name, sunset }) => {
    const told = signals.get(name)?.sunset ?? null
    if (told === null || (sunset && sunset.date >= told)) return []
    const now = sunset ? `is declared to end on ${sunset.date}` : 'has no sunset any more'
    return [
      `Callers of ${name} were told that it is served until ${told}, but it ${now}. Declare sunset: '${told}' or later.`,
    ]
  })
}
