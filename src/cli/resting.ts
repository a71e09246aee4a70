import { memoryUsage, threadCpuUsage } from 'node:process'

const lookMs = 1_000
/** Less than this of a second, twice in a row, is rest. */
const restMicros = 10_000
const idleLooks = 2
/** What is worth a pause of some 70 ms. */
const worthBytes = 6 * 1_048_576

/**
 * What a start or a burst of calls needed goes back to the system when nobody calls: V8 would keep it. Takes a Node that was
 * started with --expose-gc, as the command line starts it.
 */
export function giveBackWhenAtRest(): void {
  const { gc } = globalThis
  if (!gc) return
  let used = threadCpuUsage()
  let idle = 0
  let keptAtRest = 0
  setInterval(() => {
    const { user, system } = threadCpuUsage(used)
    used = threadCpuUsage()
    idle = user + system < restMicros ? idle + 1 : 0
    if (idle < idleLooks || memoryUsage().heapTotal < keptAtRest + worthBytes) return
    gc({ type: 'major', flavor: 'last-resort' })
    keptAtRest = memoryUsage().heapTotal
  }, lookMs).unref()
}
