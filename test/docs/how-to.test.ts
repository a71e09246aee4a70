import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { api, job, resource } from 'nounkit'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { isValid } from '../../src/compile/schemas/validate.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { openStore } from '../../src/store/open.ts'
import { testApi } from '../../src/testing.ts'
import { nodeScript, program } from '../support/child.ts'
import { emptyDatabase, storeKinds, temporaryFolder } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { installedBun } from '../support/installed-bun.ts'
import { listeningShop } from '../support/listening-shop.ts'
import { blocksOf, markOf, tableBelow } from './markdown.ts'
import { emptyProject, shopProject, startSession } from './session.ts'
import { snippetFile } from './snippet-files.ts'

test.each(['documents', 'keys-and-tokens', 'versions', 'migrations', 'bring-your-data'])(
  'the commands of %s do what it shows',
  async (name) => {
    const env = { DATABASE_URL: `sqlite:${join(temporaryFolder(), 'shop.db')}` }
    const session = await startSession({ folder: shopProject(), env })
    await session.follow(`docs/how-to/${name}.md`)
  },
)

test('the ids that bring-your-data makes from old ones are those of every resource, with a prefix and without', async () => {
  const program = blocksOf('docs/how-to/bring-your-data.md').find(
    (block) => markOf(block, 'file') === 'new-id.mjs',
  )
  if (!program) throw new Error('docs/how-to/bring-your-data.md shows no new-id.mjs')
  const { newId } = await import(/* @vite-ignore */ pathToFileURL(snippetFile(program)).href)
  const { resources } = compileApi(
    api('music', {
      resources: [
        resource('albums', { idPrefix: 'al_', fields: { title: z.string().max(9) } }),
        resource('songs', { fields: { title: z.string().max(9) } }),
      ],
    }),
  )
  for (const { idPrefix, field } of resources.values())
    for (const old of [0, 17, 2 ** 53 - 1, 'A-17', ''])
      expect(isValid(field.get('id')?.schema ?? {}, newId(old, idPrefix))).toBe(true)
  expect(newId(9)).not.toBe(newId('9'))
  expect([9, 10, 300].map((old) => newId(old))).toEqual([9, 10, 300].map((old) => newId(old)).toSorted())
})

test('the commands of rules-on-rows do what it shows, with the declaration that it shows', async () => {
  const folder = emptyProject()
  const session = await startSession({ folder, env: { DATABASE_URL: `sqlite:${join(folder, 'desk.db')}` } })
  await session.follow('docs/how-to/rules-on-rows.md')
})

test.each(storeKinds)(
  'the recipe of apps-for-end-users keeps people apart without scopes (%s)',
  async (kind) => {
    const [block] = blocksOf('docs/how-to/apps-for-end-users.md').filter(
      (one) => markOf(one, 'file') === 'api.ts',
    )
    if (!block) throw new Error('docs/how-to/apps-for-end-users.md shows no api.ts')
    const { default: declaration } = await import(/* @vite-ignore */ pathToFileURL(snippetFile(block)).href)
    const served = await testApi(declaration, { databaseUrl: await emptyDatabase(kind) })
    const caller = async (subject: string, claims: { readonly [name: string]: unknown }) => {
      const key = await served.key('acme', { scopes: [], subject, claims })
      return async (method: string, path: string, body?: object) => {
        const response = await served.fetch(path, {
          method,
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        })
        const { data } = (await response.json()) as { data: { id: string } & readonly unknown[] }
        return { status: response.status, data }
      }
    }
    const [mia, noa, staff, nobody] = await Promise.all([
      caller('mia', { role: 'member' }),
      caller('noa', { role: ['staff'] }),
      caller('sam', { role: 'staff' }),
      caller('eve', {}),
    ])
    const made = await mia('POST', '/v1/requests', { text: 'The lamp is broken.' })
    expect(made).toMatchObject({ status: 201, data: { member: 'mia' } })
    const path = `/v1/requests/${made.data.id}`
    const seen = async (call: typeof mia) => [
      (await call('GET', '/v1/requests')).data.length,
      (await call('GET', path)).status,
      (await call('PATCH', path, { status: 'answered' })).status,
    ]
    expect(await seen(noa)).toEqual([0, 404, 404])
    expect(await seen(nobody)).toEqual([0, 404, 404])
    expect(await seen(mia)).toEqual([1, 200, 403])
    expect(await seen(staff)).toEqual([1, 200, 200])
    await served.close()
  },
)

test('the commands of change-your-mind do what it shows', async () => {
  const folder = emptyProject()
  const session = await startSession({ folder, env: { DATABASE_URL: `sqlite:${join(folder, 'plans.db')}` } })
  await session.follow('docs/how-to/change-your-mind.md')
})

test('the test shown for an API of one’s own passes', async () => {
  const [api, tests] = blocksOf('docs/how-to/testing.md').filter((block) => markOf(block, 'file'))
  if (!api || !tests) throw new Error('docs/how-to/testing.md shows no API or no test of it')
  snippetFile(api)
  const child = nodeScript(snippetFile(tests))
  expect(await child.ended, child.output).toEqual({ code: 0, signal: null })
  expect(child.stdout).toMatch(/^# pass 3$|^ℹ pass 3$/m)
})

type Shown = { readonly id: string; readonly number: number }

test('the hooks on the page do what it says', async () => {
  const [shown] = blocksOf('docs/how-to/hooks.md').filter((block) => block.marks.includes('compile'))
  if (!shown) throw new Error('docs/how-to/hooks.md shows no hooks')
  const { default: desk } = await import(/* @vite-ignore */ pathToFileURL(snippetFile(shown)).href)
  const api = await testApi(desk)
  const headers = { Authorization: `Bearer ${await api.key('acme')}`, 'Content-Type': 'application/json' }
  const call = async (method: string, path: string, body?: object) => {
    const response = await api.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return (response.status === 204 ? {} : await response.json()) as { data: Shown }
  }
  const { data: project } = await call('POST', '/v1/projects', { name: 'Docs' })
  const ticket = { project_id: project.id, subject: 'It is dark' }
  const { data: first } = await call('POST', '/v1/tickets', ticket)
  expect([first.number, (await call('POST', '/v1/tickets', ticket)).data.number]).toEqual([1, 2])
  expect(await call('DELETE', `/v1/tickets/${first.id}`)).toMatchObject({ type: '/problems/ticket-open' })
  await call('PATCH', `/v1/tickets/${first.id}`, { open: false })
  expect((await call('GET', `/v1/tickets/${first.id}/events`)).data).toMatchObject([
    { what: 'closed by test-1' },
  ])
  expect(await call('DELETE', `/v1/tickets/${first.id}`)).toEqual({})
  await api.close()
})

test('the program that follows events prints each once, however often it is run', async () => {
  const blocks = blocksOf('docs/how-to/follow-what-happens.md')
  const shown = blocks.find((block) => block.marks.includes('compile'))
  const program = blocks.find((block) => markOf(block, 'file') === 'follow.mjs')
  if (!shown || !program) throw new Error('docs/how-to/follow-what-happens.md shows no API or no program')
  const { default: diary } = await import(/* @vite-ignore */ pathToFileURL(snippetFile(shown)).href)
  const { api, server, key, close } = await listeningShop({ declare: () => diary })
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const write = (text: string) =>
    api.fetch('/v1/notes', { method: 'POST', headers, body: JSON.stringify({ text }) })
  const env = { API_URL: server.url, API_KEY: key, CURSOR_FILE: join(temporaryFolder(), 'cursor.txt') }
  const run = async (): Promise<string> => {
    const child = nodeScript(snippetFile(program), [], { env })
    expect(await child.ended, child.output).toEqual({ code: 0, signal: null })
    return child.stdout
  }
  await write('one')
  expect(await run()).toBe('notes.created one\n')
  expect(await run()).toBe('')
  await write('two')
  await write('three')
  expect(await run()).toBe('notes.created two\nnotes.created three\n')
  await close()
})

const named = (name: string): string => {
  const block = blocksOf('docs/how-to/migrations.md').find((one) => markOf(one, 'name') === name)
  if (!block) throw new Error(`docs/how-to/migrations.md has no block named ${name}`)
  return block.language === 'ts' ? snippetFile(block) : block.text
}
const declarationIn = async (name: string): Promise<ApiDeclaration> =>
  (await import(/* @vite-ignore */ pathToFileURL(named(name)).href)).default

test.each(storeKinds)(
  'a store keeps its names over the renames that are shown, and the SQL shown for a tidy store moves every row (%s)',
  async (kind) => {
    const databaseUrl = await emptyDatabase(kind)
    const older = await testApi(await declarationIn('older'), { databaseUrl })
    const call = async (api: typeof older, path: string, body?: object) => {
      const headers = {
        Authorization: `Bearer ${await api.key('acme', { name: randomUUID() })}`,
        'Content-Type': 'application/json',
      }
      const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
      return (await (await api.fetch(path, { headers, ...init })).json()) as { data: { id: string } }
    }
    const client = await call(older, '/v1/clients', { full_name: 'Ada', email: 'ada@example.com' })
    const order = await call(older, '/v1/orders', { client_id: client.data.id, status: 'open' })
    await older.close()

    const declaration = await declarationIn('newer')
    const store = await openStore(databaseUrl)
    const isServed = async () => {
      const newer = await testApi(declaration, { databaseUrl })
      expect(await call(newer, `/v2/orders/${order.data.id}`)).toMatchObject({
        data: { customer_id: client.data.id, status: 'placed' },
      })
      expect(await call(newer, `/v1/orders/${order.data.id}`)).toEqual(order)
      expect(await call(newer, `/v1/clients/${client.data.id}`)).toEqual(client)
      await newer.close()
    }
    await isServed()
    const { steps } = await migrateStore(store, compileApi(declaration), { stops: true, tidy: true })
    const ran = steps.map(({ sql }) => sql).join(';\n')
    for (const statement of named('renames').trim().split(';\n'))
      expect(ran).toContain(statement.replace(/;$/, ''))
    await store.close()
    await isServed()
  },
)

test('the table of metrics lists those that are served', async () => {
  // What only some APIs have is shown, too.
  const remind = job(z.object({}), () => {})
  const shop = await listeningShop({
    declare: (declared) => ({ ...declared, events: { keepDays: 30 }, jobs: { remind } }),
  })
  const text = await (await fetch(`${shop.server.url}/metrics`)).text()
  await shop.close()
  const served = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [`\`${name}\``, type])
  const shown = tableBelow('docs/how-to/observability.md', '## Metrics')
  expect(shown.map(([name, type]) => [name, type])).toEqual(served)
})

describe('the servers of mount-in-your-server', () => {
  const blocks = blocksOf('docs/how-to/mount-in-your-server.md').filter((block) => markOf(block, 'file'))
  const files = (): ReadonlyMap<string, string> =>
    new Map(blocks.map((block) => [markOf(block, 'file') ?? '', snippetFile(block)]))

  test.each(['with-node-http.ts', 'with-express.ts', 'with-fastify.ts', 'with-hono.ts'])(
    '%s has the API beside a route of its own',
    async (name) => {
      const port = await freePort()
      const env = { PORT: String(port), DATABASE_URL: `sqlite:${join(temporaryFolder(), 'diary.db')}` }
      const child = nodeScript(files().get(name) ?? '', [], { env })
      await child.line(/^ready$/)
      const get = async (path: string) => await (await fetch(`http://localhost:${port}${path}`)).text()
      expect(JSON.parse(await get('/api/v1')).data.collections).toEqual({ notes: '/api/v1/notes' })
      expect(JSON.parse(await get('/api/v1/notes')).type).toBe('/api/problems/credentials-missing')
      expect(await get('/hello')).toBe('hello')
      child.kill('SIGKILL')
      await child.ended
    },
  )

  const bun = installedBun()
  test.skipIf(!bun)(
    'with-bun.ts has the API beside another answer (skipped where Bun is not installed)',
    async () => {
      const port = await freePort()
      const env = { PORT: String(port), DATABASE_URL: `sqlite:${join(temporaryFolder(), 'diary.db')}` }
      const child = program(bun ?? '', ['--conditions=nounkit-source', files().get('with-bun.ts') ?? ''], {
        env,
      })
      files()
      await child.line(/^Started .*server/)
      const get = async (path: string) => await (await fetch(`http://localhost:${port}${path}`)).text()
      expect(JSON.parse(await get('/api/v1')).data.collections).toEqual({ notes: '/api/v1/notes' })
      expect(await get('/hello')).toBe('hello')
      child.kill('SIGKILL')
      await child.ended
    },
  )

  test('nightly.ts calls the API in the same process', async () => {
    const env = { DATABASE_URL: `sqlite:${join(temporaryFolder(), 'diary.db')}` }
    const child = nodeScript(files().get('nightly.ts') ?? '', [], { env })
    expect(await child.ended, child.output).toEqual({ code: 0, signal: null })
    expect(child.stdout).toBe('1\n')
  })
})
