import { Session } from 'node:inspector/promises'
import { whenOver } from './clean-up.ts'

/** How often each function of `src/` was called, by `file:function`. */
export type CallsMade = ReadonlyMap<string, number>

export type CallCounter = (work: () => Promise<unknown>) => Promise<CallsMade>

/**
 * Counts calls of functions of `src/` while work is done: what a request costs, without a clock. The engine itself knows nothing of it.
 * Made in a `beforeAll`, it serves a whole file: V8 takes as long to begin counting as hundreds of requests.
 */
export async function callCounter(): Promise<CallCounter> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  whenOver(async () => {
    await session.post('Profiler.stopPreciseCoverage')
    session.disconnect()
  })
  return async (work) => {
    // What was counted before is taken and thrown away.
    await session.post('Profiler.takePreciseCoverage')
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
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
  }
}

export const callsInAll = (calls: CallsMade): number => calls.values().reduce((sum, count) => sum + count, 0)
