import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KeyRing } from '../src/guard/key-ring.ts'
import { openStore } from '../src/store/open.ts'
import { startPostgres } from '../test/support/own-postgres.ts'
import { type Contender, startNounkit } from './contender.ts'

/**
 * How many rows a second lists of 100 create, over single creates that share commits: `node bench/bulk.ts [seconds]`. Both are sent to the
 * same process, in turns.
 */
const seconds = Number(process.argv[2] ?? 3)
const turns = 5
const rowsOfList = 100
const aims = { SQLite: 5, PostgreSQL: 10 }
/** As many calls at a time as get the most rows out of each side. */
const atOnce = { single: 64, list: 4 }

const agent = new Agent({ keepAlive: true })

const post = ({ port, key }: Contender, path: string, body: object): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const sent = request({ port, path: `/v1${path}`, method: 'POST', headers, agent }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => {
        text += part
      })
      answer.once('end', () => (answer.statusCode === 201 ? resolve(text) : reject(new Error(text))))
    })
    sent.once('error', reject)
    sent.end(JSON.stringify(body))
  })

/** Rows a second of calls that create `rows` each. */
async function pace(rows: number, calls: number, call: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  let made = 0
  const callUntilEnd = async () => {
    while (performance.now() - begin < seconds * 1_000) {
      await call()
      made += rows
    }
  }
  await Promise.all(Array.from({ length: calls }, callUntilEnd))
  return (made * 1_000) / (performance.now() - begin)
}

const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0

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
    const cart = JSON.parse(await post(served, '/carts', { name: 'a' })).data.id
    const line = { cart_id: cart, title: 'from the benchmark', quantity: 2, price: 950 }
    const list = { data: Array(rowsOfList).fill(line) }
    const sides = {
      single: () => pace(1, atOnce.single, () => post(served, '/lines', line)),
      list: () => pace(rowsOfList, atOnce.list, () => post(served, '/lines', list)),
    }
    await sides.single()
    await sides.list()
    const figures = { single: [] as number[], list: [] as number[] }
    for (let turn = 0; turn < turns; turn++)
      for (const side of ['single', 'list'] as const) figures[side].push(await sides[side]())
    const [single, lists] = [median(figures.single), median(figures.list)]
    console.log(
      `${store}: ${Math.round(single)} rows/s one by one, ${Math.round(lists)} rows/s in lists of ${rowsOfList}: ${(lists / single).toFixed(1)} times (aim: ${aims[store]})`,
    )
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
  agent.destroy()
  await postgres.stop()
  rmSync(folder, { recursive: true })
}
