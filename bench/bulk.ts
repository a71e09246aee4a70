import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KeyRing } from '../src/guard/key-ring.ts'
import { openStore } from '../src/store/open.ts'
import { startPostgres } from '../test/support/own-postgres.ts'
import { type Contender, startNounkit } from './contender.ts'
import { type Client, connectTo } from './raw-client.ts'
import { usageOf } from './usage.ts'

/**
 * How many rows a second lists of 100 create, over single creates that share commits, without and with an Idempotency-Key:
 * `node bench/bulk.ts [seconds]`. All are sent to the same process, in turns.
 */
const seconds = Number(process.argv[2] ?? 3)
const turns = 5
const rowsOfList = 100
const aims = { SQLite: 5, PostgreSQL: 10 }

/** What is sent: so many calls at a time as get the most rows out of it, each of which creates so many rows. */
interface Side {
  readonly rows: number
  readonly atOnce: number
  readonly text: () => string
}

/** Rows a second, and the microseconds that one takes of the server's processor. */
interface Pace {
  readonly perSecond: number
  readonly cpuMicros: number
}

async function paceOf({ port, pid }: Contender, { rows, atOnce, text }: Side): Promise<Pace> {
  const clients = await Promise.all(Array.from({ length: atOnce }, () => connectTo(port)))
  const cpuBefore = usageOf(pid).cpuMicros
  const begin = performance.now()
  let made = 0
  const callUntilEnd = async (client: Client) => {
    while (performance.now() - begin < seconds * 1_000) {
      await client.ask(text())
      made += rows
    }
  }
  await Promise.all(clients.map(callUntilEnd))
  const perSecond = (made * 1_000) / (performance.now() - begin)
  for (const client of clients) client.close()
  return { perSecond, cpuMicros: (usageOf(pid).cpuMicros - cpuBefore) / made }
}

/** One by one, and as lists. */
async function sidesOf({ port, key }: Contender, isKeyed: boolean): Promise<readonly [Side, Side]> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const cart = await fetch(`http://127.0.0.1:${port}/v1/carts`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'a' }),
  })
  const { data } = (await cart.json()) as { data: { id: string } }
  const line = { cart_id: data.id, title: 'from the benchmark', quantity: 2, price: 950 }
  const head = `POST /v1/lines HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  const side = (rows: number, atOnce: number, body: object): Side => {
    const json = JSON.stringify(body)
    const rest = `Content-Length: ${json.length}\r\n\r\n${json}`
    return {
      rows,
      atOnce,
      text: () => (isKeyed ? `${head}Idempotency-Key: ${randomUUID()}\r\n${rest}` : head + rest),
    }
  }
  return [side(1, 64, line), side(rowsOfList, 16, { data: Array(rowsOfList).fill(line) })]
}

/** By rows a second. */
const median = (paces: readonly Pace[]): Pace =>
  paces.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(paces.length / 2)] as Pace

const shown = ({ perSecond, cpuMicros }: Pace): string =>
  `${Math.round(perSecond)} rows/s (${cpuMicros.toFixed(1)} µs of the server each)`

async function compare(name: string, served: Contender, isKeyed: boolean): Promise<string> {
  const sides = await sidesOf(served, isKeyed)
  const paces: [Pace[], Pace[]] = [[], []]
  for (const side of sides) await paceOf(served, side)
  for (let turn = 0; turn < turns; turn++)
    for (const [at, side] of sides.entries()) paces[at]?.push(await paceOf(served, side))
  const [single, lists] = [median(paces[0]), median(paces[1])]
  const times = (lists.perSecond / single.perSecond).toFixed(1)
  return `${name}: ${shown(single)} one by one, ${shown(lists)} in lists of ${rowsOfList}: ${times} times`
}

async function measure(store: keyof typeof aims, url: string): Promise<void> {
  const api = new URL('bulk-lines', import.meta.url).pathname
  const started = await startNounkit({ name: store, url, key: '', processor: null, api })
  try {
    const opened = await openStore(url)
    const { secret: key } = await new KeyRing(opened).create({
      account: 'acme',
      name: 'bench',
      scopes: ['*'],
    })
    await opened.close()
    const served = { ...started, key }
    console.log(`${await compare(store, served, false)} (aim: ${aims[store]})`)
    console.log(await compare(`${store}, with keys`, served, true))
  } finally {
    await started.stop()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'nounkit-bulk-'))
const postgres = await startPostgres()
try {
  await measure('SQLite', `sqlite:${join(folder, 'lines.db')}`)
  await measure('PostgreSQL', postgres.url)
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true })
}
