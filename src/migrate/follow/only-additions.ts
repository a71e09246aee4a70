import type { Model } from '../../compile/model.ts'
import { type Session, type Store, StoreRefused } from '../../store/store.ts'
import { refuseToFollow } from '../decide/not-followed.ts'
import { migrate } from '../migrate-store.ts'
import { readShape, recordShape, shapeOf } from '../record/shape.ts'
import { generationAtStart } from '../record/store-generation.ts'
import { unfitRows } from '../rows/unfit-rows.ts'
import type { Followed, FollowOptions } from './follow-options.ts'

/** Citus does not run every kind of statement in one transaction over several nodes. So a distributed store only grows. */
export async function onCluster(
  store: Store,
  session: Session,
  model: Model,
  options: FollowOptions,
): Promise<Followed> {
  if (options.emptying)
    throw new StoreRefused(
      'The tables are distributed over a Citus cluster, where a store is not emptied by one command. Nothing was changed. Create an empty database on every node, and run nounkit migrate --citus there.',
    )
  const shape = await readShape(session)
  const unfit = shape ? await unfitRows(store, model, shape) : []
  refuseToFollow(unfit, 'On a Citus cluster rows are yours to change: change them, or the declaration.')
  return onlyAdditions(store, model, options)
}

/** For a store that is new, or lacks tables of the engine because it is old, or is distributed. */
export async function onlyAdditions(
  store: Store,
  model: Model,
  { dryRun = false, waiting, stepping }: FollowOptions,
): Promise<Followed> {
  const generation = await generationAtStart(store)
  const { steps, applied } = await migrate(store, model, {
    asDeclared: true,
    dryRun,
    ...(waiting && { waiting }),
    ...(stepping && { stepping }),
  })
  if (!dryRun) await store.writeOne(recordShape(shapeOf(model)), [])
  return { notes: [], losses: [], additions: steps, applied, generation }
}
