import type { ServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'

/** The processes that answer, as the access log (level info) names them. */
export async function workerPids(server: ServerProcess, count: number): Promise<readonly number[]> {
  const seen = () =>
    new Set(Array.from(server.child.stdout.matchAll(/"pid":(\d+)/g), ([, pid]) => Number(pid)))
  await until(
    async () => {
      // One connection per call, so that all workers get some.
      await fetch(`${server.url}/v1`, { headers: { Connection: 'close' } })
      return seen().size >= count
    },
    { what: `${count} workers that answer` },
  )
  return [...seen()]
}
