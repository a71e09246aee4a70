import type { Field, Resource } from '../compile/model.ts'
import { bound } from '../plan/bind.ts'
import type { Lock } from '../plan/mutate.ts'
import { readPatch, readReplace, type StoredRow } from '../request/body.ts'
import { sameJson } from '../request/equal.ts'
import type { JsonObject } from '../request/json.ts'
import type { Transaction } from '../store/store.ts'
import { missingReferences, writeRefused } from './conflicts.ts'
import { etagOf } from './etag.ts'
import { checkReturned } from './hook-names.ts'
import { hookContexts, hooksOf } from './hooks.ts'
import { type IfMatch, refuseStale } from './preconditions.ts'
import { notThere, reread } from './read.ts'
import { refreshSums, refuseMove, refuseUnlessWhile } from './rules.ts'
import { bindSlots, type Call, type Outcome, type Runner } from './run.ts'
import { shownText } from './show.ts'

export type UpdateKind = 'replace' | 'patch'

/** PUT and PATCH: read and locked, judged, changed, in one transaction. Changing nothing writes nothing. */
export async function update(
  runner: Runner,
  call: Call,
  kind: UpdateKind,
  body: JsonObject,
  ifMatch: IfMatch | null,
): Promise<Outcome> {
  let attempted: StoredRow = {}
  try {
    return await runner.store.transaction(async (tx) => {
      const current = await lockCurrent(runner, tx, call, 'to-change')
      refuseStale(ifMatch, current.version, call.target.view)
      const next =
        kind === 'replace'
          ? readReplace(call.target, body, current.row)
          : readPatch(call.target, body, current.row)
      attempted = next
      refuseMove(call, body, current.row, next)
      return await write(runner, tx, call, current.row, next)
    })
  } catch (error) {
    throw await writeRefused(error, runner, call, attempted)
  }
}

export interface Current {
  readonly row: StoredRow
  readonly version: number
}

export async function lockCurrent(
  runner: Runner,
  tx: Transaction,
  { caller, target }: Call,
  lock: Lock,
): Promise<Current> {
  const statement = runner.planner.lock(target.view.resource, target.sub?.by.field ?? null, lock)
  const found = await tx.first(
    statement.text,
    bindSlots(statement.slots, { account: caller.account, id: target.id, owner: target.ownerId }),
  )
  if (!found) throw notThere(target)
  return { row: JSON.parse(String(found[0])) as StoredRow, version: Number(found[1]) }
}

async function write(
  runner: Runner,
  tx: Transaction,
  call: Call,
  before: StoredRow,
  asked: StoredRow,
): Promise<Outcome> {
  const { resource } = call.target.view
  const { beforeUpdate, afterUpdate } = hooksOf(resource)
  if (changed(resource.fields, before, asked).length > 0)
    await refuseUnlessWhile(runner, tx, call, [before, asked])
  const contextOf = hookContexts(runner, tx, call, null)
  if (beforeUpdate) {
    const missing = await missingReferences(runner, tx, call, asked)
    if (missing) throw missing
  }
  const set = beforeUpdate && (await beforeUpdate(asked, before, contextOf('beforeUpdate')))
  if (set) checkReturned(set, resource, 'beforeUpdate')
  const next = set ? { ...asked, ...set } : asked
  const fields = changed(resource.fields, before, next)
  if (fields.length === 0) return reread(runner, tx, call)
  const statement = runner.planner.update(
    resource,
    fields.map((field) => field.name),
  )
  const values = fields.map((field) => bound(field.kind, next[field.name]))
  const { account } = call.caller
  const now = new Date(runner.now()).toISOString()
  const row = await tx.first(
    statement.text,
    bindSlots(statement.slots, { account, id: call.target.id, values: [...values, now] }),
  )
  await refreshSums(runner, tx, account, resource, [before, next], set === undefined)
  const after = { ...next, updated_at: now }
  if (!afterUpdate && !set && !feedsItself(resource, call.target.id, [before, next])) {
    return {
      status: 200,
      body: `{"data":${shownText(call.target.view, after)}}`,
      etag: etagOf(call.target.view, row?.[0]),
    }
  }
  if (afterUpdate) await afterUpdate(after, before, contextOf('afterUpdate'))
  return reread(runner, tx, call)
}

/** A row that is or was its own owner has changed once more when its sum was made anew. */
const feedsItself = (resource: Resource, id: string | null, rows: readonly StoredRow[]): boolean =>
  resource.feeds.some((feed) => feed.on === resource && rows.some((row) => row[feed.by.field] === id))

const changed = (fields: readonly Field[], before: StoredRow, after: StoredRow): readonly Field[] =>
  fields.filter((field) => field.name !== 'updated_at' && !sameJson(before[field.name], after[field.name]))
