import type { Contract } from '../compile/contract-format.ts'
import type { Model } from '../compile/model.ts'
import { contractOf } from './contract.ts'
import { compareLifecycles } from './diff/compare-lifecycles.ts'
import { isBreaking } from './diff/difference.ts'
import type { Refusal } from './gate-refusal.ts'

const announced: ReadonlySet<string> = new Set(['deprecated', 'sunset'])

/**
 * Every response would announce these dates, but no contract file would have them: a sunset could then be moved earlier
 * without anybody noticing. So dates must be published before they are served.
 */
export const unpublishedDates = (
  model: Model,
  contracts: ReadonlyMap<string, Contract>,
): readonly Refusal[] =>
  model.versions.flatMap((version): Refusal[] => {
    const { name } = version
    const frozen = contracts.get(name)
    if (!frozen || frozen.api !== model.name) return []
    const differences = compareLifecycles(frozen.lifecycle, contractOf(model, version).lifecycle).filter(
      (one) => announced.has(one.where) && !isBreaking(one),
    )
    if (differences.length === 0) return []
    const what = `the end of ${name} is declared, but not published:`
    const hint = `Run "nounkit publish" for ${name} and commit the file. Every response announces these dates.`
    return [{ version: name, file: `${name}.json`, what, hint, differences, lines: [] }]
  })
