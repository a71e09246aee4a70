import { createWriteStream, existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Child, nounkit, shell } from '../support/child.ts'
import { emptyDatabase, temporaryFolder, walkedStores } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { isMistake, run } from './run.ts'

const api = `
import { api } from 'nounkit'
import { projects } from './projects.ts'
import { tasks } from './tasks.ts'

export default api('errands', { resources: [projects, tasks], seed: { accounts: ['acme'] } })
`
const projects = `
import { hasMany, resource } from 'nounkit'
import { z } from 'zod'

export const projects = resource('projects', {
  fields: { name: z.string().max(100) },
  relations: { tasks: hasMany('tasks') },
  sort: ['name'],
})
`
const tasks = `
import { belongsTo, resource } from 'nounkit'
import { z } from 'zod'
import { next } from './numbers.ts'

export const tasks = resource('tasks', {
  fields: { title: z.string().max(100), number: z.int().optional() },
  relations: { project: belongsTo('projects', { optional: true }) },
  sort: ['title'],
  hooks: {
    beforeCreate(row) {
      if (row.title === 'break') throw new Error('the hook broke')
      row.number = next()
    },
  },
})
`
const numbers = `
let last = 0
export const next = () => ++last
`

/** A project with a declaration of four files, as a text editor would change them. */
function project() {
  const folder = declarationFolder(api)
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  write('projects.ts', projects)
  write('tasks.ts', tasks)
  write('numbers.ts', numbers)
  return { folder, write }
}

interface Dev {
  readonly child: Child
  readonly url: string
  readonly key: string
  /** Does something, and waits until that was followed by such output. */
  after(act: () => unknown, pattern: RegExp): Promise<string>
  call(method: string, path: string, body?: object): Promise<Reply>
}

interface Reply {
  readonly status: number
  readonly text: string
}

/** `beforeReady` is called with the URL once the process was started. */
async function startDev(
  folder: string,
  databaseUrl: string,
  beforeReady: (child: Child, url: string) => unknown = () => {},
): Promise<Dev> {
  const url = `http://127.0.0.1:${await freePort()}`
  const child = nounkit(['dev', folder, '--port', new URL(url).port], {
    env: { DATABASE_URL: databaseUrl, NOUNKIT_RATE: 'off' },
  })
  await beforeReady(child, url)
  await child.line(new RegExp(`is ready: ${url}`))
  const [, key = ''] = await child.line(/^ {2}acme {2}(nk_\w+)/)
  return {
    child,
    url,
    key,
    async after(act, pattern) {
      const from = child.output.length
      await act()
      await until(() => pattern.test(child.output.slice(from)), { within: 120_000 }).catch((error: Error) => {
        throw new Error(`${pattern} was not printed. This was:\n${child.output.slice(from)}`, {
          cause: error,
        })
      })
      return child.output.slice(from)
    },
    call: (method, path, body) => exchange(url + path, method, key, body),
  }
}

const exchange = (url: string, method: string, key: string, body?: object, agent?: Agent) =>
  new Promise<Reply>((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const outgoing = request(url, { method, headers, ...(agent && { agent }) })
    outgoing.once('error', reject)
    outgoing.once('response', (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      incoming.once('error', reject)
      incoming.once('end', () => resolve({ status: incoming.statusCode ?? 0, text }))
    })
    outgoing.end(body && JSON.stringify(body))
  })

const root = fileURLToPath(new URL('../..', import.meta.url))

const isNightly = process.env.NOUNKIT_NIGHTLY === '1'

describe.each(walkedStores)('nounkit dev, on %s', (kind) => {
  const { folder, write } = project()
  const reloaded = /reloaded in \d+ ms/
  let atFirst: Reply
  let dev: Dev
  beforeAll(async () => {
    write('tasks.ts', tasks.replace("sort: ['title']", "sort: ['titel']"))
    dev = await startDev(folder, await emptyDatabase(kind), async (child, url) => {
      await child.line(/Nothing is served yet\. Waiting for a change\./)
      atFirst = await exchange(`${url}/v1/tasks`, 'GET', '')
      write('tasks.ts', tasks)
    })
  })

  test('started with a mistake, it answers with the mistake until that is corrected', async () => {
    expect(atFirst.status).toBe(503)
    expect(atFirst.text).toContain('"titel" is not a field of tasks')
    expect((await dev.call('GET', '/v1/tasks')).status).toBe(200)
  })

  test('prints a line for each request', async () => {
    const line = await dev.after(
      () => dev.call('POST', '/v1/tasks', { title: 'Water the tomatoes' }),
      /POST \/v1\/tasks .*\n/,
    )
    expect(line).toMatch(/^POST \/v1\/tasks {2}201 {2}[\d.]+ ms {2}1 statement\n/m)
    const read = await dev.after(() => dev.call('GET', '/v1/tasks?limit=1'), /GET .*\n/)
    expect(read).toMatch(/^GET \/v1\/tasks\?limit=1 {2}200 {2}[\d.]+ ms {2}1 statement\n/m)
  })

  test('serves what was changed, with fresh modules', async () => {
    expect((await dev.call('POST', '/v1/tasks', { title: 'a' })).text).toContain('"number":2')
    const filtered = tasks.replace("sort: ['title']", "sort: ['title'], filter: ['number']")
    await dev.after(() => write('tasks.ts', filtered), reloaded)
    expect((await dev.call('GET', '/v1/tasks?filter%5Bnumber%5D=2')).status).toBe(200)
    expect((await dev.call('POST', '/v1/tasks', { title: 'b' })).text).toContain('"number":1')
  })

  test('mistakes are shown with their place in the file that has them, and the old API goes on', async () => {
    type Wrong = readonly [file: string, text: string, shown: RegExp]
    const moreAtNight: readonly Wrong[] = [
      ['api.ts', 'export default 1', /api\.ts does not export an API/],
      ['numbers.ts', '', /does not provide an export named 'next'/],
      [
        'tasks.ts',
        tasks.replace('fields: {', 'fields: { due: z.bigint(),'),
        /tasks\.ts:7:13 {2}tasks\.fields\.due: /,
      ],
    ]
    const wrong: readonly Wrong[] = [
      ...(isNightly ? moreAtNight : []),
      [
        'tasks.ts',
        tasks.replace("sort: ['title']", "sort: ['titel']"),
        /tasks\.ts:9:10 {2}tasks\.sort: "titel" is not a field of tasks\. Did you mean "title"\?\n[^>]*> +9 \| {3}sort: \['titel'\],\n +\| {10}\^\n/,
      ],
      ['tasks.ts', tasks.slice(0, tasks.indexOf('  hooks')), /tasks\.ts:\d+:\d+\n[^>]*> +\d+ \|/],
      [
        'numbers.ts',
        `throw new Error('not today')\n${numbers}`,
        /not today \(.*numbers\.ts:1\)\n.*numbers\.ts:1:7\n> 1 \| throw/,
      ],
      [
        'tasks.ts',
        tasks.replace('./numbers.ts', './numerals.ts'),
        /tasks\.ts:4:22\n[^>]*> 4 \| import \{ next \} from '.\/numerals\.ts'/,
      ],
    ]
    const good: { readonly [name: string]: string } = {
      'api.ts': api,
      'tasks.ts': tasks,
      'numbers.ts': numbers,
    }
    let last = ''
    for (const [name, text, shown] of wrong) {
      if (last !== '' && last !== name) write(last, good[last] ?? '')
      last = name
      const all = new RegExp(`${shown.source}[\\s\\S]*Waiting for a change`)
      expect(await dev.after(() => write(name, text), all)).toContain('The API answers as before.')
      expect((await dev.call('GET', '/v1/tasks')).status).toBe(200)
    }
  })

  test('a file may be missing when it is first imported, be deleted, and be restored by a rename', async () => {
    await dev.after(() => write('numerals.ts', numbers), reloaded)
    const [file, other] = [join(folder, 'api.ts'), join(folder, 'api.bak')]
    await dev.after(() => renameSync(file, other), /has no declaration.*\n[\s\S]*Waiting/)
    expect((await dev.call('GET', '/v1/tasks')).status).toBe(200)
    await dev.after(() => renameSync(other, file), reloaded)
  })

  test('an error of a hook is shown with its stack and its code', async () => {
    const said = await dev.after(() => dev.call('POST', '/v1/tasks', { title: 'break' }), /500 /)
    expect(said).toMatch(/Error: the hook broke\n +at .*beforeCreate.*tasks\.ts:12:40\)\n[^>]*> 12 \|/)
  })

  test('the store follows, and what would lose data is refused where nobody can be asked', async () => {
    expect((await dev.call('POST', '/v1/projects', { name: 'Garden' })).status).toBe(201)
    const optional = projects.replace('z.string().max(100)', 'z.string().max(100).optional()')
    const followed = await dev.after(() => write('projects.ts', optional), /is optional now\./)
    expect(followed).toMatch(/reloaded in \d+ ms\nprojects\.name is optional now\.\n/)
    expect((await dev.call('GET', '/v1/projects')).text).toContain('"name":"Garden"')
    const dropped = projects
      .replace('name: z.string().max(100)', 'size: z.int().optional()')
      .replace("'name'", "'size'")
    const said = await dev.after(() => write('projects.ts', dropped), /Waiting/)
    expect(said).toMatch(/projects\.name[\s\S]*Nobody can be asked, because this is not a terminal\./)
    expect(said).toContain(`Use nounkit migrate ${folder} --accept-data-loss`)
    expect((await dev.call('GET', '/v1/projects?sort=name')).text).toContain('"name":"Garden"')
  })

  test('no request is refused while the API is reloaded, on new and on kept connections', async () => {
    const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: false })]
    let isOver = false
    const callers = agents.map(async (agent) => {
      const statuses: number[] = []
      while (!isOver) {
        statuses.push(
          (await exchange(`${dev.url}/v1/tasks?limit=1`, 'GET', dev.key, undefined, agent)).status,
        )
        await sleep(10)
      }
      agent.destroy()
      return statuses
    })
    // The first change is an addition. For the second one a table is rebuilt.
    for (const field of ['one: z.int().optional()', 'one: z.string().optional()'])
      await dev.after(
        () => write('projects.ts', projects.replace('fields: {', `fields: { ${field}, `)),
        reloaded,
      )
    isOver = true
    const statuses = (await Promise.all(callers)).flat()
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  test('webhooks to this machine are allowed, also without TLS', async () => {
    const told = api.replace('resources:', 'events: { keepDays: 1 }, resources:')
    await dev.after(() => write('api.ts', told), reloaded)
    const endpoint = (url: string) =>
      dev.call('POST', '/v1/webhook-endpoints', { url, event_types: ['tasks.created'] })
    expect((await endpoint('http://localhost:9/hook')).status).toBe(201)
    expect((await endpoint('http://10.0.0.1/hook')).text).toContain('leads to an address that is not public')
  })

  test('a second one on the same port is refused in a sentence', async () => {
    const { port } = new URL(dev.url)
    const second = await run(['dev', folder, '--port', port])
    expect(isMistake(second), second.stderr).toBe(true)
    expect(second.stderr).toMatch(
      /^Port \d+ on 127\.0\.0\.1 is in use\. Stop what uses it, or choose another: --port \d+\n$/,
    )
  })

  test('ends at SIGTERM with all its processes', async () => {
    const processes = childrenOf(dev.child.pid)
    expect(processes.length).toBeGreaterThan(0)
    expect(await dev.child.kill()).toEqual({ code: 0, signal: null })
    expect(processes.filter(isAlive)).toEqual([])
    expect(dev.child.stderr).toMatch(/^request \S+ failed: Error: the hook broke/)
  })
})

test('types are checked after each reload; a second nounkit dev on the store is told of the first', async () => {
  const { folder, write } = project()
  for (const name of ['typescript', '@typescript'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  // Only the file that imports nothing: the types of the engine's own source take long.
  const compilerOptions = { module: 'nodenext', strict: true, types: [], noEmit: true }
  write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['numbers.ts'] }))
  write('numbers.ts', numbers.replace('() =>', '(): string =>'))
  const databaseUrl = await emptyDatabase('sqlite')
  const first = await startDev(folder, databaseUrl)
  await first.child.line(
    /have mistakes:\n\n\S*numbers\.ts:3:35 {2}Type 'number' is not assignable to type 'string'\.\n[^>]*> 3 \| export const next = .*\n +\| +\^\n/,
  )
  expect((await first.call('POST', '/v1/tasks', { title: 'Water' })).status).toBe(201)
  expect(first.child.output).not.toContain('also served')
  const second = nounkit(['dev', folder, '--port', '0'], { env: { DATABASE_URL: databaseUrl } })
  await second.line(
    /^Warning: this store is also served by process \d+ on \S+\. While both run, neither can change the store/,
  )
  await second.kill('SIGTERM')
  await first.after(() => write('numbers.ts', numbers), /The types are right again\./)
})

test('a rename of a published version is done at once, and a conversion once the person agrees, else the command is said', async () => {
  const source = (field: string, depth: string, versions: string) => `
import { api, changeType, renameField, resource, version } from 'nounkit'
import { z } from 'zod'
const wells = resource('wells', { fields: { ${field}: z.string(), depth: ${depth} } })
export default api('water', { resources: [wells], versions: [${versions}] })
`
  const digits = 'z.string().regex(/^-?[0-9]{1,15}$/)'
  const folder = declarationFolder(source('label', digits, "version('v1', { published: '2026-01-01' })"))
  const env = { DATABASE_URL: await emptyDatabase('sqlite') }
  expect((await run(['publish', folder, 'v1'], { env })).code).toBe(0)
  expect((await run(['migrate', folder], { env })).code).toBe(0)
  const older = (more: string) =>
    `version('v2'), version('v1', { published: '2026-01-01', changes: [renameField('wells', 'label', 'name'), ${more}] })`
  writeFileSync(join(folder, 'api.ts'), source('name', digits, older('')))
  const renaming = nounkit(['dev', folder, '--port', '0'], { env })
  await renaming.line(/^wells\.label is name now/)
  await renaming.line(/is ready.*\(v2, v1; sqlite\)/)
  await renaming.kill('SIGTERM')
  const typed = `changeType('wells', 'depth', { was: ${digits}, codec: 'integer-as-string' })`
  writeFileSync(join(folder, 'api.ts'), source('name', 'z.int()', older(typed)))
  const told = nounkit(['dev', folder, '--port', '0'], { env })
  await told.line(
    /^- wells\.depth was text in v1 .*\nNothing was changed\. Stop nounkit dev, run nounkit migrate \S+, /,
  )
  await told.kill('SIGTERM')
  const { child, keyboard } = await onTerminal(['dev', folder, '--port', '0'], env)
  await child.line(/Change it now, as nounkit migrate \S+ does\? All rows are kept\.\r?\n +1\) yes/)
  keyboard.write('1\n')
  await child.line(/is ready.*\(v2, v1; sqlite\)/)
  keyboard.write('r\n')
  await child.line(/^The API has a published version \(v2, v1\).* use nounkit reset \S+ --force water\./)
  expect(child.output).not.toContain('[y/N]')
  keyboard.write('q\n')
  expect(await child.ended).toEqual({ code: 0, signal: null })
  keyboard.destroy()
})

test('killed, even in an endless loop, it leaves no process and frees the port; the key is not shown again', async () => {
  const { folder, write } = project()
  const databaseUrl = await emptyDatabase('sqlite')
  const first = await startDev(folder, databaseUrl)
  expect(first.key).not.toBe('')
  const { port } = new URL(first.url)
  await first.after(
    () => write('numbers.ts', "console.log('turning')\nfor (;;) {}\nexport const next = 1"),
    /turning/,
  )
  const processes = childrenOf(first.child.pid)
  await first.child.kill('SIGKILL')
  await until(() => !processes.some(isAlive))
  write('numbers.ts', numbers)
  const second = nounkit(['dev', folder, '--port', port], {
    env: { DATABASE_URL: databaseUrl, NOUNKIT_RATE: 'off' },
  })
  await second.line(/is ready/)
  await second.line(
    /^The key "dev" of acme was shown when it was made\. For another key: nounkit keys create \S+ --account acme --name NAME$/,
  )
  expect(second.output).not.toContain('nk_')
  expect((await exchange(`${first.url}/v1/tasks`, 'GET', first.key)).status).toBe(200)
})

test('on a terminal, letters open the docs, reset the data, show the last statement with its plan, and quit; losses are asked about', async () => {
  const { folder, write } = project()
  const opened = join(folder, 'opened')
  writeFileSync(join(folder, 'browser'), `#!/bin/sh\necho "$1" > ${opened}\n`, { mode: 0o755 })
  const [port, databaseUrl] = [await freePort(), await emptyDatabase('sqlite')]
  const url = `http://127.0.0.1:${port}`
  const start = () =>
    onTerminal(['dev', folder, '--port', String(port)], {
      DATABASE_URL: databaseUrl,
      BROWSER: join(folder, 'browser'),
    })
  let { child: dev, keyboard } = await start()
  await dev.line(new RegExp(`is ready: ${url}`))
  const [, key = ''] = await dev.line(/^ {2}acme {2}(nk_\w+)/)
  await dev.line(/^Letters, each with Enter: o opens the docs/)
  keyboard.write('o\n')
  await until(() => readFileSync(opened, 'utf8') === `${url}/docs\n`)
  expect((await exchange(`${url}/v1/tasks`, 'POST', key, { title: 'Water' })).status).toBe(201)
  expect((await exchange(`${url}/v1/tasks`, 'GET', key)).status).toBe(200)
  keyboard.write('s\n')
  await dev.line(/^The last statement, of GET \/v1\/tasks, for sqlite:/)
  await dev.line(/^Bound: "acme"/)
  await dev.line(/^ +SEARCH t1/)
  const without = tasks.replace(' number: z.int().optional()', '').replace('row.number = next()', 'next()')
  write('tasks.ts', without)
  await dev.line(/\b1 row\b.*\r?\nDo it all the same\?\r?\n +1\) yes, lose it\r?\n +2\) no, change nothing/)
  expect((await exchange(`${url}/v1/tasks`, 'POST', key, { title: 'Weed' })).status).toBe(201)
  keyboard.write('1\n')
  await dev.line(/\b2 rows\b.*\r?\nDo it all the same\?\r?\n +1\) yes, lose it\r?\n +2\) no, change nothing/)
  const meanwhile = await exchange(`${url}/v1/tasks`, 'POST', key, { title: 'Mow' })
  expect([meanwhile.status, meanwhile.text]).toEqual([503, expect.stringMatching(/\b2 rows\b/)])
  keyboard.write('2\n')
  await dev.line(
    /nothing was changed:\r?\n- .*\b2 rows\b.*\r?\n.*save it once more to be asked again\.\r?\nNothing is served\. Waiting/,
  )
  write('tasks.ts', tasks)
  await dev.line(/reloaded in/)
  expect((await exchange(`${url}/v1/tasks`, 'POST', key, { title: 'Mow' })).status).toBe(201)
  write('tasks.ts', without)
  await dev.line(/\b3 rows\b[^)]*1\) yes/)
  keyboard.write('2\n')
  await dev.line(/\b3 rows\b.*\r?\n.*save it once more to be asked again\.\r?\nThe API answers as before/)
  write('tasks.ts', `${without}\n`)
  await dev.line(/as before[\s\S]*\b3 rows\b[^)]*1\) yes/)
  keyboard.write('q\n')
  expect(await dev.ended).toEqual({ code: 0, signal: null })
  keyboard.destroy()
  ;({ child: dev, keyboard } = await start())
  await dev.line(/\b3 rows\b[^)]*1\) yes/)
  const early = await exchange(`${url}/v1/tasks`, 'GET', key)
  expect([early.status, early.text]).toEqual([
    503,
    expect.stringMatching(/\b3 rows\b[\s\S]*Answer in the terminal/),
  ])
  keyboard.write('x\n')
  await dev.line(/^Answer with a number from 1 to 2, or quit with q\./)
  keyboard.write('2\n')
  await dev.line(/^Nothing is served yet\. Waiting/)
  const declined = await exchange(`${url}/v1/tasks`, 'GET', key)
  expect([declined.status, declined.text]).toEqual([
    503,
    expect.stringMatching(/\b3 rows\b[\s\S]*save it once more to be asked again/),
  ])
  const misspelt = "fields: { phase: states('planned', { planned: ['finished', 'finishd'] }),"
  write('tasks.ts', without.replace('fields: {', misspelt).replace('resource }', 'resource, states }'))
  await dev.line(/served yet[\s\S]*\b3 rows\b[^)]*1\) yes/)
  keyboard.write('1\n')
  await dev.line(/is ready/)
  await dev.line(/^tasks\.number is no longer declared: its values in 3 rows were lost\./)
  await dev.line(
    /^Warning: tasks\.fields\.phase: no move leaves the state "finished", whose name is nearly "finishd"/,
  )
  keyboard.write('r\n')
  await dev.line(/^Delete all rows of the store, and insert those of the seed again\? Keys stay\. \[y\/N\]/)
  keyboard.write('y\n')
  await dev.line(/^Reset: the API was reloaded in/)
  const { text } = await exchange(`${url}/v1/tasks`, 'GET', key)
  expect(JSON.parse(text).data).toEqual([])
  keyboard.write('q\n')
  expect(await dev.ended).toEqual({ code: 0, signal: null })
  keyboard.destroy()
})

/** A command whose standard input is a terminal. */
async function onTerminal(args: readonly string[], env: { readonly [name: string]: string }) {
  const typed = join(temporaryFolder(), 'typed')
  const node = `${process.execPath} --conditions=nounkit-source ${fileURLToPath(new URL('../../bin/nounkit.js', import.meta.url))}`
  const child = shell(
    `mkfifo ${typed} && exec script -qec '${node} ${args.join(' ')}' /dev/null < ${typed}`,
    { env: { NO_COLOR: '1', ...env } },
  )
  await until(() => existsSync(typed))
  return { child, keyboard: createWriteStream(typed) }
}

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)

/** A process that has ended may wait for its parent to notice. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
