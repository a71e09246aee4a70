import { join } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import shop from '../../examples/shop/api.ts'
import { systemClock } from '../../src/clock.ts'
import { OperatorRing } from '../../src/console/operators/operator-ring.ts'
import { api, resource, version } from '../../src/index.ts'
import { listen } from '../../src/serve/listen.ts'
import { openService, type ServiceOptions } from '../../src/serve/service.ts'
import { testApi } from '../../src/testing.ts'
import { runHere } from '../cli/in-process.ts'
import { whenOver } from '../support/clean-up.ts'
import { memoryFolder } from '../support/memory-folder.ts'
import { OperatorBrowser } from '../support/operator-browser.ts'

const newUrl = () => `sqlite:${join(memoryFolder('nounkit-console-'), 'test.db')}`

/** The shop with an operator, on ports. */
const serve = async (place: ServiceOptions['console']) => {
  const service = await openService({
    declaration: shop,
    databaseUrl: newUrl(),
    beatMs: null,
    ...(place && { console: place }),
  })
  await new OperatorRing(service.store, systemClock).create('ada')
  const served = await listen({
    service,
    log: { logger: { error() {}, info() {} }, accessLog: null },
    port: 0,
    host: '127.0.0.1',
    ownsProcess: false,
  })
  whenOver(async () => {
    await served.stop({ graceMs: 100 })
    await service.close()
  })
  return served
}
const statusOf = async (url: string) => (await fetch(url, { redirect: 'manual' })).status

it('with a port of its own, the console is there and not beside the API, and the API is not on that port', async () => {
  const { url, consoleUrl } = await serve('own port')
  expect(await statusOf(`${url}/console/sign-in`)).toBe(404)
  expect(await statusOf(`${url}/v2`)).toBe(200)
  const page = await (await fetch(`${consoleUrl}/console/sign-in`)).text()
  const [, styles = ''] = /href="(\/assets\/console-[^"]+)"/.exec(page) ?? []
  expect(await statusOf(`${consoleUrl}${styles}`)).toBe(200)
  expect(await statusOf(`${consoleUrl}/`)).toBe(303)
  for (const path of ['/v2', '/docs', '/orders', '/metrics'])
    expect(await statusOf(consoleUrl + path)).toBe(404)
})

it('a console that is off is nowhere', async () => {
  const { url, consoleUrl } = await serve('nowhere')
  expect([consoleUrl, await statusOf(`${url}/console/sign-in`)]).toEqual([null, 404])
})

it('below a prefix, every link, form and redirect of the console stays below it', async () => {
  const service = await openService({
    declaration: shop,
    databaseUrl: newUrl(),
    beatMs: null,
    prefix: '/api',
  })
  const { webFetch } = await import('../../src/serve/mounted.ts')
  const fetchIt = webFetch(service, () => {})
  whenOver(async () => {
    fetchIt.close()
    await service.close()
  })
  const send = (path: string | Request, init?: RequestInit) =>
    fetchIt(new Request(new URL(String(path), 'http://localhost'), init), 'test')
  const browser = new OperatorBrowser({ fetch: send })
  const code = await new OperatorRing(service.store, systemClock).create('ada')
  const form = { password: 'correct horse battery', again: 'correct horse battery' }
  const done = await browser.send('POST', `/api/console/welcome?code=${code}`, { form })
  expect(done.location).toBe('/api/console')
  expect(done.headers.get('set-cookie')).toContain('Path=/api/console;')
  for (const path of [
    '/api/console/data',
    '/api/console/data?account=acme',
    '/api/console/data/list/orders?account=acme',
  ]) {
    const { status, text } = await browser.get(path)
    expect(status).toBe(200)
    const places = [...text.matchAll(/(?:href|action|src)="([^"#]*)/g)].map(([, place = '']) => place)
    expect(places.length).toBeGreaterThan(4)
    expect(places.filter((place) => place !== '' && !place.startsWith('/api/'))).toEqual([])
  }
})

it('nounkit operators makes the link with which the console opens', async () => {
  const databaseUrl = newUrl()
  const env = { DATABASE_URL: databaseUrl }
  const made = await runHere(
    ['operators', 'create', 'examples/shop', 'ada', '--url', 'https://api.example.com/'],
    { env },
  )
  expect(made.code, made.stderr).toBe(0)
  const [, code = ''] =
    /https:\/\/api\.example\.com\/console\/welcome\?code=(\w{32})\n/.exec(made.stdout) ?? []
  // In the folder of the API it need not be named. An API alone names nobody.
  const again = await runHere(['operators', 'create', 'ada'], { env, cwd: 'examples/shop' })
  const nobody = await runHere(['operators', 'create', 'examples/shop'], { env })
  expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('Write the name of the operator')])
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('nounkit operators link ada')])
  const api = await testApi(shop, { databaseUrl })
  whenOver(() => api.close())
  const browser = new OperatorBrowser(api)
  expect((await browser.useLink(code)).status).toBe(303)
  const listed = await runHere(['operators', 'list', 'examples/shop'], { env })
  expect(listed.stdout).toMatch(/^ada {2}active {2}since /)
  expect((await runHere(['operators', 'revoke', 'examples/shop', 'ada'], { env })).code).toBe(0)
  expect((await browser.get('/console/data')).status).toBe(303)
  expect((await runHere(['operators', 'create', 'examples/shop', 'A B'], { env })).code).toBe(2)
})

it('where a rule may keep rows from an operator, the page says so, and the rule holds', async () => {
  const notes = resource('notes', {
    fields: { text: z.string(), author: z.string() },
    rules: { read: ({ row, caller }) => row.author.is(caller.claim('who')) },
  })
  const served = await testApi(
    api('notes', { accounts: 'one', resources: [notes], versions: [version('v1')] }),
  )
  whenOver(() => served.close())
  const key = await served.key({ claims: { who: 'mia' } })
  const body = JSON.stringify({ text: 'of mia alone', author: 'mia' })
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': 'first-note',
  }
  const made = await served.fetch('/v1/notes', { method: 'POST', headers, body })
  const { data } = (await made.json()) as { data: { id: string } }
  const ada = await OperatorBrowser.signedIn(served)
  const list = await ada.get('/console/data/list/notes')
  expect(list.text).toContain('A rule decides who sees which notes.')
  expect(list.text).not.toContain('of mia alone')
  expect((await ada.get(`/console/data/row/notes/${data.id}`)).status).toBe(404)
})
