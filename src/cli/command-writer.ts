import { Planner } from '../plan/planner.ts'
import { createCursorSeal } from '../request/cursor.ts'
import { noEngineHooks } from '../write/engine-hooks.ts'
import { createWriter, type Writer } from '../write/writer.ts'
import type { CommandStore } from './command-store.ts'

/** For commands that write rows. Nobody reads lists with it, and no request is answered, so it needs neither a seal of cursors nor hooks. */
export const commandWriter = (
  { model, store, clock }: CommandStore,
  { events }: { events: boolean },
): Writer =>
  createWriter({
    store,
    planner: new Planner(store.dialect),
    model: events ? model : { ...model, events: null },
    seal: createCursorSeal(''),
    now: () => clock.now(),
    events: { committed: () => {} },
    jobs: { committed: () => {} },
    indexRows: () => {},
    engineHooks: async () => noEngineHooks,
  })
