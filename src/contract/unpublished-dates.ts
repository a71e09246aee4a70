import type { Contract } from '../compile/contract-format.ts'
import type { Model } from '../compile/model.ts'
import { contractOf } from './contract.ts'
import { compareLifecycles } from './diff/compare-lifecycles.ts'
import { isBreaking } from './diff/difference.ts'
import type { Refusal } from './gate-refusal.ts'

const announced: ReadonlySet<string> = new Set(['deprecated', 'sunset'])

/**
 * Every response would tell callers these dates, but no file holds the API to them: a sunset could then be moved earlier,
 * and nothing would show that it was. So they are published before they are served.
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
    const hint = `Run "nounkit publish" for ${name} and commit the file. Callers are told these dates with every response.`
    return [{ version: name, file: `${name}.json`, what, hint, differences, lines: [] }]
  })
