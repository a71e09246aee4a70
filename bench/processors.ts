import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/**
 * Where a process may run. A server has a processor to itself and the load another, the same for all contenders: processors
 * of a shared machine differ in speed, which could matter more than the difference between contenders.
 */
export const processors = { load: 0, server: availableParallelism() - 1 }

let canPin: boolean | null = null

/** The command, pinned to one processor where there are two and the system supports it. */
export function onProcessor(processor: number | null, command: readonly string[]): readonly string[] {
  canPin ??= availableParallelism() > 1 && hasTaskset()
  return processor !== null && canPin ? ['taskset', '-c', String(processor), ...command] : command
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['-c', '0', 'true'])
    return true
  } catch {
    return false
  }
}
