import { deleteRefused } from './conflicts.ts'
import { hookContexts, hooksOf } from './hooks.ts'
import { type IfMatch, refuseStale } from './preconditions.ts'
import { refreshSums, refuseDeleteUnlessWhile, refuseUnlessWhile } from './rules.ts'
import { bindSlots, type Call, type Outcome, type Runner } from './run.ts'
import { lockCurrent } from './update.ts'

/** DELETE: judged and removed in one transaction, with all rows that are declared to go along. */
export async function remove(runner: Runner, call: Call, ifMatch: IfMatch | null): Promise<Outcome> {
  const { resource } = call.target.view
  const { account } = call.caller
  try {
    return await runner.store.transaction(async (tx) => {
      const { row, version } = await lockCurrent(runner, tx, call, 'to-delete')
      refuseStale(ifMatch, version, call.target.view)
      refuseDeleteUnlessWhile(call, row)
      await refuseUnlessWhile(runner, tx, call, [row])
      const { beforeDelete, afterDelete } = hooksOf(resource)
      const contextOf = hookContexts(runner, tx, call, null)
      if (beforeDelete) await beforeDelete(row, contextOf('beforeDelete'))
      const statement = runner.planner.delete(resource)
      await tx.first(statement.text, bindSlots(statement.slots, { account, id: call.target.id }))
      await refreshSums(runner, tx, account, resource, [row], true)
      if (afterDelete) await afterDelete(row, contextOf('afterDelete'))
      return { status: 204, body: null }
    })
  } catch (error) {
    throw await deleteRefused(error, runner, call)
  }
}
