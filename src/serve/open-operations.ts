import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { AccountWork } from '../console/accounts/account-work.ts'
import { OperatorRing } from '../console/operators/operator-ring.ts'
import { RecentRequests } from '../console/requests/recent-requests.ts'
import { ProcessFigures } from '../console/today/process-figures.ts'
import type { Retirement } from '../lifecycle/retirement.ts'
import type { ReadReplicas } from '../store/postgres/read-replicas.ts'
import type { StatementTimes } from '../store/statement-times.ts'
import type { Store } from '../store/store.ts'
import { recordAct } from '../write/recorded-acts.ts'
import type { Engine } from './engine.ts'
import { type ConsolePlace, lazily, openConsole } from './open-console.ts'

/** A store, the standbys that answer reads, and the times of what is sent to them. */
export interface OpenedStore {
  readonly store: Store
  readonly replicas: ReadReplicas | null
  readonly statements: StatementTimes
}

interface OperationsParts {
  readonly model: Model
  readonly clock: Clock
  readonly retirement: Retirement
  readonly report: Engine['report']
  readonly warn: (message: string, error: unknown) => void
  readonly handle: Engine['handle']
  readonly options: {
    readonly console?: ConsolePlace
    readonly isDevelopment?: boolean
    readonly beatMs?: number | null
  }
}

/** What operators see of a service, and what they do in the console. */
export function openOperations({ store, replicas, statements }: OpenedStore, parts: OperationsParts) {
  const { model, clock, retirement, report, warn, handle, options } = parts
  const recentRequests = new RecentRequests()
  const figures = new ProcessFigures({
    store,
    clock,
    statements,
    recent: recentRequests,
    hasOperators: () => new OperatorRing(store, clock).any(),
    everyMs: options.beatMs === null ? null : undefined,
  })
  const accountWork = new AccountWork({ store, model, clock, warn })
  const console = openConsole(
    options.console ?? 'beside the API',
    {
      model,
      store,
      clock,
      report,
      handle,
      recordAct: (act) => recordAct(store, clock.now(), act),
      accountWork,
      recentRequests,
      figures,
      replicas: () => replicas?.states() ?? [],
      isDevelopment: options.isDevelopment ?? false,
    },
    lazily(async () => (await import('../pages/pages.ts')).createPages({ model, store, clock, retirement })),
  )
  return { console, recentRequests, figures, accountWork }
}
