import type { Model } from '../../compile/model.ts'
import type { Store } from '../../store/store.ts'
import { bindModel } from '../bind-model.ts'
import type { Decider } from '../migration.ts'

/**
 * Who decides where nobody can be asked: a process that starts, or a command that needs a table. A store that was served with a published version
 * keeps its names, also for an older declaration without a contract.
 */
export async function deciderAtStart(
  store: Store,
  model: Model,
  published: readonly string[] | undefined,
): Promise<Decider> {
  const isNamed = published?.length !== 0 || (await bindModel(store, model)).record !== null
  return { by: isNamed ? 'change-lists' : 'nobody' }
}
