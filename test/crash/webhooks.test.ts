import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openService } from '../../src/serve/service.ts'
import { whenOver } from '../support/clean-up.ts'
import { emptyDatabase, type StoreKind, storeKinds } from '../support/databases.ts'
import { declarationFolder, librarySource } from '../support/declaration-folder.ts'
import { type Received, startReceiver } from '../support/receiver.ts'
import { newKey, type ServerProcess, startServer } from '../support/server-process.ts'
import type { Row } from '../support/serving.ts'
import { until } from '../support/until.ts'
import { nightly } from './nightly.ts'

const kills = nightly ? 50 : 2
const endpoints = 3

const env = { NOUNKIT_WEBHOOK_ALLOW: '127.0.0.0/8', NOUNKIT_WEBHOOK_DELAYS: Array(60).fill(1).join() }

async function prepare(kind: StoreKind) {
  const api = declarationFolder(librarySource({ more: 'events: { keepDays: 30 },' }))
  const databaseUrl = await emptyDatabase(kind)
  const { default: declaration } = await import(/* @vite-ignore */ `${api}/api.ts`)
  await (await openService({ declaration, databaseUrl })).close()
  const key = await newKey(databaseUrl)
  return {
    start: (...args: string[]): Promise<ServerProcess> => startServer(databaseUrl, { api, key, env, args }),
  }
}

const eventOf = ({ body }: Received) => (JSON.parse(body) as { data: Row }).data

/** Every event that the service shows, read by its cursor. */
async function allEvents(server: ServerProcess): Promise<readonly Row[]> {
  const found: Row[] = []
  for (let cursor = ''; ; ) {
    const { text } = await server.call('GET', `/v1/events?limit=100${cursor && `&cursor=${cursor}`}`)
    const { data, page } = JSON.parse(text) as {
      data: Row[]
      page: { next_cursor: string; has_more: boolean }
    }
    found.push(...data)
    if (!page.has_more) return found
    cursor = page.next_cursor
  }
}

describe.each(storeKinds)('webhooks on %s', (kind) => {
  test(`a process that is killed ${kills} times amid writes and calls loses no delivery`, {
    timeout: (kills * 10 + 300) * 1_000,
  }, async () => {
    const library = await prepare(kind)
    const steady = await library.start()
    let mortal = await library.start()
    const receivers = await Promise.all(Array.from({ length: endpoints }, () => startReceiver()))
    for (const receiver of receivers) {
      whenOver(() => receiver.close())
      // One call in five fails, so that there are always some to be made again.
      let calls = 0
      receiver.answer((response) => void response.writeHead(++calls % 5 === 0 ? 500 : 204).end())
      const body = { url: receiver.url, event_types: ['*'] }
      expect((await steady.call('POST', '/v1/webhook-endpoints', { body })).status).toBe(201)
    }
    const acknowledged: string[] = []
    let over = false
    const write = async (): Promise<void> => {
      for (let turn = 0; !over; turn++) {
        const server = turn % 3 === 0 ? steady : mortal
        const reply = await server.call('POST', '/v1/books', { body: { title: 'x' } }).catch(() => null)
        if (reply?.status === 201) acknowledged.push((JSON.parse(reply.text) as { data: Row }).data.id)
        await sleep(5)
      }
    }
    const writing = Promise.all([write(), write()])
    for (let killed = 0; killed < kills; killed++) {
      await sleep(300 + Math.random() * 700)
      await mortal.child.kill('SIGKILL')
      mortal = await library.start()
    }
    over = true
    await writing
    const events = await allEvents(steady)
    const told = new Set(events.map(({ resource_id }) => resource_id))
    expect(acknowledged.filter((id) => !told.has(id))).toEqual([])
    for (const { received } of receivers) {
      const missing = () => {
        const got = new Set(received.map((call) => eventOf(call).id))
        return events.filter(({ id }) => !got.has(id))
      }
      await until(() => missing().length === 0, { within: 180_000, what: 'every event at every endpoint' })
    }
  })

  test('workers share the calls, and end cleanly while a receiver hangs', async () => {
    const library = await prepare(kind)
    const server = await library.start('--workers', '2')
    const [quick, hanging] = [await startReceiver(), await startReceiver()]
    whenOver(() => quick.close())
    whenOver(() => hanging.close())
    hanging.answer(() => {})
    for (const { url } of [quick, hanging]) {
      const body = { url, event_types: ['books.created'] }
      expect((await server.call('POST', '/v1/webhook-endpoints', { body })).status).toBe(201)
    }
    for (let at = 0; at < 20; at++)
      expect((await server.call('POST', '/v1/books', { body: { title: String(at) } })).status).toBe(201)
    await until(() => quick.received.length === 20 && hanging.received.length === 10)
    expect(await server.child.kill('SIGTERM')).toEqual({ code: 0, signal: null })
    expect(server.child.output).not.toContain('whsec_')
    hanging.answer((response) => void response.writeHead(204).end())
    await library.start()
    await until(() => new Set(hanging.received.map((call) => eventOf(call).id)).size === 20)
    expect(quick.received).toHaveLength(20)
  })
})
