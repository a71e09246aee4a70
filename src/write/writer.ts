import type { Model } from '../compile/model.ts'
import type { Planner } from '../plan/planner.ts'
import { WritePlanner } from '../plan/write-planner.ts'
import { noAnswers, type Reader } from '../read/call.ts'
import type { Store } from '../store/store.ts'
import type { EngineHooksOf } from './engine-hooks.ts'
import { KeysInFlight } from './keys/in-flight.ts'
import { type StoredKeys, storedKeys } from './keys/stored-keys.ts'

/** Is told of events once they are committed. */
export interface EventSink {
  committed(account: string, count: number): void
}

/** Is told of jobs once they are committed. */
export interface JobSink {
  committed(account: string): void
}

/** What every write needs, made once per service. */
export interface Writer extends Reader {
  readonly store: Store
  readonly planner: Planner
  readonly model: Model
  readonly writes: WritePlanner
  readonly keys: StoredKeys
  readonly inFlight: KeysInFlight
  /** How long a duplicate waits for the first request with its key. */
  readonly keyWaitMs: number
  readonly events: EventSink
  readonly jobs: JobSink
  /** For the resources that the engine itself adds. */
  readonly engineHooks: EngineHooksOf
}

/** How long a duplicate waits for the first request with its key, by default. */
const keyWaitMs = 5_000

export const createWriter = (
  parts: Pick<
    Writer,
    'store' | 'planner' | 'seal' | 'model' | 'now' | 'events' | 'jobs' | 'engineHooks' | 'indexRows'
  > &
    Partial<Pick<Writer, 'answers'>>,
): Writer => ({
  answers: noAnswers,
  ...parts,
  writes: new WritePlanner(parts.store.dialect),
  keys: storedKeys(parts.store),
  inFlight: new KeysInFlight(),
  keyWaitMs,
})
