import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { newSecret, signedHeaders } from '../../src/webhooks/signature.ts'
import { temporaryFolder } from '../support/databases.ts'
import { blocksOf, markOf } from './markdown.ts'

const page = 'docs/how-to/receive-webhooks.md'
const body = '{"data":{"id":"1","name":"Zoë"}}'
const seconds = () => Math.floor(Date.now() / 1_000)

/** The code of the page, in a folder of its own. */
function folderWith(file: string): string {
  const block = blocksOf(page).find((one) => markOf(one, 'file') === file)
  if (!block) throw new Error(`${page} shows no ${file}`)
  const folder = temporaryFolder()
  writeFileSync(join(folder, file), `${block.text}\n`)
  return folder
}

const isThere = (program: string): boolean => spawnSync(program, ['--help']).error === undefined

/** Calls that must be accepted, and calls that must not. */
const calls = () => {
  const [secret, old] = [newSecret(), newSecret()]
  const signed = signedHeaders('event-1', seconds(), body, [secret])
  return {
    secret,
    good: [
      { headers: signed, body },
      { headers: signedHeaders('event-1', seconds(), body, [old, secret]), body },
    ],
    bad: [
      { headers: signed, body: body.replace('Zoë', 'Zoe') },
      { headers: { ...signed, 'webhook-id': 'event-2' }, body },
      { headers: signedHeaders('event-1', seconds(), body, [old]), body },
      { headers: signedHeaders('event-1', seconds() - 600, body, [secret]), body },
    ],
  }
}

test('the JavaScript on the page accepts what the service sends, and nothing else', async () => {
  const file = join(folderWith('verify.mjs'), 'verify.mjs')
  const { verify } = await import(/* @vite-ignore */ pathToFileURL(file).href)
  const { secret, good, bad } = calls()
  for (const call of good) expect(verify(secret, call.headers, call.body)).toEqual({ id: '1', name: 'Zoë' })
  for (const call of bad) expect(() => verify(secret, call.headers, call.body)).toThrow()
})

test.skipIf(!isThere('python3'))('the Python on the page does too', () => {
  const folder = folderWith('verify.py')
  const script = [
    'import json, sys',
    'from verify import verify',
    'given = json.load(sys.stdin)',
    'def accepts(call):',
    '    try:',
    '        return verify(given["secret"], call["headers"], call["body"].encode())["name"] == "Zoë"',
    '    except ValueError:',
    '        return False',
    'print(json.dumps([[accepts(call) for call in given[kind]] for kind in ("good", "bad")]))',
  ].join('\n')
  const ran = spawnSync('python3', ['-c', script], {
    cwd: folder,
    input: JSON.stringify(calls()),
    encoding: 'utf8',
    env: { ...process.env, PYTHONUTF8: '1' },
  })
  expect(ran.stderr).toBe('')
  expect(JSON.parse(ran.stdout)).toEqual([
    [true, true],
    [false, false, false, false],
  ])
})

// Compiling Go's standard library takes minutes where nothing is cached, so only the form is checked.
test.skipIf(!isThere('gofmt'))('the Go on the page is well-formed', () => {
  const ran = spawnSync('gofmt', ['-d', 'verify.go'], { cwd: folderWith('verify.go'), encoding: 'utf8' })
  expect(ran).toMatchObject({ status: 0, stdout: '', stderr: '' })
})
