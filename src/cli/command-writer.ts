import { Planner } from '../plan/planner.ts'
import { noEngineHooks } from '../write/engine-hooks.ts'
import { createWriter, type Writer } from '../write/writer.ts'
import type { CommandStore } from './command-store.ts'

/** For commands that write rows. No request is answered with it, so it needs no hooks of the engine. */
export const commandWriter = (
  { model, store, clock }: CommandStore,
  { events }: { events: boolean },
): Writer =>
  createWriter({
    store,
    planner: new Planner(store.dialect),
    model: events ? model : { ...model, events: null },
    now: () => clock.now(),
    events: { committed: () => {} },
    jobs: { committed: () => {} },
    engineHooks: async () => noEngineHooks,
    reread: () => {
      throw new Error('a command has no request with a key to answer')
    },
  })
