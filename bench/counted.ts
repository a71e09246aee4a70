import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KeyRing } from '../src/guard/key-ring.ts'
import { openStore } from '../src/store/open.ts'
import { startPostgres } from '../test/support/own-postgres.ts'
import { type Contender, startNounkit } from './contender.ts'

/**
 * How much longer a list takes that also counts the 1,000 rows which its filter finds among 20,000: `node bench/counted.ts [seconds]`. Both
 * are sent to the same process, in turns.
 */
const seconds = Number(process.argv[2] ?? 1)
const turns = 5
const rowsFound = 1_000
const titles = 20
const aim = 2

const agent = new Agent({ keepAlive: true })

const call = ({ port, key }: Contender, method: string, path: string, body?: object): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const sent = request({ port, path: `/v1${path}`, method, headers, agent }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => {
        text += part
      })
      answer.once('end', () => (Number(answer.statusCode) < 300 ? resolve(text) : reject(new Error(text))))
    })
    sent.once('error', reject)
    sent.end(body && JSON.stringify(body))
  })

/** Milliseconds of one call, while four are sent at a time. */
async function costOf(send: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  let calls = 0
  const callUntilEnd = async () => {
    while (performance.now() - begin < seconds * 1_000) {
      await send()
      calls++
    }
  }
  await Promise.all(Array.from({ length: 4 }, callUntilEnd))
  return (performance.now() - begin) / calls
}

const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0

async function fill(served: Contender): Promise<void> {
  const cart = JSON.parse(await call(served, 'POST', '/carts', { name: 'a' })).data.id
  for (let at = 0; at < titles * rowsFound; at += 100) {
    const data = Array.from({ length: 100 }, (_, row) => ({
      cart_id: cart,
      title: `title ${(at + row) % titles}`,
      quantity: 2,
      price: 950,
    }))
    await call(served, 'POST', '/lines', { data })
  }
}

async function measure(store: string, url: string): Promise<void> {
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
    await fill(served)
    const path = '/lines?filter[title]=title%207'
    const sides = {
      list: () => costOf(() => call(served, 'GET', path)),
      counted: () => costOf(() => call(served, 'GET', `${path}&count=true`)),
    }
    await sides.list()
    await sides.counted()
    const figures = { list: [] as number[], counted: [] as number[] }
    for (let turn = 0; turn < turns; turn++)
      for (const side of ['list', 'counted'] as const) figures[side].push(await sides[side]())
    const [list, counted] = [median(figures.list), median(figures.counted)]
    const { page } = JSON.parse(await call(served, 'GET', `${path}&count=true`))
    console.log(
      `${store}: ${list.toFixed(2)} ms for a page, ${counted.toFixed(2)} ms with a count of ${page.total}: ${(counted / list).toFixed(2)} times (aim: under ${aim})`,
    )
  } finally {
    await started.stop()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'nounkit-counted-'))
const postgres = await startPostgres()
try {
  await measure('SQLite', `sqlite:${join(folder, 'lines.db')}`)
  await measure('PostgreSQL', postgres.url)
} finally {
  agent.destroy()
  await postgres.stop()
  rmSync(folder, { recursive: true })
}
