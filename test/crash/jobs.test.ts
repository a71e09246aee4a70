import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openService } from '../../src/serve/service.ts'
import { type Child, nounkit } from '../support/child.ts'
import { emptyDatabase, type StoreKind, storeKinds, temporaryFolder } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { newKey, startServer } from '../support/server-process.ts'
import { openForTest } from '../support/stores.ts'
import { until } from '../support/until.ts'
import { nightly } from './nightly.ts'

const kills = nightly ? 30 : 2

/** Every run says in a file when it begins and ends: `begin PID ID ATTEMPT`. */
const source = `
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { api, every, job, resource } from 'nounkit'
import { z } from 'zod'

const log = (...words) => appendFileSync(process.env.JOB_LOG, words.join(' ') + '\\n')
const run = async (id, attempt, ms) => {
  log('begin', process.pid, id, attempt)
  await sleep(ms)
  log('end', process.pid, id, attempt)
}
const loans = resource('loans', {
  fields: { text: z.string() },
  problems: { no: { status: 409, title: 'No' } },
  hooks: {
    async afterCreate({ id, text }, { later, reject }) {
      await later('note', { id, text })
      if (text === 'undone') reject({ code: 'no', detail: 'No.' })
    },
  },
})
export default api('desk', {
  resources: [loans],
  jobs: {
    note: job(
      z.object({ id: z.string(), text: z.string() }),
      ({ id, text }, { attempt }) => run(id, attempt, text === 'slow' ? 1_000 : Math.random() * 100),
      { retries: Array(40).fill('0s') },
    ),
    tick: every('1s', ({ attempt }) => run('tick', attempt, 300)),
  },
})
`

async function prepare(kind: StoreKind) {
  const folder = declarationFolder(source)
  const databaseUrl = await emptyDatabase(kind)
  const { default: declaration } = await import(/* @vite-ignore */ join(folder, 'api.ts'))
  await (await openService({ declaration, databaseUrl })).close()
  const key = await newKey(databaseUrl)
  const log = join(temporaryFolder(), 'runs.log')
  appendFileSync(log, '')
  const env = { JOB_LOG: log }
  const worker = async (): Promise<Child> => {
    const child = nounkit(['work', folder], {
      env: { DATABASE_URL: databaseUrl, NOUNKIT_LOG: 'error', ...env },
    })
    await child.line(/works: note, tick/)
    return child
  }
  const web = await startServer(databaseUrl, { api: folder, key, env, args: ['--jobs', 'off'] })
  const store = await openForTest(databaseUrl)
  return { web, worker, log, store }
}

interface Line {
  readonly what: string
  readonly pid: string
  readonly id: string
}
const linesOf = (log: string): readonly Line[] =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [what = '', pid = '', id = ''] = line.split(' ')
      return { what, pid, id }
    })

/** Jobs that began while another living process ran them. */
function runTwiceAtOnce(lines: readonly Line[]): readonly Line[] {
  const running = new Map<string, string>()
  const killed = new Set<string>()
  return lines.filter(({ what, pid, id }) => {
    if (what === 'killed') killed.add(pid)
    const other = running.get(id)
    if (what === 'begin') running.set(id, pid)
    if (what === 'end') running.delete(id)
    return what === 'begin' && other !== undefined && !killed.has(other)
  })
}

// What a kill leaves behind on SQLite, http/jobs-runner shows too.
describe.each(nightly ? storeKinds : (['postgres'] as const))('jobs on %s', (kind) => {
  test(`of processes that are killed ${kills} times none is lost, none runs twice at once, and none that was undone runs`, {
    timeout: (kills * 20 + 120) * 1_000,
  }, async () => {
    const { web, worker, log, store } = await prepare(kind)
    const [steady, first] = await Promise.all([worker(), worker()])
    let mortal = first
    let over = false
    let made = 0
    const write = async (): Promise<void> => {
      for (let turn = 0; !over; turn++) {
        const text = turn % 5 === 0 ? 'undone' : 'kept'
        const { status } = await web.call('POST', '/v1/loans', { body: { text } })
        expect(status).toBe(text === 'undone' ? 409 : 201)
        made++
        await sleep(10)
      }
    }
    const writing = Promise.all([write(), write()])
    const isRunning = ({ pid }: Child): boolean => {
      const own = linesOf(log).filter((line) => line.pid === String(pid) && line.id !== 'tick')
      return own.at(-1)?.what === 'begin'
    }
    for (let killed = 0; killed < kills; killed++) {
      await until(() => isRunning(mortal), { every: 3 })
      await mortal.kill('SIGKILL')
      appendFileSync(log, `killed ${mortal.pid}\n`)
      mortal = await worker()
    }
    over = true
    await writing
    expect(made).toBeGreaterThan(10)
    await until(
      async () => (await store.all(`SELECT 1 FROM "nounkit_jobs" WHERE "name" = 'note'`, [])).length === 0,
    )
    const rows = new Set((await store.all('SELECT "id" FROM "loans"', [])).map(([id]) => String(id)))
    const lines = linesOf(log)
    expect(lines.filter(({ what, id }) => what === 'begin' && id !== 'tick' && !rows.has(id))).toEqual([])
    const ended = new Set(lines.filter(({ what }) => what === 'end').map(({ id }) => id))
    expect([...rows].filter((id) => !ended.has(id))).toEqual([])
    expect(runTwiceAtOnce(lines)).toEqual([])
    expect(ended.has('tick')).toBe(true)

    // A process that is asked to end lets its jobs end, and begins no more.
    await mortal.kill('SIGKILL')
    const { text } = await web.call('POST', '/v1/loans', { body: { text: 'slow' } })
    const { id } = (JSON.parse(text) as { data: { id: string } }).data
    await until(() => linesOf(log).some((line) => line.id === id))
    expect(await steady.kill('SIGTERM')).toEqual({ code: 0, signal: null })
    expect(
      linesOf(log)
        .filter((line) => line.id === id)
        .map(({ what }) => what),
    ).toEqual(['begin', 'end'])
  })
})
