import type { Model, Version } from '../compile/model.ts'
import type { Audience } from '../events/show-event.ts'
import { Planner } from '../plan/planner.ts'
import type { Store } from '../store/store.ts'
import { type AuditFilter, type AuditPage, auditPage } from './audit-scan.ts'

/** What an operator looks for. */
export interface AuditQuestion {
  /** `''` for what belongs to the whole store. */
  readonly account: string
  /** By its name in the version. */
  readonly resource?: string
  readonly rowId?: string
  readonly action?: string
  readonly consumer?: string
  readonly subject?: string
  readonly operator?: string
  readonly requestId?: string
  /** Milliseconds since 1970. */
  readonly since?: number
  readonly until?: number
  /** Where the page before has ended. */
  readonly before?: string | null
  readonly limit: number
}

/** The operator of the service sees every row and every field. */
const operatorSight = (model: Model): Audience => ({
  caller: null,
  grants: new Set(['*', ...model.resources.values().flatMap(({ asks }) => asks)]),
  mayRead: () => true,
})

const mostPageBytes = 8_000_000

/** A page of audit entries for an operator, newest first, in the words of a version. */
export function readAuditPage(
  { store, model }: { readonly store: Store; readonly model: Model },
  { account, before = null, limit, ...asked }: AuditQuestion,
  version: Version = model.head,
): Promise<AuditPage> {
  const { rowId, requestId, since, until, ...named } = asked
  const equal = (name: string, value: string | undefined): readonly AuditFilter[] =>
    value === undefined ? [] : [{ name, operator: 'eq', values: [value], shown: [value] }]
  const time = (operator: 'gte' | 'lt', at: number | undefined): readonly AuditFilter[] => {
    const values = at === undefined ? [] : [new Date(at).toISOString()]
    return at === undefined ? [] : [{ name: 'created_at', operator, values, shown: values }]
  }
  const filters = [
    ...Object.entries(named).flatMap(([name, value]) => equal(name, value)),
    ...equal('row_id', rowId),
    ...equal('request_id', requestId),
    ...time('gte', since),
    ...time('lt', until),
  ]
  const reader = { model, store, planner: new Planner(store.dialect), now: Date.now }
  const sight = { account, version, audience: operatorSight(model) }
  return auditPage(reader, sight, { filters, descending: true, after: before, limit, bytes: mostPageBytes })
}
