import type { Call, Outcome } from '../call/call.ts'
import type { IfMatch } from '../request/if-match.ts'
import { actorOf } from './actor.ts'
import { changeRows } from './change-rows.ts'
import { deleteRefused } from './conflicts.ts'
import { copyForHook, finishHook, hookContexts, hooksOf } from './hook-context.ts'
import { refuseUnlessMay } from './judge.ts'
import { refuseStale } from './refuse-stale.ts'
import { refuseDeleteUnlessWhile, refuseUnlessWhile } from './state-checks.ts'
import { lockTarget } from './update.ts'
import { inTransaction, outsideTransaction } from './write-request.ts'
import type { Writer } from './writer.ts'

/** DELETE: judged and removed in one transaction, with all rows that are declared to go along. */
export async function remove(writer: Writer, call: Call, ifMatch: IfMatch | null): Promise<Outcome> {
  const { resource } = call.target.view
  const request = outsideTransaction(writer, call)
  try {
    const by = { account: call.caller.account, actor: actorOf(call) }
    return await changeRows(writer, by, async (changes) => {
      const write = inTransaction(request, changes)
      const { row, version } = await lockTarget(changes, call, 'to-delete')
      await refuseUnlessMay(write, 'delete')
      refuseStale(ifMatch, version, call)
      refuseDeleteUnlessWhile(call, row)
      await refuseUnlessWhile(write, [row])
      const { beforeDelete, afterDelete } = hooksOf(resource)
      const contextOf = hookContexts(write, null)
      if (beforeDelete) await finishHook(changes, beforeDelete(copyForHook(row), contextOf('beforeDelete')))
      await changes.remove(resource, String(row.id))
      if (afterDelete) await finishHook(changes, afterDelete(copyForHook(row), contextOf('afterDelete')))
      return { status: 204, body: null }
    })
  } catch (error) {
    throw await deleteRefused(error, request)
  }
}
