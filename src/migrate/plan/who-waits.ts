import { metaTable } from '../../store/meta.ts'
import type { Step } from '../migration-step.ts'
import { isOneTransaction, type StorePlan } from './store-plan.ts'

/** What others wait for while a step is taken, and how long, in a sentence. */
export function whoWaits(step: Step, plan: StorePlan): string {
  if (plan.database === 'sqlite') return 'Other writers wait until all steps are done; readers do not.'
  if (step.ofNewTable || step.table === metaTable) return 'Nobody waits for it.'
  if (isOneTransaction(plan)) return `${step.table || 'All'} is locked until all steps are done.`
  if (step.online) return 'Nobody waits for it, though it takes as long as reading all rows.'
  if (step.limit) return `Writes to ${step.limit.table} wait while its rows are added up.`
  if (step.stops) return `${step.table} is locked while its rows are written anew.`
  return `${step.table || 'Nothing'} is locked for a moment.`
}
