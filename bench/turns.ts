import { setTimeout } from 'node:timers/promises'
import type { Contender } from './contender.ts'
import type { Load, Measured } from './load.ts'
import type { Workload } from './workloads.ts'

/** A contender at a workload. */
export interface Lane {
  readonly contender: Contender
  readonly workload: Workload
}

/** The results of a lane, turn by turn. Turns of two lanes with the same index ran next to each other. */
export interface Result {
  readonly workload: string
  readonly contender: string
  readonly turns: readonly Measured[]
}

const warmUpMs = 2_000

/**
 * Lanes that are compared run in short turns, one at a time, in alternating order: a host that slows down for a
 * second then slows down all of them alike.
 */
export async function takeTurns(
  load: Load,
  lanes: readonly Lane[],
  rounds: number,
  ms: number,
): Promise<readonly Result[]> {
  const results = lanes.map((lane) => ({ lane, turns: [] as Measured[] }))
  for (const { contender, workload } of lanes)
    await load.run(contender, workload, Math.min(warmUpMs, ms * rounds))
  for (let round = 0; round < rounds; round++) {
    for (const { lane, turns } of round % 2 === 0 ? results : results.toReversed())
      turns.push(await load.run(lane.contender, lane.workload, ms))
  }
  return results.map(({ lane, turns }) => ({
    workload: lane.workload.name,
    contender: lane.contender.name,
    turns,
  }))
}

export const steady = 'one order, steady'
export const firstSecond = 'one order, first second after ten quiet ones'

/**
 * Each contender is idle for `quietMs`, then has a second of load, and after two more seconds a second of steady state. It is warmed up
 * once before: otherwise the first rounds would measure how a new process gets its code compiled, not what a quiet time costs.
 */
export async function afterQuiet(
  load: Load,
  contenders: readonly Contender[],
  workload: Workload,
  rounds: number,
  quietMs: number,
): Promise<readonly Result[]> {
  for (const contender of contenders) await load.run(contender, workload, Math.min(warmUpMs, quietMs))
  const lastUsed = new Map<Contender, number>()
  const first = contenders.map((): Measured[] => [])
  const later = contenders.map((): Measured[] => [])
  for (let round = 0; round < rounds; round++) {
    for (const [at, contender] of contenders.entries()) {
      const usedAt = lastUsed.get(contender) ?? performance.now()
      await setTimeout(Math.max(0, usedAt + quietMs - performance.now()))
      first[at]?.push(await load.run(contender, workload, 1_000))
      await load.run(contender, workload, 2_000)
      later[at]?.push(await load.run(contender, workload, 1_000))
      lastUsed.set(contender, performance.now())
    }
  }
  return contenders.flatMap(({ name: contender }, at) => [
    { workload: steady, contender, turns: later[at] ?? [] },
    { workload: firstSecond, contender, turns: first[at] ?? [] },
  ])
}
