import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type shop from '../../examples/shop/api.ts'
import { client, type Event, isProblem } from '../../src/client/nounkit-client.ts'
import { whenOver } from '../support/clean-up.ts'
import { describeClients, type ShopClient } from '../support/client-shop.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'

let emails = 0
const newCustomer = (api: ShopClient, name: string) =>
  api.customers.create({ name, email: `f${++emails}@example.com` })

type Followed = Event<typeof shop> & { readonly cursor: string }

describeClients('following events with the client', (served) => {
  /** Follows in the background. The filter leaves out what other tests do. */
  const following = (api: ShopClient, options: Parameters<ShopClient['events']['follow']>[0] = {}) => {
    const controller = new AbortController()
    const events: Followed[] = []
    const over = (async () => {
      for await (const event of api.events.follow({ ...options, signal: controller.signal }))
        events.push(event)
    })()
    return { events, over, stop: () => controller.abort() }
  }
  const streams = () =>
    served.proxy.seen.filter(({ headers }) => headers.accept === 'text/event-stream').length
  const openStream = async () => {
    const before = streams()
    return () => until(() => streams() > before, { what: 'a stream' })
  }

  /** A cursor after all that happened so far. */
  const now = async (api: ShopClient, filter: { type?: 'customers.deleted' } = {}): Promise<string> => {
    let cursor: string | null | undefined
    for (let more = true; more; ) {
      const { page } = await api.events.list({ filter, limit: 100, ...(cursor && { cursor }) })
      ;[cursor, more] = [page.next_cursor, page.has_more]
    }
    return cursor ?? ''
  }

  test('gives what happens after a cursor, with the place to go on from, until it is aborted', async () => {
    const api = served.client()
    const from = await now(api)
    const made = await newCustomer(api, 'Ada')
    await api.customers.update(made.id, { phone: '1' })
    await api.customers.delete(made.id)
    const one = following(api, { from })
    await until(() => one.events.length === 3)
    expect(one.events.map(({ type, changed }) => [type, changed])).toEqual([
      ['customers.created', null],
      ['customers.updated', ['phone']],
      ['customers.deleted', null],
    ])
    const [created, updated] = one.events
    if (created?.type !== 'customers.created') throw new Error('It was created first.')
    expect(created.data).toEqual(made)
    const { cursor, ...event } = created
    expect(await api.events.get(created.id)).toEqual(event)
    one.stop()
    await one.over
    const two = following(api, { from: cursor })
    await until(() => two.events.length === 2)
    expect(two.events[0]?.id).toBe(updated?.id)
    two.stop()
    await two.over
  })

  test('gives only what its filter asks for', async () => {
    const api = served.client()
    const filter = { type: 'customers.deleted' } as const
    const follower = following(api, { filter, from: await now(api, filter) })
    const made = await newCustomer(api, 'Bo')
    await api.customers.delete(made)
    await until(() => follower.events.length === 1)
    expect(follower.events.map(({ resource_id }) => resource_id)).toEqual([made.id])
    follower.stop()
    await follower.over
  })

  test('begins now, and goes on over lost connections, cut answers and passing failures: nothing twice, nothing missed', async () => {
    const api = served.client()
    const opened = await openStream()
    const follower = following(api)
    await opened()
    // The first event says that the stream has begun.
    await until(async () => {
      if (follower.events.length === 0) await newCustomer(api, 'begin')
      return follower.events.length > 0
    })
    const names: string[] = []
    const fail = { status: 503, headers: { 'content-type': 'text/html' }, body: 'busy' }
    for (let number = 0; number < 12; number++) {
      names.push(`n${number}`)
      await newCustomer(api, `n${number}`)
      if (number % 3 !== 1) continue
      served.proxy.plan = ({ headers }) =>
        headers.accept === 'text/event-stream' && Math.random() < 0.5 ? fail : 'pass'
      served.proxy.cut()
    }
    served.proxy.next()
    const seen = () =>
      follower.events.flatMap(({ data }) => ('name' in data && data.name !== 'begin' ? data.name : []))
    await until(() => seen().length >= names.length)
    expect(seen()).toEqual(names)
    follower.stop()
    await follower.over
  })

  test('gives up a connection that has fallen silent for a new one', async () => {
    const target = new URL(served.proxy.url)
    const frozen = await startTcpProxy({ host: target.hostname, port: Number(target.port) })
    const api = served.client()
    const from = await now(api)
    const follower = following(served.client({ url: `http://127.0.0.1:${frozen.port}` }), {
      from,
      silence: 300,
    })
    await until(() => frozen.accepted > 0)
    frozen.freeze()
    await newCustomer(api, 'after the silence')
    await until(() => follower.events.length === 1)
    expect(frozen.accepted).toBeGreaterThan(1)
    follower.stop()
    await follower.over
  })

  test('throws a refusal that would not pass', async () => {
    const read = async (api: ShopClient, options = {}) => {
      for await (const event of api.events.follow(options)) return event
      return null
    }
    await expect(read(served.client(), { from: 'nonsense' })).rejects.toMatchObject({ status: 400 })
    await expect(read(served.client({ key: 'nk_wrong' }))).rejects.toSatisfy((error) =>
      isProblem(error, 'credentials-invalid'),
    )
    served.proxy.next({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' })
    await expect(read(served.client())).rejects.toThrow('200 with text/html, not an answer of the API')
  })

  test('asks for a new token when the old one has ended', async () => {
    const tokens = ['nk_old', served.shop.key]
    const api = served.client({ key: undefined, token: () => tokens.shift() ?? served.shop.key })
    const from = await now(served.client())
    await newCustomer(served.client(), 'x')
    for await (const event of api.events.follow({ from })) {
      expect(event.type).toBe('customers.created')
      break
    }
  })
})

test('events that come in pieces of any size are read whole, and half an event at the end of a stream is not', async () => {
  const frames = [
    'retry: 2000\n',
    'id: a\n\n',
    'id: b\nevent: x\ndata: {"id":"1","text":"Zoë"}\n\n',
    ': alive\n\n',
  ]
  const bytes = Buffer.from(
    [...frames, 'id: c\r\ndata: {"id":\r\ndata: "2"}\r\n\r\n', 'id: d\ndata: {"id":"3"}\n'].join(''),
  )
  const asked: (string | undefined)[] = []
  const server = createServer(async (request, response) => {
    asked.push(request.url)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let at = 0; at < bytes.length; at += 7) {
      response.write(bytes.subarray(at, at + 7))
      await new Promise((done) => setImmediate(done))
    }
    response.end()
  }).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  whenOver(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const api = client<typeof shop>({ url, version: 'v2' })
  const events: object[] = []
  for await (const event of api.events.follow()) {
    events.push(event)
    if (events.length === 3) break
  }
  const [one, two] = [
    { id: '1', text: 'Zoë', cursor: 'b' },
    { id: '2', cursor: 'c' },
  ]
  expect(events).toEqual([one, two, one])
  expect(asked).toEqual(['/v2/events', '/v2/events?cursor=c'])
})
