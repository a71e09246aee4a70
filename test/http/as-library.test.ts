import { mkdtempSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { Hono } from 'hono'
import { api, resource } from 'nounkit'
import { openService, type Service, type ServiceSettings } from 'nounkit/server'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import shop from '../../examples/shop/api.ts'
import { whenOver } from '../support/clean-up.ts'
import { hosts, listening } from '../support/host-servers.ts'
import { newKey } from '../support/server-process.ts'
import { shopContracts } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'

const notes = resource('notes', {
  fields: { text: z.string().max(50), owner: z.string().max(50) },
  rules: {
    read: ({ row, caller }) => row.owner.is(caller.subject),
    create: ({ row, caller }) => row.owner.is(caller.claim('name')),
  },
})
const diary = api('diary', { resources: [notes] })

const sqliteUrl = (): string => `sqlite:${join(mkdtempSync(join(tmpdir(), 'nounkit-library-')), 'x.db')}`

const open = async (more: Partial<ServiceSettings> = {}): Promise<Service<typeof diary>> => {
  const service = await openService(diary, { database: sqliteUrl(), ...more })
  whenOver(() => service.close())
  return service
}
const ask = (
  service: Pick<Service, 'fetch'>,
  path: string,
  authorization = 'Bearer nonsense',
  address = '',
) => service.fetch(new Request(`http://x.example${path}`, { headers: { authorization } }), { address })

describeStores('code of the same process', (store) => {
  test('calls as a subject with claims, and rules judge by both', async () => {
    const service = await open({ database: await store.url() })
    const mia = service.as({ account: 'acme', subject: 'mia', claims: { name: 'mia' } })
    const note = await mia.notes.create({ text: 'Mine', owner: 'mia' })
    expect((await mia.notes.list()).data).toMatchObject([{ id: note.id }])
    const noa = service.as({ account: 'acme', subject: 'noa', claims: { name: 'mia' } })
    expect((await noa.notes.list()).data).toEqual([])
    await expect(noa.notes.get(note.id)).rejects.toMatchObject({ status: 404 })
    const nobody = service.as({ account: 'acme', subject: 'mia' })
    await expect(nobody.notes.create({ text: 'x', owner: 'mia' })).rejects.toMatchObject({ status: 403 })
  })
})

describe('a service as a library', () => {
  test('takes contracts as a URL, a path or parsed files, and keeps their promises', async () => {
    const folder = new URL('../../examples/shop/contracts/', import.meta.url)
    const parsed = Object.fromEntries(await shopContracts())
    const [orders, ...others] = shop.resources
    const broken = { ...shop, resources: others }
    expect(orders).toBeDefined()
    for (const contracts of [folder, folder.pathname, parsed]) {
      const service = await openService(shop, { database: sqliteUrl(), contracts })
      expect((await ask(service, '/v1')).status).toBe(200)
      await service.close()
      await expect(openService(broken, { database: sqliteUrl(), contracts })).rejects.toThrow()
    }
  })

  test('counts wrong credentials by the address that the host says', async () => {
    const service = await open()
    let tries = 0
    let status = 401
    while (status === 401 && tries++ < 1_000)
      status = (await ask(service, '/v1/notes', undefined, '192.0.2.1')).status
    expect(status).toBe(429)
    expect((await ask(service, '/v1/notes', undefined, '192.0.2.77')).status).toBe(401)
  })

  test('does not take a host that computes for an overload, on a port of its own neither, and leaves signals alone', async () => {
    const listeners = () => process.eventNames().map((event) => [event, process.listenerCount(event)])
    const before = listeners()
    const service = await open()
    const { url } = await service.listen({ port: 0 })
    expect(listeners()).toEqual(before)
    for (let time = 0; time < 2; time++) {
      const pending = [fetch(`${url}/v1`), ask(service, '/v1')]
      // Blocks the event loop without using a processor.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200)
      expect((await Promise.all(pending)).map(({ status }) => status)).toEqual([200, 200])
    }
    await service.close()
    expect(listeners()).toEqual(before)
  })

  test('refuses what is over its own limit of open requests, and another service beside it answers', async () => {
    const waiting: (() => void)[] = []
    const slow = resource('notes', {
      fields: { text: z.string().max(50) },
      hooks: { beforeCreate: () => new Promise<void>((resolve) => waiting.push(resolve)) },
    })
    const busy = await openService(api('busy', { resources: [slow], limits: { requestsInFlight: 2 } }), {
      database: sqliteUrl(),
    })
    whenOver(() => busy.close())
    const beside = await open()
    const made = busy.as({ account: 'acme' }).notes.create({ text: 'first' })
    await expect.poll(() => waiting.length).toBe(1)
    const more = busy.as({ account: 'acme' }).notes.create({ text: 'second' })
    await expect.poll(async () => (await ask(busy, '/v1/notes')).status).toBe(503)
    expect((await ask(beside, '/v1')).status).toBe(200)
    for (let done = 0; done < 2; done++) {
      await expect.poll(() => waiting.length).toBe(done + 1)
      waiting[done]?.()
    }
    expect([(await made).text, (await more).text]).toEqual(['first', 'second'])
    expect((await ask(busy, '/v1/notes')).status).toBe(401)
  })

  test('is mounted by app.mount of Hono, which passes things of its own', async () => {
    const service = await open({ prefix: '/api' })
    const app = new Hono()
    app.mount('/api', service.fetch, { replaceRequest: false })
    const answer = await app.request('/api/v1/notes')
    expect([answer.status, ((await answer.json()) as { type: string }).type]).toEqual([
      401,
      '/api/problems/credentials-missing',
    ])
  })
})

describe.skipIf(process.versions.bun)('a handler of node:http', () => {
  test('answers 500 where the host has read the body before', async () => {
    const database = sqliteUrl()
    const service = await open({ database, prefix: '/api', log: 'silent' })
    const key = await newKey(database)
    const parsesFirst = express().use(express.json()).use('/api', service.handler)
    const mountsFirst = express().use('/api', service.handler).use(express.json())
    const statuses = []
    for (const app of [parsesFirst, mountsFirst]) {
      const response = await fetch(`${await listening(app)}/api/v1/notes`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: '{"text":"x"}',
      })
      statuses.push(response.status)
    }
    // The second one has read the body, which lacks a field.
    expect(statuses).toEqual([500, 422])
  })

  test('refuses a header that may not be repeated, of which hosts keep the first', async () => {
    const service = await open({ prefix: '/api' })
    const origin = new URL((await hosts['node:http']?.(service as Service)) ?? '')
    const socket = connect(Number(origin.port), origin.hostname)
    whenOver(() => socket.destroy())
    socket.write(
      'GET /api/v1/notes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\nConnection: close\r\n\r\n',
    )
    let received = ''
    for await (const chunk of socket.setEncoding('utf8')) received += chunk
    expect(received).toMatch(/^HTTP\/1\.1 400 .*authorization is there more than once/s)
  })
})
