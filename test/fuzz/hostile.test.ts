import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Child, nounkit } from '../support/child.ts'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { heapOf, inspected } from '../support/heap-of.ts'
import { parseAnswer } from '../support/raw-socket.ts'
import { type HostileRequest, hostileRequests, type KnownThings } from './hostile-requests.ts'

const nightly = process.env.NOUNKIT_NIGHTLY === '1'
/** On each store. */
const count = nightly ? 50_000 : 1_000
// The same requests in every run of `npm test`; the nightly form uses a new seed, which a failure prints.
const seed = Number(process.env.NOUNKIT_FUZZ_SEED ?? (nightly ? Date.now() % 2 ** 31 : 42))
const atOnce = 16
const hangMs = 20_000

describe.each(storeKinds)('on %s', (kind) => {
  const env = { DATABASE_URL: '', NOUNKIT_LOG: 'error', NOUNKIT_RATE: 'off' }
  let databaseUrl: string
  let server: Child
  let port: number
  let known: KnownThings
  let globex: string
  let theirs: string[]

  beforeAll(async () => {
    databaseUrl = await emptyDatabase(kind)
    env.DATABASE_URL = databaseUrl
    server = nounkit(['serve', 'examples/shop', '--port', '0'], { env: { ...env, ...inspected } })
    port = Number((await server.line(/is ready: http:\/\/[^:]+:(\d+)/))[1])
    const acme = await makeKey('acme', ['--scopes', '*,products:write'])
    globex = await makeKey('globex', [])
    const reader = await makeKey('acme', ['--scopes', 'orders:read,customers:read'])
    theirs = await everything(globex)
    const { page } = await get('/v2/orders?limit=1', acme)
    const names = ['customers', 'orders', 'order-items', 'payments', 'products', 'adjustments']
    const some = async (name: string) => (await get(`/v2/${name}?limit=8`, acme)).data.map(({ id }) => id)
    const of = Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await some(name)] as const)),
    )
    known = {
      keys: [acme, acme, acme, acme, acme, reader],
      of,
      ids: [...Object.values(of).flat(), ...theirs.slice(0, 5)],
      cursors: [page.next_cursor],
    }
  })
  afterAll(async () => {
    await server.kill('SIGKILL')
  })

  let names = 0
  async function makeKey(account: string, flags: string[]): Promise<string> {
    const child = nounkit(
      ['keys', 'create', 'examples/shop', '--account', account, '--name', `fuzz-${++names}`, ...flags],
      { env },
    )
    await child.ended
    return child.stdout.trim().split(/\s/).at(-1) ?? ''
  }

  const get = async (path: string, key: string) =>
    (await (
      await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: `Bearer ${key}` } })
    ).json()) as {
      data: { id: string }[]
      page: { next_cursor: string }
    }

  /** Ids of rows that only this account can see. */
  async function everything(key: string): Promise<string[]> {
    const lists = await Promise.all(
      ['customers', 'orders', 'order-items', 'payments', 'adjustments'].map((name) =>
        get(`/v2/${name}?limit=100`, key),
      ),
    )
    return lists.flatMap((list) => list.data.map((row) => row.id))
  }

  /** All that comes back until the server closes; throws when it does not. */
  function exchange(request: HostileRequest): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      let received = ''
      const timer = setTimeout(() => {
        socket.destroy()
        reject(new Error('the connection hangs'))
      }, hangMs)
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        received += chunk
      })
      socket.on('error', () => {})
      // The server ended its side; ours may still wait to send.
      socket.once('end', () => socket.destroy())
      socket.once('close', () => {
        clearTimeout(timer)
        resolve(received)
      })
      socket.once('connect', () => send(socket, request))
    })
  }

  function send(
    socket: ReturnType<typeof connect>,
    { bytes, pieces, cutShort, sound }: HostileRequest,
  ): void {
    const size = Math.ceil(bytes.length / pieces)
    for (let at = 0; at < bytes.length; at += size) socket.write(bytes.subarray(at, at + size))
    // A request that is not whole ends with the client's side of the connection; a whole one with the answer.
    if (cutShort || bytes.length === 0) socket.end()
    else if (!sound) setTimeout(() => socket.writable && socket.end(), 500).unref()
  }

  const tellTales =
    /\bat (async )?[\w.<>]+ \(|node:internal|SQLITE|SQLSTATE|syntax error at|SELECT |INSERT INTO|nounkit_|\/src\//

  function faultOf(received: string): string | null {
    if (received === '') return null
    const { status, headers, body } = parseAnswer(received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, ''))
    // 501 and 505 tell of a transfer coding and a version of HTTP that the request names.
    if (!((status >= 200 && status < 500) || status === 501 || status === 505)) return `status ${status}`
    if (status >= 400 && headers.get('content-type') !== 'application/problem+json' && body !== '')
      return `a ${status} that is no problem`
    if (tellTales.test(body)) return 'an answer that tells of its inside'
    if (theirs.some((id) => body.includes(id) && !echoes(body, id))) return 'a row of another account'
    return null
  }

  /** An id that was sent may come back in a detail or a link; what must not come back is a row. */
  const echoes = (body: string, id: string): boolean => !body.includes(`"id":"${id}"`)

  async function attack(requests: HostileRequest[]): Promise<void> {
    const queue = requests.values()
    const worker = async () => {
      for (const request of queue) {
        const shown = () =>
          `seed ${seed}:\n${JSON.stringify(request.bytes.toString('latin1').slice(0, 4_000))}`
        const received = await exchange(request).catch((error: Error) => {
          throw new Error(`${error.message}, ${shown()}`)
        })
        const fault = request.sound && received === '' ? 'no answer' : faultOf(received)
        if (fault) throw new Error(`${fault}, ${shown()}\n→ ${received.slice(0, 2_000)}`)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
  }

  test(`${count} hostile requests: no 500, no hang, no leak, no growth of memory`, {
    timeout: nightly ? 3_600_000 : 240_000,
  }, async () => {
    const before = JSON.stringify(await everything(globex))
    const batch = Math.ceil(count / 5)
    const heap: number[] = []
    for (let done = 0; done < count; done += batch) {
      await attack(fc.sample(hostileRequests(known), { numRuns: batch, seed: seed + done }))
      heap.push(await heapOf(server))
    }
    expect(server.output).not.toMatch(/"level":(50|60)/)
    expect((await get('/v2/orders?limit=1', known.keys[0] ?? '')).data).toHaveLength(1)
    expect(JSON.stringify(await everything(globex))).toBe(before)
    const [warm = 0, ...later] = heap
    expect(later.at(-1), `megabytes held after each batch: ${heap.map(Math.round).join(', ')}`).toBeLessThan(
      warm + 10,
    )
  })
})
