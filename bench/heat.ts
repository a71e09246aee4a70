import { setTimeout } from 'node:timers/promises'
import { usageOf } from './contender.ts'
import { connections, type Lane, type Load, startLoad } from './load.ts'

/** What came of a lane in a heat. */
export interface Turn {
  readonly workload: string
  readonly contender: string
  readonly perSecond: number
  readonly cpuMicros: number
  readonly memoryMb: number
}

/**
 * So short that a machine which slows down for a second slows down all alike, and long enough for the processor's caches to
 * fill again with what one server reads: with turns of 40 ms, those that read much looked slower than they are when alone.
 */
const turnMs = 200
/** What was asked for and not answered when a turn ended is answered before the next one begins. */
const restMs = 15

interface Runner {
  readonly lane: Lane
  readonly load: Load
  turns: number
  activeMs: number
  cpuMicros: number
}

/**
 * Lanes that are compared run in one heat: each has its load in a process of its own, and one at a time is let run, for turns
 * of 200 ms, there and back through all of them, until each has had `seconds`.
 */
export async function runHeat(lanes: readonly Lane[], seconds: number): Promise<readonly Turn[]> {
  const rounds = Math.ceil((seconds * 1_000) / turnMs)
  // Longer than all turns, however late a timer comes; each one's time begins with its first turn.
  const loadSeconds = Math.ceil((rounds * lanes.length * (turnMs + restMs) * 1.1) / 1_000) + 1
  const runners: Runner[] = []
  for (const lane of lanes) {
    const load = await startLoad(lane, loadSeconds)
    runners.push({ lane, load, turns: 0, activeMs: 0, cpuMicros: 0 })
  }
  const startedAt = performance.now()
  for (let round = 0; round < rounds; round++)
    for (const runner of round % 2 === 0 ? runners : runners.toReversed()) await takeTurn(runner)
  const firstTurnsMs = lanes.length * 2 * (turnMs + restMs)
  await setTimeout(Math.max(0, startedAt + firstTurnsMs + loadSeconds * 1_000 - performance.now()))
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
  runner.turns++
  await setTimeout(restMs)
  runner.cpuMicros += usageOf(pid).cpuMicros - cpuBefore
}

async function turnOf(runner: Runner): Promise<Turn> {
  const requests = await runner.load.end()
  const { contender, workload } = runner.lane
  // One for each connection was answered after its turn had ended.
  const answeredInTime = requests - runner.turns * connections
  return {
    workload: workload.name,
    contender: contender.name,
    perSecond: (answeredInTime / runner.activeMs) * 1_000,
    cpuMicros: runner.cpuMicros / requests,
    memoryMb: usageOf(contender.process.pid).memoryMb,
  }
}
