import { refuseBrokenPromises } from '../contract/broken-promises.ts'
import { demandIssuers, readAddressSettings } from '../guard/address-settings.ts'
import { openService, type Service, type ServiceOptions } from '../serve/service.ts'
import { readWebhookSettings } from '../webhooks/webhook-settings.ts'
import { databaseUrl, publishedOf } from './command-store.ts'
import type { LoadedApi } from './load.ts'

/** Opens the service of a declaration, with the settings of the environment, unless it breaks a published contract. */
export function openLoaded(api: LoadedApi, besides: Partial<ServiceOptions>): Promise<Service> {
  const { declaration, frozen, folder, file } = api
  const { env } = process
  const addresses = readAddressSettings(env)
  return openService({
    declaration,
    folder,
    file,
    contracts: frozen.contracts,
    published: publishedOf(api),
    gate(model) {
      refuseBrokenPromises(model, frozen)
      demandIssuers(declaration, addresses)
    },
    addresses,
    databaseUrl: databaseUrl(declaration),
    readUrl: env.NOUNKIT_READ_URL,
    rate: env.NOUNKIT_RATE,
    redisUrl: env.NOUNKIT_REDIS_URL,
    webhooks: readWebhookSettings(env),
    ...besides,
  })
}
