import type { Call, Outcome } from '../call/call.ts'
import type { Model } from '../compile/model.ts'
import type { Maybe } from '../maybe.ts'
import type { Planner } from '../plan/planner.ts'
import { WritePlanner } from '../plan/write-planner.ts'
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
export interface Writer {
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
  /** Milliseconds since 1970; shifted in demonstrations and tests. */
  now(): number
  /** The row of a call as it is now: for a replay whose answer was stored without its body. */
  reread(call: Call): Maybe<Outcome>
}

/** How long a duplicate waits for the first request with its key, by default. */
const keyWaitMs = 5_000

export const createWriter = (
  parts: Pick<Writer, 'store' | 'planner' | 'model' | 'now' | 'events' | 'jobs' | 'engineHooks' | 'reread'>,
): Writer => ({
  ...parts,
  writes: new WritePlanner(parts.store.dialect),
  keys: storedKeys(parts.store),
  inFlight: new KeysInFlight(),
  keyWaitMs,
})
