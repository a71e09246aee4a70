import { memoryUsage, threadCpuUsage } from 'node:process'

const lookMs = 1_000
/** Less than this of a second, twice in a row, is rest. */
const restMicros = 10_000
const idleLooks = 2
/** What is worth a pause of some 70 ms, and how often at most. */
const worthBytes = 6 * 1_048_576
const apartMs = 10_000

/**
 * What a start or a burst of calls needed goes back to the system when nobody calls: V8 would keep it. Takes a Node that was
 * started with --expose-gc, as the command line starts it.
 */
export function giveBackWhenAtRest(isBusy: () => boolean): void {
  const { gc } = globalThis
  if (!gc) return
  let used = threadCpuUsage()
  let idle = 0
  let keptAtRest = 0
  let lastAt = Number.NEGATIVE_INFINITY
  setInterval(() => {
    const { user, system } = threadCpuUsage(used)
    used = threadCpuUsage()
    idle = user + system < restMicros ? idle + 1 : 0
    if (idle < idleLooks || isBusy() || performance.now() - lastAt < apartMs) return
    if (memoryUsage().heapTotal < keptAtRest + worthBytes) return
    lastAt = performance.now()
    gc({ type: 'major', flavor: 'last-resort' })
    keptAtRest = memoryUsage().heapTotal
  }, lookMs).unref()
}
