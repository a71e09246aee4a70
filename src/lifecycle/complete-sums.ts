import { changeNames, readNames } from '../migrate/record/names-record.ts'
import { findWrongSums } from '../migrate/sums/find-wrong-sums.ts'
import type { Store } from '../store/store.ts'
import { actorOfCommand } from '../write/actor.ts'
import { changeRows } from '../write/change-rows.ts'
import type { Writer } from '../write/writer.ts'
import { readUnended } from './recorder-rows.ts'
import { keptSums, mayBeLeftOut } from './required-columns.ts'

/** The rows of one transaction. */
const rowsAtOnce = 20

/**
 * Once every process that serves keeps a sum alike, it is corrected where older processes have written its parts, and read from its column from then
 * on. Until then it is added up when it is read: see `countedSql`.
 */
export async function completeSums(store: Store, writer: Writer, signal: AbortSignal): Promise<void> {
  const { model } = writer
  const isCounted = [...model.stored.values()].some(({ fields }) => fields.some(({ counted }) => counted))
  if (!isCounted) return
  const kept = keptSums(model, store.dialect)
  const processes = await readUnended(store)
  const { names } = await readNames(store)
  const ready = names.counting.filter((key) => {
    const entry = kept.get(key)
    return entry !== undefined && !mayBeLeftOut(processes, entry)
  })
  if (ready.length === 0 || !(await correctAll(store, writer, signal))) return
  // A process of an older declaration that has started meanwhile has said so after its row was there.
  const now = await readUnended(store)
  const done = new Set(ready.filter((key) => !mayBeLeftOut(now, kept.get(key) ?? '')))
  await changeNames(store, (found) => ({
    ...found,
    counting: found.counting.filter((key) => !done.has(key)),
  }))
}

/** False where it was stopped. */
async function correctAll(store: Store, writer: Writer, signal: AbortSignal): Promise<boolean> {
  const wrong = await findWrongSums(store, writer.model)
  const owners = new Map(wrong.map((one) => [JSON.stringify([one.resource, one.account]), new Set<string>()]))
  for (const { resource, account, id } of wrong) owners.get(JSON.stringify([resource, account]))?.add(id)
  for (const [key, ids] of owners) {
    const [name, account] = JSON.parse(key) as readonly [string, string | null]
    const resource = writer.model.stored.get(name)
    const all = [...ids]
    for (let from = 0; resource && from < all.length; from += rowsAtOnce) {
      if (signal.aborted) return false
      const by = { account: account ?? '', actor: actorOfCommand(null) }
      await changeRows(writer, by, (changes) =>
        changes.correctSums(resource, all.slice(from, from + rowsAtOnce)),
      )
    }
  }
  return true
}
