import { clockFromEnvironment } from '../clock.ts'
import { serveProbes } from '../serve/listen.ts'
import { createLog, warnTo } from '../serve/logs.ts'
import { runJobs } from '../serve/run-jobs.ts'
import { outdatedExitCode } from '../serve/workers.ts'
import type { Given } from './command.ts'
import { CommandMistake } from './command-mistake.ts'
import { loadApi } from './load.ts'
import { openLoaded } from './open-loaded.ts'
import { positionalsUpTo } from './positionals.ts'
import { readServeSettings } from './serve-settings.ts'
import { signalled } from './signalled.ts'

export const options = {
  host: {
    type: 'string',
    value: 'ADDRESS',
    does: 'the address of that port; HOST, else 127.0.0.1, by default',
  },
  'ops-port': { type: 'string', value: 'N', does: 'serves probes and metrics on this port' },
} as const

/** `nounkit work [API]`: runs jobs until SIGTERM or SIGINT, and answers no requests. */
export async function workCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [place] = positionalsUpTo(words, 1)
  const { host, opsPort, redisUrl } = readServeSettings(flags)
  const api = await loadApi(place)
  const names = Object.keys(api.declaration.jobs ?? {})
  if (names.length === 0)
    throw new CommandMistake('The API declares no jobs. Declare some in api(…): jobs: { remind: job(…) }.')
  const log = createLog()
  const clock = clockFromEnvironment(process.env)
  const service = await openLoaded(api, { clock, redisUrl, warn: warnTo(log) })
  const probes =
    opsPort === undefined ? null : await serveProbes(service, log.logger, { host, port: opsPort })
  runJobs(service, log.logger)
  const stopped = signalled()
  // Without a port, nothing else would keep the process alive.
  const alive = setInterval(() => {}, 60_000)
  console.log(
    `${service.model.title} works: ${names.join(', ')} (${service.store.dialect.name}${probes ? `; probes and metrics on ${probes.url}` : ''})`,
  )
  const reason = await Promise.race([stopped, service.outdated.when])
  if (reason) log.logger.error({ reason }, 'the store was migrated past this process, which ends')
  await service.jobs.stop()
  await probes?.stop()
  await service.close()
  clearInterval(alive)
  return reason ? outdatedExitCode : 0
}
