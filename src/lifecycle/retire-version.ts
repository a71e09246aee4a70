import type { Clock } from '../clock.ts'
import type { Version } from '../compile/model.ts'
import type { Store } from '../store/store.ts'
import { awaitRecorders, type WaitOptions } from './await-recorders.ts'
import { decideRetirement, type RetirementCheck, type RetirementFacts } from './decide.ts'
import { collectFacts } from './facts.ts'
import { type Decision, decisionInForce, readDecisions, storeDecision } from './retirement-decisions.ts'

export interface RetireOptions extends WaitOptions {
  readonly clock: Clock
  readonly windowMs: number
  readonly by: string | null
  /** Decides, and stores nothing. */
  readonly dryRun: boolean
}

export interface RetireOutcome extends RetirementCheck {
  readonly facts: RetirementFacts
  /** Whether the version is retired now. */
  readonly retired: boolean
  /** The decision that was in force already. */
  readonly before: Decision | null
}

/** Decides on the counts of all processes up to now. A decision that passes is stored with its facts. */
export async function retireVersion(
  store: Store,
  version: Version,
  { clock, windowMs, by, dryRun, ...wait }: RetireOptions,
): Promise<RetireOutcome> {
  const before = await readInForce(store, version)
  if (!before) await awaitRecorders(store, clock, wait)
  const now = clock.now()
  const facts = await collectFacts(store, version, { now, windowMs })
  const checked = decideRetirement(facts)
  if (before) return { ...checked, facts, retired: true, before }
  if (!checked.allowed || dryRun) return { ...checked, facts, retired: false, before: null }
  const first = await storeDecision(store, { version: version.name, at: now, by }, facts)
  return { ...checked, facts, retired: true, before: first ? null : await readInForce(store, version) }
}

const readInForce = async (store: Store, { name }: Version): Promise<Decision | null> =>
  decisionInForce(await readDecisions(store), name)
