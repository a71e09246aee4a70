import type { ContractEvents } from '../../compile/contract-format.ts'
import { compareLimits, compareNames } from './compare-services.ts'
import type { Differences } from './difference.ts'

/** A new type of event is additive, a lost one breaks. Days are the service's, so an older version cannot hide that there are more. */
export const compareEvents = (
  from: ContractEvents | undefined,
  to: ContractEvents | undefined,
): Differences => [
  ...compareNames(from?.types ?? [], to?.types ?? [], 'rule', 'events', 'event type'),
  ...(from && to
    ? compareLimits({ keep_days: from.keep_days }, { keep_days: to.keep_days }, 'service', 'events')
    : []),
]
