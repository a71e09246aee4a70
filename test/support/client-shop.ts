import { beforeAll } from 'vitest'
import type shop from '../../examples/shop/api.ts'
import { type Client, type ClientOptions, client } from '../../src/client/nounkit-client.ts'
import { whenOver } from './clean-up.ts'
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts'
import { type ListeningShop, listeningShop, type ShopSettings } from './listening-shop.ts'
import { shopContracts } from './serving.ts'
import { describeStores } from './stores.ts'

export type ShopClient = Client<typeof shop>

export interface ClientShop {
  readonly shop: ListeningShop
  /** In front of the shop. */
  readonly proxy: FaultyProxy
  /** A client of the shop behind the proxy, with acme's key. */
  client(options?: Partial<ClientOptions<'v2'>>): ShopClient
}

/** The same tests on every store: the demo on a real port, behind a proxy that can fail. */
export function describeClients(
  name: string,
  body: (served: ClientShop) => void,
  settings: ShopSettings = {},
): void {
  describeStores(name, (store) => {
    let open: { shop: ListeningShop; proxy: FaultyProxy } | undefined
    beforeAll(async () => {
      const shop = await listeningShop({
        databaseUrl: await store.url(),
        contracts: await shopContracts(),
        ...settings,
      })
      whenOver(() => shop.close())
      open = { shop, proxy: await startFaultyProxy(`http://127.0.0.1:${shop.port}`) }
    })
    const served = () => {
      if (!open) throw new Error('The shop is served only while a test runs.')
      return open
    }
    body({
      get shop() {
        return served().shop
      },
      get proxy() {
        return served().proxy
      },
      client: (options) =>
        client<typeof import('../../examples/shop/api.ts').default>({
          url: served().proxy.url,
          key: served().shop.key,
          version: 'v2',
          ...options,
        }),
    })
  })
}
