import type { RanJob } from '../jobs/run-due.ts'
import type { JobDoors } from '../jobs/run-job.ts'
import { clientAs } from './client-as.ts'
import { mount } from './mounted.ts'
import type { Service } from './service.ts'
import type { ShellLogger } from './shell.ts'

/** Lets this process run the jobs of a service, until the service is closed. */
export function runJobs(service: Service, logger: ShellLogger): void {
  if (service.model.jobs.size > 0) service.jobs.start(doorsOf(service, logger))
}

/** Runs the jobs that are due by the clock of the service, for tests. */
export async function runDueJobs(service: Service, logger: ShellLogger): Promise<readonly RanJob[]> {
  return service.jobs.runDue(doorsOf(service, logger))
}

function doorsOf(service: Service, logger: ShellLogger): JobDoors {
  const { model, store, engine } = service
  const mounted = mount(service, { logger })
  service.whenClosed(() => mounted.close())
  const { planner } = engine.writer
  return {
    clientOf: (caller) => clientAs(model, mounted.fetch, caller),
    async find(account, named, id) {
      const name = typeof named === 'string' ? named : named.name
      const resource = model.resources.get(name)
      if (!resource) throw new Error(`find('${name}', …): there is no such resource.`)
      const where = [{ field: 'id', operator: 'eq', values: 1, withNull: false } as const]
      const find = planner.find(resource, { where, order: [], most: store.dialect.pageSize(1) }, null)
      const row = await store.first(find.text, find.bind({ account, values: [id], limit: 1 }), account)
      return row ? JSON.parse(String(row[0])) : null
    },
  }
}
