import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { runHere } from '../cli/in-process.ts'
import { emptyDatabase } from '../support/databases.ts'
import { declarationFolder, librarySource } from '../support/declaration-folder.ts'
import { newKey, type Reply, type ServerProcess, startServer } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { workerPids } from './worker-pids.ts'

let api: string
let databaseUrl: string
let key: string

beforeAll(async () => {
  api = declarationFolder(librarySource())
  databaseUrl = await emptyDatabase('sqlite')
  expect(await runHere(['migrate', api], { env: { DATABASE_URL: databaseUrl } })).toMatchObject({ code: 0 })
  key = await newKey(databaseUrl)
})

/** A create that has reached the service and is not answered yet. */
async function slowCreate(
  server: ServerProcess,
  milliseconds = 300,
): Promise<{ readonly reply: Promise<Reply> }> {
  const title = `${milliseconds} ms`
  const reply = server.call('POST', '/v1/books', { key, body: { title } })
  reply.catch(() => {})
  await server.child.line(new RegExp(`creating ${title}`))
  return { reply }
}

test.each([
  ['SIGTERM', []],
  ['SIGINT', []],
  ['SIGTERM', ['--workers', '2']],
] as const)(
  '%s %j finishes the request in flight, takes no new one, and ends with 0',
  async (signal, args) => {
    const server = await startServer(databaseUrl, { api, args })
    const { reply } = await slowCreate(server)
    const ended = server.child.kill(signal)
    await until(() =>
      fetch(server.url).then(
        () => false,
        () => true,
      ),
    )
    expect((await reply).status).toBe(201)
    expect(await ended).toEqual({ code: 0, signal: null })
  },
)

test('Ctrl-C, which reaches primary and workers alike, still finishes the request in flight', async () => {
  const server = await startServer(databaseUrl, {
    api,
    args: ['--workers', '2'],
    env: { NOUNKIT_LOG: 'info' },
  })
  const workers = await workerPids(server, 2)
  const { reply } = await slowCreate(server)
  for (const pid of workers) process.kill(pid, 'SIGINT')
  const ended = server.child.kill('SIGINT')
  expect((await reply).status).toBe(201)
  expect(await ended).toEqual({ code: 0, signal: null })
})

test.each([[[]], [['--workers', '2']]])('a second signal ends it at once %j', async (args: string[]) => {
  const server = await startServer(databaseUrl, { api, args })
  const { reply } = await slowCreate(server, 9_000)
  void server.child.kill('SIGTERM')
  await sleep(50)
  expect(await server.child.kill('SIGTERM')).toEqual({ code: 130, signal: null })
  await expect(reply).rejects.toThrow()
})
