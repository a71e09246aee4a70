import cluster from 'node:cluster'
import { flushCompileCache } from 'node:module'
import { clockFromEnvironment } from '../clock.ts'
import { tokenWarnings } from '../compile/service/tokens.ts'
import { createAccessLog } from '../serve/access-log.ts'
import { listen } from '../serve/listen.ts'
import { createLog, warnTo } from '../serve/logs.ts'
import { runJobs } from '../serve/run-jobs.ts'
import { outdatedExitCode, superviseWorkers } from '../serve/workers.ts'
import { StoreOutdated } from '../store/store.ts'
import type { Given } from './command.ts'
import { printDemo } from './demo.ts'
import { type LoadedApi, loadApi } from './load.ts'
import { openLoaded } from './open-loaded.ts'
import { portMistake } from './port-mistake.ts'
import { positionalsUpTo } from './positionals.ts'
import { readServeSettings, type ServeSettings, serveOptions } from './serve-settings.ts'
import { signalled } from './signalled.ts'
import { warn } from './warn.ts'

export { serveOptions as options }

/** `nounkit serve [API]`: migrates the store, seeds an empty one, and serves until SIGTERM or SIGINT. */
export async function serveCommand({ flags, words }: Given<typeof serveOptions>): Promise<number> {
  const [place] = positionalsUpTo(words, 1)
  const settings = readServeSettings(flags)
  const { workers } = settings
  if (workers > 1 && cluster.isPrimary) return superviseWorkers({ workers, say: console.error })
  try {
    return await serve(await loadApi(place), settings)
  } catch (error) {
    if (!(error instanceof StoreOutdated)) throw error
    console.error(error.message)
    return outdatedExitCode
  } finally {
    // The IPC channel to the primary would keep the worker alive.
    cluster.worker?.disconnect()
  }
}

async function serve(api: LoadedApi, settings: ServeSettings): Promise<number> {
  const { port, host, opsPort, demo, redisUrl } = settings
  const log = createLog({ level: process.env.NOUNKIT_LOG || (demo ? 'warn' : 'info') })
  const clock = clockFromEnvironment(process.env)
  const service = await openLoaded(api, { clock, redisUrl, console: settings.console, warn: warnTo(log) })
  const { model, store } = service
  if (settings.jobs) runJobs(service, log.logger)
  const listening = await listen({
    service,
    log: { logger: log.logger, accessLog: createAccessLog(log) },
    port,
    host,
    opsPort,
    consolePort: settings.consolePort,
  }).catch(async (error: unknown) => {
    await service.close()
    throw portMistake(error, settings)
  })
  const stopped = signalled()
  if (isFirstWorker()) {
    for (const warning of tokenWarnings(model)) warn(warning)
    const versions = model.versions.map((version) => version.name).join(', ')
    const probes = listening.opsUrl ? `; probes and metrics on ${listening.opsUrl}` : ''
    const consoleAt = listening.consoleUrl ? `; console on ${listening.consoleUrl}/console` : ''
    console.log(
      `${model.title} is ready: ${listening.url} (${versions}; ${store.dialect.name}${probes}${consoleAt})`,
    )
    if (demo) await printDemo(service, clock, listening.url)
  }
  flushCompileCache()
  const reason = await Promise.race([stopped, service.outdated.when])
  if (reason)
    log.logger.error({ reason }, 'the store was migrated past this process, which answers 503 and ends')
  const ended = service.jobs.stop()
  await listening.stop({ lingerMs: reason ? outdatedLingerMs : 0 })
  await ended
  await service.close()
  return reason ? outdatedExitCode : 0
}

/** How long an outdated process still answers, so that load balancers see that it is not ready. */
const outdatedLingerMs = 2_000

/** Of several workers, only the first prints that the service is ready, and makes the demo keys. */
const isFirstWorker = (): boolean => cluster.worker === undefined || cluster.worker.id === 1
