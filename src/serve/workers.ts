import cluster, { type Worker } from 'node:cluster'
import { relayMetrics } from './worker-metrics.ts'

export interface SuperviseOptions {
  readonly workers: number
  readonly say: (line: string) => void
  /** How long a worker may take to finish its last requests. */
  readonly graceMs?: number
}

/** Of a process whose store was migrated past it, be it while it served or before: starting it again does not help. */
export const outdatedExitCode = 3

/** A worker that ends sooner than this did not fail at a request but at starting: the next one waits. */
const healthyMs = 5_000
const restartDelayMs = 1_000

/**
 * The primary of `serve --workers N`: starts the workers, each of which runs the same command line, replaces one that
 * crashes, and ends with them. The others start when the first one listens, so that one migrates, one prints, and a
 * mistake is told once. Resolves with the exit code.
 */
export const superviseWorkers = async (options: SuperviseOptions): Promise<number> => {
  const { workers, say, graceMs = 15_000 } = options
  const ended = Promise.withResolvers<number>()
  let served = false
  let stopping = false
  let code = 0

  const start = (): void => {
    const startedAt = performance.now()
    const worker = cluster.fork()
    worker.once('listening', startOthers)
    worker.once('exit', (exitCode, signal) => {
      if (stopping) return finishWhenAlone()
      if (exitCode === outdatedExitCode) return giveUp(exitCode)
      // Nobody ever listened, and the next one will not do better: a wrong setting, a port that is taken.
      if (!served) return giveUp(exitCode || 1)
      say(`worker ${worker.process.pid} ended (${signal ?? exitCode}); another takes its place`)
      const delay = performance.now() - startedAt < healthyMs ? restartDelayMs : 0
      setTimeout(() => !stopping && start(), delay)
    })
  }
  const startOthers = (): void => {
    if (served || stopping) return
    served = true
    if (!process.env.NOUNKIT_REDIS_URL && process.env.NOUNKIT_RATE !== 'off') {
      say('Each worker counts rates by itself. Set NOUNKIT_REDIS_URL to count them together.')
    }
    for (let i = 1; i < workers; i++) start()
  }
  const finishWhenAlone = (): void => {
    if (living().length === 0) ended.resolve(code)
  }
  const killAll = (): void => {
    for (const worker of living()) worker.process.kill('SIGKILL')
  }
  const stop = (): void => {
    if (stopping) return
    stopping = true
    for (const worker of living()) worker.process.kill('SIGTERM')
    setTimeout(killAll, graceMs).unref()
    finishWhenAlone()
  }
  const giveUp = (exitCode: number): void => {
    code = exitCode
    stop()
  }
  /** A second signal is from somebody who does not want to wait. */
  const signalled = (): void => {
    if (!stopping) return stop()
    code = 130
    killAll()
  }

  relayMetrics()
  process.on('SIGTERM', signalled)
  process.on('SIGINT', signalled)
  start()
  return ended.promise
}

const living = (): Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
