import type { Contract, ContractEvents } from '../../compile/contract-format.ts'
import { sameJson } from '../../compile/schemas/canonical.ts'
import { compareAccess } from './compare-access.ts'
import { compareIncludeRows } from './compare-include-rows.ts'
import { compareLifecycles } from './compare-lifecycles.ts'
import { comparePaths } from './compare-paths.ts'
import { compareReplacements } from './compare-replacements.ts'
import { compareResources } from './compare-resources.ts'
import { compareLimits, compareNames, compareServices } from './compare-services.ts'
import { additive, type Difference, sayAt } from './difference.ts'

/**
 * Every difference that a consumer of `older` finds in `newer`, with its verdict. It reads nothing but the two contracts,
 * so that it is independent of the verdicts of declared changes (judge-changes.ts).
 */
export const compareContracts = (older: Contract, newer: Contract): readonly Difference[] => {
  if (sameJson(older, newer)) return []
  // Two versions each have dates of their own; only a version's own dates can be moved.
  const lifecycle = older.version === newer.version ? compareLifecycles(older.lifecycle, newer.lifecycle) : []
  return [
    ...lifecycle,
    ...compareServices(older.service, newer.service),
    ...compareAccess(older.service, newer.service),
    ...compareResources(older.resources, newer.resources),
    ...compareReplacements(older, newer),
    ...compareIncludeRows(older, newer),
    ...comparePaths(older, newer),
    ...compareEvents(older.events, newer.events),
    ...compareWords(older, newer),
  ]
}

const compareWords = (older: Contract, newer: Contract): readonly Difference[] =>
  (['title', 'description'] as const)
    .filter((name) => older[name] !== newer[name])
    .map((name) => sayAt('words', 'api')(additive, `${name} changed`, 'words'))

/** A new type of event is additive, a lost one breaks. Days are the service's, so an older version cannot hide that there are more. */
const compareEvents = (
  from: ContractEvents | undefined,
  to: ContractEvents | undefined,
): readonly Difference[] => [
  ...compareNames(from?.types ?? [], to?.types ?? [], 'rule', 'events', 'event type'),
  ...(from && to
    ? compareLimits({ keep_days: from.keep_days }, { keep_days: to.keep_days }, 'service', 'events')
    : []),
]
