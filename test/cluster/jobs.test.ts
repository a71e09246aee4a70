import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nounkit } from '../support/child.ts'
import { temporaryFolder } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { startServer } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { keyOf, startCluster } from './cluster.ts'

const source = `
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { api, every, job, resource } from 'nounkit'
import { z } from 'zod'

const log = (...words) => appendFileSync(process.env.JOB_LOG, words.join(' ') + '\\n')
const loans = resource('loans', {
  fields: { text: z.string() },
  hooks: { afterCreate: ({ id, text }, { later }) => later('note', { id, text }, text === 'once' ? { unique: 'once', at: '2999-01-01T00:00:00Z' } : {}) },
})
export default api('desk', {
  resources: [loans],
  jobs: {
    note: job(z.object({ id: z.string(), text: z.string() }), async ({ id, text }, { account, attempt, find }) => {
      log('begin', id, account, attempt, process.pid)
      if (text === 'hangs' && attempt === 1) await sleep(600_000)
      log('end', id, account, attempt, (await find('loans', id))?.text)
    }),
    tick: every('1s', () => log('tick')),
  },
})
`
const accounts = ['acme', 'globex', 'initech', 'umbrella']

test('jobs live with their accounts: all are done once, one of each unique, and those of a process that was killed are taken over', async ({
  task,
}) => {
  const folder = declarationFolder(source)
  const { coordinator, sql } = await startCluster({ api: folder })
  const log = join(temporaryFolder(), 'runs.log')
  appendFileSync(log, '')
  const env = { JOB_LOG: log }
  const lines = () =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
  const worker = async () => {
    const child = nounkit(['work', folder], {
      env: { DATABASE_URL: coordinator.url, NOUNKIT_LOG: 'error', ...env },
    })
    await child.line(/works: note, tick/)
    return child
  }
  const web = await startServer(coordinator.url, { api: folder, env, args: ['--jobs', 'off'] })
  const keys = await Promise.all(accounts.map((account) => keyOf(coordinator.url, account)))
  const create = async (at: number, text: string) => {
    const { status } = await web.call('POST', '/v1/loans', {
      body: { text },
      key: keys[at % accounts.length] ?? '',
    })
    expect(status).toBe(201)
  }
  const [first, second] = [await worker(), await worker()]
  for (let at = 0; at < 100; at++) await create(at, `${at}`)
  for (let at = 0; at < 8; at++) await create(at, 'once')
  const ended = () => lines().filter(([what]) => what === 'end')
  await until(() => ended().length === 100)
  expect(new Set(ended().map(([, id]) => id)).size).toBe(100)
  expect(await sql`SELECT count(*)::int AS jobs FROM nounkit_jobs WHERE unique_text = 'once'`).toEqual([
    { jobs: 4 },
  ])
  await create(0, 'hangs')
  const hanging = await until(() =>
    lines().find(([what, id]) => what === 'begin' && !ended().some(([, other]) => other === id)),
  )
  const killedAt = performance.now()
  await (String(first.pid) === hanging[4] ? first : second).kill('SIGKILL')
  await until(() => ended().some(([, id, , attempt]) => id === hanging[1] && attempt === '2'))
  const took = performance.now() - killedAt
  expect(ended().map(([, , , , text]) => text)).toContain('hangs')
  await until(() => lines().some(([what]) => what === 'tick'))
  task.meta.figure = `108 jobs of 4 accounts; taken over ${(took / 1_000).toFixed(1)} s after a kill`
})
