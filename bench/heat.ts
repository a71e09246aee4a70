import { setTimeout } from 'node:timers/promises'
import { usageOf } from './contender.ts'
import { type Lane, type Load, startLoad } from './load.ts'

/** What came of a lane in a heat. */
export interface Turn {
  readonly workload: string
  readonly contender: string
  readonly perSecond: number
  readonly cpuMicros: number
  readonly memoryMb: number
}

/** So short that a machine which slows down for a second slows down all alike, and long enough for a thousand requests. */
const turnMs = 20

interface Runner {
  readonly lane: Lane
  readonly load: Load
  activeMs: number
  cpuMicros: number
}

/**
 * Lanes that are compared run in one heat: each has its load in a process of its own, and one at a time is let run, for turns
 * of 20 ms, there and back through all of them, until each has had `seconds`.
 */
export async function runHeat(lanes: readonly Lane[], seconds: number): Promise<readonly Turn[]> {
  const lastsMs = lanes.length * seconds * 1_000
  const loadSeconds = Math.ceil(lastsMs / 1_000) + 1
  const runners: Runner[] = []
  for (const lane of lanes)
    runners.push({ lane, load: await startLoad(lane, loadSeconds), activeMs: 0, cpuMicros: 0 })
  const startedAt = performance.now()
  for (let there = true; performance.now() - startedAt < lastsMs; there = !there)
    for (const runner of there ? runners : runners.toReversed()) await takeTurn(runner)
  // The time of each began with its first turn.
  await setTimeout(startedAt + lanes.length * 2 * turnMs + loadSeconds * 1_000 - performance.now())
  return Promise.all(runners.map(turnOf))
}

async function takeTurn(runner: Runner): Promise<void> {
  const { pid } = runner.lane.contender.process
  const cpuBefore = usageOf(pid).cpuMicros
  const startedAt = performance.now()
  runner.load.goOn()
  await setTimeout(turnMs)
  runner.load.standStill()
  runner.activeMs += performance.now() - startedAt
  runner.cpuMicros += usageOf(pid).cpuMicros - cpuBefore
}

async function turnOf(runner: Runner): Promise<Turn> {
  const requests = await runner.load.end()
  const { contender, workload } = runner.lane
  return {
    workload: workload.name,
    contender: contender.name,
    perSecond: (requests / runner.activeMs) * 1_000,
    cpuMicros: runner.cpuMicros / requests,
    memoryMb: usageOf(contender.process.pid).memoryMb,
  }
}
