import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { storeKinds } from '../support/databases.ts'
import { type PreparedApi, prepareApi, type ServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import desk from './desk/api.ts'
import { Deeds, DeskClient } from './desk-client.ts'
import { followCursor, followStream, readAll, readPage, type SeenEvent } from './event-followers.ts'
import { proveEvents, storedRows } from './event-proof.ts'
import { startEventReceiver, webhookSettings } from './event-receiver.ts'
import { nightly } from './nightly.ts'
import { inStore, settled } from './stored-rows.ts'

const kills = nightly ? 50 : 2
const clients = 6

/** Two servers on one store, as behind a load balancer. */
class Servers {
  readonly #api: PreparedApi
  #running: ServerProcess[] = []

  constructor(api: PreparedApi) {
    this.#api = api
  }

  async start(count: number): Promise<void> {
    this.#running = await Promise.all(Array.from({ length: count }, () => this.#startOne()))
  }

  /** One of them, which may just have been killed. */
  readonly pick = (): ServerProcess =>
    this.#running[Math.floor(Math.random() * this.#running.length)] as ServerProcess

  /** Kills one of them at some moment, and starts another in its place. */
  async killOne(): Promise<void> {
    await sleep(Math.random() * 400)
    const at = Math.floor(Math.random() * this.#running.length)
    await this.#running[at]?.child.kill('SIGKILL')
    this.#running[at] = await this.#startOne()
  }

  async killAll(): Promise<void> {
    await Promise.all(this.#running.map(({ child }) => child.kill('SIGKILL')))
  }

  #startOne(): Promise<ServerProcess> {
    return this.#api.start({ env: webhookSettings })
  }
}

/** A killed process leaves its lease on an endpoint, which ends after 15 s. The nightly form waits for that. */
const endLeases = (store: Store): Promise<unknown> =>
  store.writeOne('UPDATE "webhook_endpoints" SET "lease_until" = 0', [])

const sorted = (events: Iterable<SeenEvent>): readonly SeenEvent[] =>
  [...events].sort((a, b) => (a.id < b.id ? -1 : 1))

describe.each(storeKinds)('%s', (kind) => {
  test(`${kills} kills of two processes amid creates, changes and deletes: every committed change has one event, all who follow see each once, and a webhook endpoint gets each`, {
    timeout: nightly ? 900_000 : 180_000,
  }, async () => {
    const api = await prepareApi(kind, desk, 'test/crash/desk')
    const servers = new Servers(api)
    await servers.start(2)
    const { pick } = servers
    const start = (await readPage(pick, null)).page.next_cursor
    const receiver = await startEventReceiver()
    const endpoint = { url: receiver.url, event_types: ['*'] }
    expect((await pick().call('POST', '/v1/webhook-endpoints', { body: endpoint })).status).toBe(201)
    const followers = [
      followCursor(pick, start),
      followStream(pick, api.key, start),
      followStream(pick, api.key, start),
    ]
    const deeds = new Deeds()
    let isOver = false
    const working = Array.from({ length: clients }, (_, at) =>
      new DeskClient(`client-${at}`, pick, deeds).work(() => isOver),
    )
    const killing = (async () => {
      for (let kill = 0; kill < kills; kill++) await servers.killOne()
      isOver = true
    })()
    await Promise.all([killing, ...working])
    await servers.killAll()
    await settled(api.databaseUrl)
    if (!nightly) await inStore(api.databaseUrl, endLeases)
    await servers.start(1)

    const events = await readAll(pick)
    const rows = await inStore(api.databaseUrl, storedRows)
    proveEvents(events, rows, deeds)
    for (const follower of followers) {
      await until(() => follower.seen.length >= events.length, { what: 'a follower at the end' })
      await follower.stop()
      expect(follower.seen.map(({ id }) => id)).toEqual(events.map(({ id }) => id))
      expect(follower.seen).toEqual(events)
      expect(follower.interruptions).toBeGreaterThan(0)
    }
    await until(() => receiver.accepted.size >= events.length, { what: 'the delivery of every event' })
    expect(sorted(receiver.accepted.values())).toEqual(sorted(events))
    expect(deeds.changed.size + deeds.deleted.size + deeds.refused.size).toBeGreaterThan(kills)
    if (nightly)
      console.log(
        `${kind}: ${kills} kills, ${events.length} events, ${rows.size} rows left, ${receiver.calls} calls of the endpoint`,
      )
  })
})
