import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { CommandCode } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { tableBelow } from '../docs/markdown.ts'
import { emptyDatabase, temporaryFolder } from '../support/databases.ts'
import { declarationFolder, librarySource } from '../support/declaration-folder.ts'
import { runHere } from './in-process.ts'
import { isMistake } from './run.ts'

const names = Object.keys(commands)
const codeOf = async (name: string): Promise<CommandCode> => {
  const code = await commands[name]?.load()
  if (!code) throw new Error(`no command ${name}`)
  return code
}

describe.each(names)('nounkit %s', (name) => {
  test('has a help with every option and examples that use it', async () => {
    const { options } = await codeOf(name)
    const ran = await runHere(['help', name])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(await runHere([name, '--help'])).toEqual(ran)
    expect(await runHere([name, 'x', '-h'])).toEqual(ran)
    expect(ran.stdout).toMatch(new RegExp(`^nounkit ${name}\\b.*\\n  [a-z].*\\n\\nOptions\\n`))
    for (const [option, { does }] of Object.entries(options)) {
      if (does === undefined) continue
      expect(ran.stdout).toMatch(new RegExp(`^  (-., )?--${option}\\b`, 'm'))
      expect(ran.stdout).toContain(does)
    }
    const examples = commands[name]?.examples ?? []
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) {
      expect(ran.stdout).toContain(`\n  ${example}\n`)
      expect(example).toMatch(new RegExp(`\\bnounkit ${name}\\b`))
      for (const [, option = ''] of example.matchAll(/ --([\w-]+)/g)) expect(options).toHaveProperty(option)
    }
  })

  test('suggests the option that was probably meant, and ends with 2', async () => {
    const { options } = await codeOf(name)
    for (const [option, { does }] of Object.entries(options)) {
      if (does === undefined) continue
      const ran = await runHere([name, `--${option}x`])
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toContain(
        `Unknown option '--${option}x'. Did you mean "--${option}"?\nUsage: nounkit ${name}`,
      )
    }
    expect(await runHere([name, '--zzzzzzzzzzzz'])).toMatchObject({ code: 2, stdout: '' })
  })

  test('refuses an argument too many, with its usage', async () => {
    const ran = await runHere([name, 'a', 'b', 'c', 'd', ...(needed[name] ?? [])])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/^"\w" is one argument too many\.\nUsage: nounkit /)
  })
})

/** What a command needs besides the API, in the shop. */
const needed: { readonly [name: string]: readonly string[] } = {
  accounts: ['list'],
  keys: ['list'],
  operators: ['list'],
  openapi: ['v1'],
  publish: ['v1'],
  diff: ['v1', 'v2'],
  guide: ['v1'],
  explain: ['GET /v2/orders'],
  events: ['--account', 'acme'],
  contact: ['v1', '--consumer', 'ci', '--note', 'mail'],
  retire: ['v1', '--dry-run'],
  import: ['rows.jsonl'],
  copy: ['--to', 'sqlite:other.db'],
  backup: ['copy.db'],
}

test('the current folder is the API where none is named: without a declaration it is said what to do', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'rows.jsonl'), '{}')
  for (const name of names) {
    if (!commands[name]?.usage.includes('[API]')) continue
    const ran = await runHere([name, ...(needed[name] ?? [])], { cwd })
    expect(isMistake(ran), `${name}: ${ran.stderr}`).toBe(true)
    expect(ran.stderr).toMatch(/^The current folder has no declaration \(api\.ts\)\. Name the folder of one/)
  }
})

describe('in the folder of an API', () => {
  const cwd = 'examples/shop'
  let env: { readonly DATABASE_URL: string }
  const shop = (...args: string[]) => runHere(args, { cwd, env })
  beforeAll(async () => {
    env = { DATABASE_URL: await emptyDatabase('sqlite') }
    expect((await shop('migrate')).code).toBe(0)
    expect((await shop('keys', 'create', '--account', 'acme', '--name', 'ci')).code).toBe(0)
  })

  test('commands need no folder, and take one all the same', async () => {
    for (const name of [
      'check',
      'openapi',
      'diff',
      'guide',
      'explain',
      'events',
      'usage',
      'export',
      'keys',
    ]) {
      const args = needed[name] ?? []
      const ran = await shop(name, ...args)
      expect(ran, name).toMatchObject({ code: 0, stderr: '' })
      const named = ['keys', 'accounts'].includes(name) ? [...args, '.'] : ['.', ...args]
      expect(await shop(name, ...named), name).toEqual(ran)
    }
    expect((await shop('guide', 'v1', 'v2')).stdout).toBe((await shop('guide', '.', 'v1')).stdout)
  })

  test('a wrong version or resource is answered with the one that was probably meant', async () => {
    const told = async (...args: string[]) => (await shop(...args)).stderr
    for (const args of [
      ['openapi', 'V2'],
      ['diff', 'v1', 'V2'],
      ['guide', 'v1', 'V2'],
      ['usage', '--version', 'V2'],
    ])
      expect(await told(...args)).toBe('There is no version "V2". Did you mean "v2"? There are v2, v1.\n')
    expect(await told('export', '--resource', 'order')).toContain('Did you mean "orders"?')
    expect(await told('import', 'api.ts', '--resource', 'order')).toContain('Did you mean "orders"?')
  })

  test.each([
    [['serve', '--port', 'abc'], '--port is "abc"'],
    [['serve', '--port', '3000', '--ops-port', '3000'], 'cannot both have port 3000'],
    [['dev', '--host', ''], '--host is empty'],
    [['serve', '--workers', '0'], '--workers is "0"'],
    [['migrate', '--shards', '3'], '--shards is for a Citus cluster'],
    [['migrate', '--citus', '--shards', 'x'], '--shards is "x"'],
    [['migrate', '--fill', 'note=none'], '--fill note=none: write resource, field and value'],
    [['keys', 'create', '--account', 'a', '--name', 'b', '--expires', '90'], '--expires is "90"'],
    [['keys', 'create', '--account', 'a', '--name', 'b', '--kind', 'robot'], '--kind is "robot"'],
    [['keys', 'create', '--account', 'a', '--name', 'b', '--subject', ''], '--subject is ""'],
    [['keys', 'create', '--account', 'a', '--name', 'b', '--claim', 'x'], '--claim "x" has no value'],
    [['audit', '--account', 'acme', '--store'], 'leave it or --account out'],
    [['jobs', 'retry', '7'], '"7" is not the id of a job'],
    [['explain', 'POST /v2/orders'], 'POST writes'],
    [['retire', 'v1', '--window', '30'], '--window is "30"'],
    [['import', 'rows.jsonl', '--account', ''], '--account is ""'],
    [['copy', '--from', 'sqlite:a.db', '--to', 'sqlite:a.db'], 'name the same store'],
    [['init', ' '], 'is no name for a folder'],
  ])('a value of the wrong form is a wrong command line, which ends with 2: %j', async (args, message) => {
    const ran = await shop(...args)
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
    expect(ran.stderr).toMatch(new RegExp(`\\nUsage: nounkit ${args[0]}`))
  })

  test('a name that the declaration does not have ends with 1, as does a wrong variable', async () => {
    for (const args of [
      ['openapi', 'v9'],
      ['migrate', '--citus'],
      ['export', '--resource', 'order'],
      ['keys', 'create', '--account', 'a', '--name', 'b', '--scopes', 'order:read'],
    ])
      expect(await shop(...args)).toMatchObject({ code: 1, stdout: '' })
    const ran = await runHere(['serve'], { cwd, env: { ...env, PORT: 'abc' } })
    expect(ran).toMatchObject({
      code: 1,
      stderr: 'PORT is "abc". It must be a whole number from 0 to 65535.\n',
    })
  })

  test('a command with a typo is answered with the one that was probably meant, help included', async () => {
    expect((await shop('hlep')).stderr).toBe(
      'There is no command "hlep". Did you mean "help"? nounkit help lists all.\n',
    )
  })

  /** The members of what `--json` prints, as the reference has them. */
  const documented = new Map(
    tableBelow('docs/reference/cli.md', '## Output for machines').map(([command = '', members = '']) => [
      /^`([^`]+)`/.exec(command)?.[1] ?? '',
      [...members.matchAll(/`(\w+)`/g)].map(([, member]) => member),
    ]),
  )

  test('--json prints what the reference says, for every command that has it', async () => {
    const folder = temporaryFolder()
    const rows = join(folder, 'rows.jsonl')
    writeFileSync(rows, '{"name":"Ada","email":"ada@example.com"}')
    const apart = { cwd: declarationFolder(librarySource()), env: { DATABASE_URL: 'sqlite:apart.db' } }
    expect((await runHere(['migrate'], apart)).code).toBe(0)
    const told = async (...args: string[]) => (await shop(...args, '--json')).stdout
    const ci = ['--account', 'acme', '--name', 'ci']
    await told('keys', 'create', '--account', 'gone', '--name', 'gone')
    const said = new Map([
      ['check', await told('check')],
      ['migrate', await told('migrate', '--dry-run')],
      ['reset', (await runHere(['reset', '--json'], apart)).stdout],
      ['keys list', await told('keys', 'list')],
      ['keys create', await told('keys', 'create', '--account', 'acme', '--name', 'other')],
      ['keys rotate', await told('keys', 'rotate', ...ci)],
      ['keys end-subject', await told('keys', 'end-subject', 'acme', 'nobody')],
      ['keys end-issuer', await told('keys', 'end-issuer', 'https://issuer.example')],
      ['operators create', await told('operators', 'create', 'ada')],
      ['operators link', await told('operators', 'link', 'ada')],
      ['operators list', await told('operators', 'list')],
      ['operators revoke', await told('operators', 'revoke', 'ada')],
      ['publish', (await runHere(['publish', 'v1', '--json'], apart)).stdout],
      ['diff', await told('diff', 'v1', 'v2')],
      ['explain', await told('explain', 'GET /v2/orders')],
      ['usage', await told('usage')],
      ['jobs', await told('jobs')],
      ['jobs retry', await told('jobs', 'retry', '00000000-0000-7000-8000-000000000000')],
      ['contact', await told('contact', 'v1', '--consumer', 'ci', '--note', 'mail')],
      ['retire', await told('retire', 'v1', '--dry-run')],
      ['import', await told('import', rows, '--resource', 'customers', '--account', 'acme')],
      ['events', await told('events', '--account', 'acme', '--type', 'customers.created')],
      ['accounts list', await told('accounts', 'list')],
      ['accounts delete', await told('accounts', 'delete', '--account', 'gone', '--yes', 'gone')],
      ['audit', await told('audit', '--account', 'acme')],
      ['copy', await told('copy', '--to', `sqlite:${join(folder, 'copy.db')}`)],
      ['backup', await told('backup', join(folder, 'backup.db'))],
      ['keys revoke', await told('keys', 'revoke', ...ci)],
    ])
    for (const [command, text] of said) {
      const json = JSON.parse(
        command === 'events' || command === 'audit' ? (text.split('\n')[0] ?? '') : text,
      )
      const members = Object.keys(Array.isArray(json) ? json[0] : json)
      expect(members.toSorted(), command).toEqual(documented.get(command)?.toSorted())
    }
    expect([...documented.keys()].toSorted()).toEqual([...said.keys()].toSorted())
    const withJson: string[] = []
    for (const name of names) if ('json' in (await codeOf(name)).options) withJson.push(name)
    expect(withJson.toSorted()).toEqual(
      [...new Set([...said.keys()].map((one) => one.split(' ')[0]))].toSorted(),
    )
  })

  test('check --json has the mistakes of a declaration, and ends with 1', async () => {
    const folder = declarationFolder(librarySource({ fields: 'fullName: z.string(),' }))
    const { code, stdout, stderr } = await runHere(['check', folder, '--json'])
    expect([code, stderr]).toEqual([1, ''])
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, mistakes: [{ where: 'books.fields.fullName' }] })
  })
})

test('colours are for terminals: NO_COLOR takes them away, FORCE_COLOR gives them', async () => {
  const start = String.fromCharCode(27)
  const diff = async (env: { readonly [name: string]: string }) =>
    (await runHere(['diff', 'examples/shop', 'v1', 'v2'], { env })).stdout
  const plain = await diff({})
  expect(plain).not.toContain(start)
  expect(await diff({ NO_COLOR: '1' })).toBe(plain)
  const coloured = await diff({ FORCE_COLOR: '1' })
  expect(coloured).toContain(`${start}[31mbreaking${start}[39m  clients → customers`)
  expect(coloured.replaceAll(/\u001b\[\d+m/g, '')).toBe(plain)
  expect((await runHere(['help'], { env: { FORCE_COLOR: '1' } })).stdout).toContain(
    `${start}[1mStart${start}[22m`,
  )
})
