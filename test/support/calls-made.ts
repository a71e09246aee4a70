import { Session } from 'node:inspector/promises'

/** How often each function of `src/` was called, by `file:function`. */
export type CallsMade = ReadonlyMap<string, number>

/** Counts calls of functions of `src/` while work is done: what a request costs, without a clock. The engine itself knows nothing of it. */
export async function callsMade(work: () => Promise<unknown>): Promise<CallsMade> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    await session.post('Profiler.stopPreciseCoverage')
    const calls = new Map<string, number>()
    for (const { url, functions } of result) {
      const file = /\/src\/(.*)$/.exec(url)?.[1]
      if (file === undefined || url.includes('/node_modules/')) continue
      for (const { functionName, ranges } of functions) {
        const name = `${file}:${functionName}`
        calls.set(name, (calls.get(name) ?? 0) + (ranges[0]?.count ?? 0))
      }
    }
    return calls
  } finally {
    session.disconnect()
  }
}

export const callsInAll = (calls: CallsMade): number => calls.values().reduce((sum, count) => sum + count, 0)
