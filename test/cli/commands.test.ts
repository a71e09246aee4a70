import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { shell } from '../support/child.ts'
import { emptyDatabase, temporaryFolder } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { machinePath } from '../support/user-machine.ts'
import { runHere } from './in-process.ts'
import { isMistake, run } from './run.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('help lists every command with what it does, by group', async () => {
  const { code, stdout } = await run(['help'])
  expect(code).toBe(0)
  const listed = [...stdout.matchAll(/^ {2}(\w+) [^\n]* {2}\S/gm)].map(([, name]) => name)
  expect(listed.toSorted()).toEqual(Object.keys(commands).toSorted())
  expect(stdout).toMatch(/\n\nStart\n {2}init \[DIR\] {2}/)
  expect(await runHere(['--help'])).toMatchObject({ code: 0, stdout })
})

test('without a command the help is shown, and the exit code is not 0', async () => {
  const { code, stdout } = await runHere([])
  expect(code).toBe(2)
  expect(stdout).toContain('serve [API]')
})

test('the version is that of the package', async () => {
  expect((await runHere(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('an unknown command is refused with the one that was probably meant', async () => {
  expect(await run(['chek', 'examples/shop'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'There is no command "chek". Did you mean "check"? nounkit help lists all.\n',
  })
  expect(await runHere(['help', 'chek'])).toMatchObject({ code: 2, stdout: '' })
  expect(await runHere(['help', 'help'])).toMatchObject(await runHere(['help']))
  // A name that every object has is no command.
  expect(await runHere(['constructor'])).toMatchObject({ code: 2 })
})

test.each([
  [
    ['check', '--strict', 'examples/shop'],
    2,
    /^Unknown option '--strict'\. .*\nUsage: nounkit check \[API\]/,
  ],
  [
    ['serve', 'examples/shop', '--prot', '3500'],
    2,
    /^Unknown option '--prot'\. Did you mean "--port"\?\nUsage: /,
  ],
  [['serve', '--port'], 2, /^Option '--port <value>' argument missing\nUsage: /],
  [['serve', 'examples/shop', '3000'], 2, /^"3000" is one argument too many/],
  [
    ['keys'],
    2,
    /^What to do with keys\? Write one of create, list, revoke, rotate, end-subject, end-issuer after it.*\nUsage: nounkit keys/,
  ],
  [['keys', 'lits'], 2, /^"keys lits" is not a command\. Did you mean "list"\?/],
  [['openapi', 'examples/shop'], 2, /^Which version\? There are v2, v1\.\nUsage: nounkit openapi/],
  [['openapi', 'exmaples/shop'], 1, /^There is no file or folder "exmaples\/shop"\.\n$/],
  [['diff', 'examples/shop', 'v1', 'v3'], 1, /^There is no version "v3"\. Did you mean/],
])('%j is refused with what to write', async (args, code, message) => {
  const ran = await runHere(args)
  expect(ran).toMatchObject({ code, stdout: '' })
  expect(ran.stderr).toMatch(message)
})

test('a declaration that never finishes loading is reported, with exit code 1', async () => {
  const ran = await run(['check', declarationFolder('await new Promise(() => {})\nexport default null')])
  expect(isMistake(ran), ran.stderr).toBe(true)
  expect(ran.stderr).toMatch(/^The command waits for something that never happens\. .*\n$/)
})

describe('wherever it is called from', () => {
  test('paths are relative to the working directory', async () => {
    const ran = await run(['check', 'shop'], { cwd: join(root, 'examples') })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^shop\/api\.ts: 7 resources, versions v2, v1\./)
  })

  test('the database of a relative URL lies in the working directory', async () => {
    const cwd = temporaryFolder()
    mkdirSync(join(cwd, 'data'))
    const ran = await run(['migrate', join(root, 'examples/shop')], {
      cwd,
      env: { DATABASE_URL: 'sqlite:data/shop.db' },
    })
    expect(ran.stdout).toMatch(/\d+ steps were applied\.\n$/)
    const again = await run(['migrate', join(root, 'examples/shop')], {
      cwd: join(cwd, 'data'),
      env: { DATABASE_URL: 'sqlite:shop.db' },
    })
    expect(again.stdout).toBe('The store fits the declaration. Nothing to do.\n')
  })

  test('bin/nounkit of a checkout becomes the server: the process that is started is the one that is killed', async () => {
    const env = { PATH: machinePath(), DATABASE_URL: await emptyDatabase('sqlite') }
    const child = shell(`exec ${join(root, 'bin/nounkit')} serve examples/shop --port 0`, { env })
    const [, url = ''] = await child.line(/is ready: (http:\S+)/)
    expect(await child.kill('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' })
    await expect(fetch(url)).rejects.toThrow()
  })

  test('through symbolic links, as npm and people make them, on whatever Node the machine has', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'bin'))
    symlinkSync(join(root, 'bin/nounkit.js'), join(folder, 'bin/direct'))
    symlinkSync('direct', join(folder, 'bin/nounkit'))
    symlinkSync(join(root, 'examples/shop'), join(folder, 'my shop'))
    // The machine's Node starts it, and hands over to the one among the checkout's development dependencies.
    const env = { PATH: `${join(folder, 'bin')}:${machinePath()}` }
    const child = shell('nounkit check "my shop"', { cwd: folder, env })
    expect(await child.ended).toEqual({ code: 0, signal: null })
    expect(child.stdout).toMatch(/^my shop\/api\.ts: 7 resources/)
  })
})
