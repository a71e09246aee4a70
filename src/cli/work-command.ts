import { parseArgs } from 'node:util'
import { clockFromEnvironment } from '../clock.ts'
import { refuseBrokenPromises } from '../contract/broken-promises.ts'
import { demandIssuers, readAddressSettings } from '../guard/address-settings.ts'
import { serveProbes } from '../serve/listen.ts'
import { createLog, teller } from '../serve/logs.ts'
import { runJobs } from '../serve/run-jobs.ts'
import { openService } from '../serve/service.ts'
import { outdatedExitCode } from '../serve/workers.ts'
import { readWebhookSettings } from '../webhooks/webhook-settings.ts'
import { CommandMistake } from './command-mistake.ts'
import { databaseUrl, publishedOf } from './command-store.ts'
import { loadApi } from './load.ts'
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
export async function workCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [place] = positionalsUpTo(positionals, 1)
  const { host, opsPort, redisUrl } = readServeSettings(values)
  const api = await loadApi(place)
  const names = Object.keys(api.declaration.jobs ?? {})
  if (names.length === 0)
    throw new CommandMistake('The API declares no jobs. Declare some in api(…): jobs: { remind: job(…) }.')
  const log = createLog()
  const addresses = readAddressSettings(process.env)
  const service = await openService({
    declaration: api.declaration,
    databaseUrl: databaseUrl(api.declaration),
    readUrl: process.env.NOUNKIT_READ_URL,
    clock: clockFromEnvironment(process.env),
    contracts: api.frozen.contracts,
    published: publishedOf(api),
    gate(model) {
      refuseBrokenPromises(model, api.frozen)
      demandIssuers(api.declaration, addresses)
    },
    addresses,
    folder: api.folder,
    file: api.file,
    rate: process.env.NOUNKIT_RATE,
    redisUrl,
    webhooks: readWebhookSettings(process.env),
    warn: teller(log),
  })
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
