import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Child, nounkit } from '../support/child.ts'
import { until } from '../support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'nounkit-workers-'))
const env = { DATABASE_URL: `sqlite:${join(folder, 'shop.db')}`, NOUNKIT_LOG: 'info', NOUNKIT_RATE: 'off' }
let service: Child
let url: string

beforeAll(async () => {
  service = nounkit(['serve', 'examples/shop', '--port', '0', '--workers', '2'], { env })
  url = (await service.line(/(http:\/\/\S+)/))[1] ?? ''
  await until(twoProcesses, { within: 60_000, what: 'two workers' })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// A connection each, so that the workers take turns.
const get = (path: string, headers = {}) =>
  fetch(url + path, { headers: { Connection: 'close', ...headers } })
const figure = async (name: string) => {
  const text = await (await get('/metrics')).text()
  return Number(text.match(new RegExp(`^${name} (\\S+)$`, 'm'))?.[1])
}

const twoProcesses = async () => (await figure('nounkit_processes')) === 2

test('two workers share one port, and the figures are of both', async () => {
  for (let i = 0; i < 20; i++) expect((await get('/v2')).status).toBe(200)
  const counted = 'nounkit_requests_total\\{method="GET",route="none",version="none",status="200"\\}'
  expect(await figure(counted)).toBe(20)
})

test('a worker that is killed is replaced, and the service goes on', async () => {
  const [, pid] = await service.line(/"pid":(\d+)/)
  process.kill(Number(pid), 'SIGKILL')
  await service.line(/another takes its place/)
  await until(twoProcesses, { within: 30_000, what: 'a new worker' })
  for (let i = 0; i < 4; i++) expect((await get('/v2')).status).toBe(200)
})

test('SIGTERM ends all of them in order', async () => {
  expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null })
  await expect(get('/v2')).rejects.toThrow()
})
