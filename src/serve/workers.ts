import cluster, { type Worker } from 'node:cluster'
import { relayMetrics } from './worker-metrics.ts'

export interface SuperviseOptions {
  readonly workers: number
  readonly say: (line: string) => void
  /** How long a worker may take to finish its last requests and jobs: 40 seconds unless said. */
  readonly graceMs?: number
}

/** The exit code of a process whose store was migrated for a newer release. Starting it again does not help. */
export const outdatedExitCode = 3

/** A worker that exits sooner than this failed to start, so its replacement is delayed. */
const healthyMs = 5_000
const restartDelayMs = 1_000

/**
 * The primary of `serve --workers N`: starts the workers, each of which runs the same command line, replaces a worker that crashes,
 * and exits after them. The other workers start when the first one listens, so that one migrates, one prints, and a mistake is
 * reported once. Resolves with the exit code.
 */
export const superviseWorkers = (options: SuperviseOptions): Promise<number> => new Supervisor(options).run()

class Supervisor {
  readonly #options: SuperviseOptions
  readonly #ended = Promise.withResolvers<number>()
  #served = false
  #stopping = false
  #exitCode = 0

  constructor(options: SuperviseOptions) {
    this.#options = options
  }

  run(): Promise<number> {
    relayMetrics()
    process.on('SIGTERM', () => this.#onSignal())
    process.on('SIGINT', () => this.#onSignal())
    this.#start()
    return this.#ended.promise
  }

  #start(): void {
    const startedAt = performance.now()
    const worker = cluster.fork()
    worker.once('listening', () => this.#startOthers())
    worker.once('exit', (exitCode, signal) => {
      if (this.#stopping) return this.#finishWhenAlone()
      // Before any worker has listened, the cause is a wrong setting or a port in use: the next one would fail too.
      if (exitCode === outdatedExitCode || !this.#served) return this.#giveUp(exitCode || 1)
      this.#options.say(`worker ${worker.process.pid} ended (${signal ?? exitCode}); another takes its place`)
      const delay = performance.now() - startedAt < healthyMs ? restartDelayMs : 0
      setTimeout(() => !this.#stopping && this.#start(), delay)
    })
  }

  #startOthers(): void {
    if (this.#served || this.#stopping) return
    this.#served = true
    const { workers, say } = this.#options
    if (!process.env.NOUNKIT_REDIS_URL && process.env.NOUNKIT_RATE !== 'off') {
      say('Each worker counts rates by itself. Set NOUNKIT_REDIS_URL to count them together.')
    }
    for (let i = 1; i < workers; i++) this.#start()
  }

  #giveUp(exitCode: number): void {
    this.#exitCode = exitCode
    this.#stop()
  }

  #stop(): void {
    if (this.#stopping) return
    this.#stopping = true
    for (const worker of living()) worker.process.kill('SIGTERM')
    setTimeout(killAll, this.#options.graceMs ?? 40_000).unref()
    this.#finishWhenAlone()
  }

  #finishWhenAlone(): void {
    if (living().length === 0) this.#ended.resolve(this.#exitCode)
  }

  /** The second signal kills the workers at once. */
  #onSignal(): void {
    if (!this.#stopping) return this.#stop()
    this.#exitCode = 130
    killAll()
  }
}

const living = (): Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)

const killAll = (): void => {
  for (const worker of living()) worker.process.kill('SIGKILL')
}
