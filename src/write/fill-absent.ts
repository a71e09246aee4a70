import { setTimeout as sleep } from 'node:timers/promises'
import type { Field, Resource } from '../compile/model.ts'
import { absentStatements } from '../plan/write-statements.ts'
import type { Store } from '../store/store.ts'

/** The rows that one statement looks at; fewer where that takes longer than a part of a request. */
const mostRows = 1_000
const fewestRows = 50
const longMs = 25
/** For every millisecond of work, so many of rest: under load, work takes longer, and so does the rest. */
const restFactor = 2

interface FillOptions {
  readonly signal: AbortSignal
  /** Called with the number of rows that got the value. */
  readonly note: (rows: number) => void
}

/**
 * Gives rows without a value in a field that is required now what stands for none, in small transactions beside all other work. Their version and
 * their `updated_at` stay, and nobody is told: versions that require the field have shown the value before. It goes through the table in the order of its primary
 * key. What was filled before a process was killed is passed over. False where it was stopped.
 */
export async function fillAbsent(
  store: Store,
  resource: Resource,
  field: Field,
  { signal, note }: FillOptions,
): Promise<boolean> {
  const statements = absentStatements(resource, field, store.dialect)
  let after: readonly string[] = resource.shared ? [''] : ['', '']
  let rows = mostRows
  while (!signal.aborted) {
    const began = performance.now()
    const page = await store.all(statements.page, [...after, rows])
    const lacking = new Map<string, string[]>()
    for (const [id, lacks, account] of page)
      if (lacks === 1)
        lacking.set(String(account ?? ''), [...(lacking.get(String(account ?? '')) ?? []), String(id)])
    const readMs = performance.now() - began
    let longest = 0
    for (const [account, ids] of lacking) {
      const from = performance.now()
      const { text, bind } = statements.fill
      const filled = await store.writeOne(text, bind({ account, values: [JSON.stringify(ids)] }), account)
      longest = Math.max(longest, performance.now() - from)
      note(filled)
    }
    const last = page.at(-1)
    if (!last || page.length < rows) return true
    after = resource.shared ? [String(last[0])] : [String(last[2]), String(last[0])]
    if (Math.max(readMs, longest) > longMs) rows = Math.max(fewestRows, Math.floor(rows / 2))
    else if (Math.max(readMs, longest) < longMs / 4) rows = Math.min(mostRows, rows * 2)
    await sleep((performance.now() - began) * restFactor, undefined, { signal }).catch(() => {})
  }
  return false
}
