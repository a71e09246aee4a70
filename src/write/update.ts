import type { Call, Outcome } from '../call/call.ts'
import { equalValues } from '../call/equal-values.ts'
import { etagOf } from '../call/etag.ts'
import type { StoredRow } from '../call/stored-row.ts'
import { notThere } from '../call/target.ts'
import type { Field } from '../compile/model.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { readPatch, readReplace } from '../request/body.ts'
import type { IfMatch } from '../request/if-match.ts'
import { actorOf } from './actor.ts'
import { changeRows } from './change-rows.ts'
import type { ChangeSet } from './change-set.ts'
import { missingReferences, refuseUnreadable, writeRefused } from './conflicts.ts'
import { type EngineHooks, noEngineHooks } from './engine-hooks.ts'
import { afterHook, copyForHook, finishHook, hookContexts, hooksOf } from './hook-context.ts'
import { refuseUnlessMade, refuseUnlessMay } from './judge.ts'
import { refuseStale } from './refuse-stale.ts'
import { rowBody } from './row-body.ts'
import type { LockedRow } from './row-change.ts'
import { refuseMove, refuseUnlessWhile } from './state-checks.ts'
import { unwrittenRow } from './unwritten-row.ts'
import { type Attempt, inTransaction, type OpenWrite, outsideTransaction } from './write-request.ts'
import type { Writer } from './writer.ts'

export type UpdateKind = 'replace' | 'patch'

/** PUT and PATCH: read and locked, judged, changed, in one transaction. Changing nothing writes nothing. */
export async function update(
  writer: Writer,
  call: Call,
  kind: UpdateKind,
  body: JsonObject,
  ifMatch: IfMatch | null,
): Promise<Outcome> {
  const request = outsideTransaction(writer, call)
  const attempt: Attempt = { place: '', before: {}, asked: {}, written: null }
  const own = call.target.view.resource.engineMade ? await writer.engineHooks(call, body) : noEngineHooks
  try {
    const by = { account: call.caller.account, actor: actorOf(call) }
    return await changeRows(writer, by, async (changes) => {
      const { row, version } = await lockTarget(changes, call, 'to-change')
      const write = inTransaction(request, changes)
      attempt.before = row
      await refuseUnlessMay(write, 'update')
      refuseStale(ifMatch, version, call)
      const read = kind === 'replace' ? readReplace : readPatch
      attempt.asked = read(call.target, body, row, call.caller.scopes)
      refuseMove(call, body, row, attempt.asked)
      const updated = await updateWithHooks(write, row, attempt, own)
      const wasWritten = updated.version !== version
      const shown = wasWritten ? updated.row : await unwrittenRow(writer, changes, call.target, updated.row)
      return {
        status: 200,
        body: rowBody(call, shown),
        etag: etagOf(call.target.view, updated.version, call.caller.scopes),
      }
    })
  } catch (error) {
    throw await writeRefused(error, request, [attempt])
  }
}

/** The row that a request is about, locked; 404 where there is none, or another owner's in a nested path. */
export async function lockTarget(
  changes: ChangeSet,
  { target }: Call,
  lock: 'to-change' | 'to-delete',
): Promise<LockedRow> {
  const found = await changes.lock(target.view.resource, target.id ?? '', lock)
  if (!found || (target.sub && found.row[target.sub.by?.field ?? ''] !== target.ownerId))
    throw notThere(target)
  return found
}

async function updateWithHooks(
  write: OpenWrite,
  before: StoredRow,
  attempt: Attempt,
  own: EngineHooks,
): Promise<LockedRow> {
  const { call, changes } = write
  const { asked } = attempt
  const { resource } = call.target.view
  const { beforeUpdate, afterUpdate } = hooksOf(resource)
  await refuseUnreadable(write, [attempt])
  if (changedFields(resource.fields, before, asked).length > 0)
    await refuseUnlessWhile(write, [before, asked])
  const contextOf = hookContexts(write, null)
  let whole = asked
  if (beforeUpdate) {
    const missing = await missingReferences(write, [attempt])
    if (missing) throw missing
    const copy = copyForHook(asked)
    const outcome = beforeUpdate(copy, copyForHook(before), contextOf('beforeUpdate'))
    const returned = await finishHook(changes, outcome)
    whole = afterHook(write, 'beforeUpdate', { before, asked, copy, returned: returned ?? {} })
  }
  whole = { ...whole, ...(await own.beforeUpdate?.(asked, before, changes)) }
  attempt.written = whole
  const changed = changedFields(resource.fields, before, whole)
  if (beforeUpdate && changed.length > 0) await refuseUnlessWhile(write, [before, whole])
  if (changed.length > 0) {
    const values = Object.fromEntries(changed.map(({ name }) => [name, whole[name]]))
    const id = call.target.id ?? ''
    const { row } = await changes.update(resource, id, values)
    await refuseUnlessMade(write, id, 'update')
    await own.afterUpdate?.(row, before, changes)
    if (afterUpdate) {
      await finishHook(changes, afterUpdate(copyForHook(row), copyForHook(before), contextOf('afterUpdate')))
      await refuseUnlessMade(write, id, 'update')
    }
  }
  return lockTarget(changes, call, 'to-change')
}

const changedFields = (fields: readonly Field[], before: StoredRow, after: StoredRow): readonly Field[] =>
  fields.filter((field) => field.name !== 'updated_at' && !equalValues(before[field.name], after[field.name]))
