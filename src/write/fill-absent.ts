import { setTimeout as sleep } from 'node:timers/promises'
import type { Field, Resource } from '../compile/model.ts'
import type { Maybe } from '../maybe.ts'
import type { Bound } from '../plan/bound-statement.ts'
import { type AbsentStatements, absentStatements } from '../plan/write-statements.ts'
import { forgetMeta, metaFacts, selectMeta, upsertMeta } from '../store/meta.ts'
import { allRows } from '../store/run-statement.ts'
import type { Row, Store } from '../store/store.ts'

/** The rows that one statement looks at; fewer where that takes longer than a part of a request. */
const mostRows = 1_000
const fewestRows = 50
const longMs = 25
/** For every millisecond of work, so many of rest: where the database is busy, work takes longer, and so does the rest. */
const restFactor = 2
/** While this process answers requests, each rest is twice as long as the one before it, up to this. So filling never stands still. */
const longestRestMs = 1_000

interface FillOptions {
  readonly signal: AbortSignal
  /** Called with the number of rows that got the value. */
  readonly note: (rows: number) => void
}

/**
 * Gives rows without a value in a field that is required now what stands for none, in small transactions beside all other work. Their version and
 * their `updated_at` stay, and nobody is told: versions that require the field have shown the value before. It goes through the table in the order of its primary
 * key. Where it was stopped, which it says with false, the next one goes on there. What was filled before a process was killed is passed over.
 */
export async function fillAbsent(
  store: Store,
  resource: Resource,
  field: Field,
  { signal, note }: FillOptions,
): Promise<boolean> {
  const statements = absentStatements(resource, field, store.dialect)
  const key = markKey(resource, field)
  const [mark] = (await store.first(selectMeta(key), [])) ?? []
  let after: readonly string[] = mark ? JSON.parse(String(mark)) : resource.shared ? [''] : ['', '']
  let rows = mostRows
  let restMs = 0
  while (!signal.aborted) {
    const began = performance.now()
    const { page, longestMs } = await fillPart(store, statements, statements.page(after, rows), note)
    const last = page.at(-1)
    if (!last || page.length < rows) {
      await forgetFilled(store, resource, field)
      return true
    }
    after = resource.shared ? [String(last[0])] : [String(last[2]), String(last[0])]
    if (longestMs > longMs) rows = Math.max(fewestRows, Math.floor(rows / 2))
    else if (longestMs < longMs / 4) rows = Math.min(mostRows, rows * 2)
    restMs = Math.max((performance.now() - began) * restFactor, restMs)
    const { statements: before } = store.counters
    await sleep(restMs, undefined, { signal }).catch(() => {})
    const answersRequests = store.counters.statements > before
    restMs = answersRequests ? Math.min(2 * restMs, longestRestMs) : 0
  }
  await store.writeOne(upsertMeta(key, JSON.stringify(after)), [])
  return false
}

/** Looks at one page of rows, and fills those that lack a value, account by account. `longestMs` is the time of its longest statement. */
async function fillPart(
  store: Store,
  statements: AbsentStatements,
  next: Bound,
  note: FillOptions['note'],
): Promise<{ readonly page: readonly Row[]; readonly longestMs: number }> {
  let longestMs = 0
  const timed = async <T>(work: () => Maybe<T>): Promise<T> => {
    const began = performance.now()
    const done = await work()
    longestMs = Math.max(longestMs, performance.now() - began)
    return done
  }
  const { text, bind } = statements.fill
  const page = await timed(() => allRows(store, next))
  const lacking = Map.groupBy(
    page.filter(([, lacks]) => lacks === 1),
    ([, , account]) => String(account ?? ''),
  )
  for (const [account, some] of lacking) {
    const values = [JSON.stringify(some.map(([id]) => id))]
    note(await timed(() => store.writeOne(text, bind({ account, values }), account)))
  }
  return { page, longestMs }
}

/** Begins anew the next time: rows that were passed may lack a value again. */
export async function forgetFilled(store: Store, resource: Resource, field: Field): Promise<void> {
  await store.writeOne(forgetMeta(markKey(resource, field)), [])
}

const markKey = ({ table }: Resource, { column }: Field): string =>
  `${metaFacts.filled.key}${table}.${column}`
