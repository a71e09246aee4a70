import type { Contract } from '../compile/contract-format.ts'
import type { Model } from '../compile/model.ts'
import { contractOf } from './contract.ts'
import type { FrozenContracts } from './contract-files.ts'
import { compareLifecycles } from './diff/compare-lifecycles.ts'
import { isBreaking } from './diff/difference.ts'
import { checkContracts } from './gate.ts'
import { type Refusal, refusalText } from './gate-refusal.ts'

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

const announced: ReadonlySet<string> = new Set(['deprecated', 'sunset'])

/**
 * Every response would announce these dates, but no contract file would have them: a sunset could then be moved earlier
 * without anybody noticing. So dates must be published before they are served.
 */
const unpublishedDates = (model: Model, contracts: ReadonlyMap<string, Contract>): readonly Refusal[] =>
  model.versions.flatMap((version): Refusal[] => {
    const { name } = version
    const frozen = contracts.get(name)
    if (!frozen || frozen.api !== model.name) return []
    const differences = compareLifecycles(frozen.lifecycle, contractOf(model, version).lifecycle).filter(
      (one) => announced.has(one.where) && !isBreaking(one),
    )
    if (differences.length === 0) return []
    const what = `the end of ${name} is declared, but not published:`
    const hint = `Run "nounkit publish ${name}" and commit the file. Every response announces these dates.`
    return [{ version: name, file: `${name}.json`, what, hint, differences, lines: [] }]
  })
