import type { Version } from '../compile/model.ts'
import { webhookNames } from '../declare/webhook-resources.ts'
import type { Store } from '../store/store.ts'
import { activeEndpoints } from '../webhooks/endpoint-rows.ts'
import type { KnownConsumer } from './consumers.ts'
import { type Contact, lastContacts } from './contacts.ts'

/** An active webhook endpoint: a program that is sent events in the words of a version, though it may never call. */
export interface WebhookConsumer extends KnownConsumer {
  /** `webhook:{id}` */
  readonly name: string
  readonly url: string
  /** When it was created. */
  readonly since: number
  /** The last time its owner was informed of this version's end. */
  readonly contacted: Contact | null
}

export async function readWebhookConsumers(
  store: Store,
  version: Version,
  contacts: readonly Contact[],
): Promise<readonly WebhookConsumer[]> {
  if (!version.viewOf.has(webhookNames.endpoints)) return []
  const contacted = lastContacts(contacts, version.name)
  const endpoints = await activeEndpoints(store, version.name)
  return endpoints.map(({ account, id, url, createdAt }) => {
    const name = `webhook:${id}`
    const { host } = new URL(url)
    const consumer = { account, name, kind: 'external', contact: host } as const
    return { ...consumer, url, since: createdAt, contacted: contacted(account, name) }
  })
}
