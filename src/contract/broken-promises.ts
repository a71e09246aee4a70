import type { Model } from '../compile/model.ts'
import type { FrozenContracts } from './contract-files.ts'
import { checkContracts } from './gate.ts'
import { type Refusal, refusalText } from './gate-refusal.ts'
import { unpublishedDates } from './unpublished-dates.ts'

/** The API would break a published contract. The message names each break and the lines to write. */
export class BrokenPromises extends Error {
  readonly refusals: readonly Refusal[]

  constructor(refusals: readonly Refusal[]) {
    super(refusals.map(refusalText).join('\n\n'))
    this.name = 'BrokenPromises'
    this.refusals = refusals
  }
}

export function refuseBrokenPromises(model: Model, frozen: FrozenContracts): void {
  const unreadable = new Set(frozen.refusals.map(({ version }) => version))
  // An unreadable file is one refusal; that its contract is missing is not reported again.
  const { refusals } = checkContracts(model, frozen.contracts)
  const all = [
    ...frozen.refusals,
    ...refusals.filter(({ version }) => !unreadable.has(version)),
    ...unpublishedDates(model, frozen.contracts),
  ]
  if (all.length > 0) throw new BrokenPromises(all)
}
