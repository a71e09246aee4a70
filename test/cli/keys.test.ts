import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { openStore } from '../../src/store/open.ts'
import { nounkit } from '../support/child.ts'
import { runHere } from './in-process.ts'
import { isMistake, run } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'nounkit-keys-'))
const env = { DATABASE_URL: `sqlite:${join(folder, 'shop.db')}` }
let url: string

beforeAll(async () => {
  const server = nounkit(['serve', 'examples/shop', '--port', '0'], {
    env: { ...env, NOUNKIT_LOG: 'silent' },
  })
  url = (await server.line(/(http:\/\/\S+)/))[1] ?? ''
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const keys = async (...args: string[]) => {
  const [action = '', ...rest] = args
  const ran = await runHere(['keys', action, 'examples/shop', ...rest], { env })
  return { ...ran, last: ran.stdout.trim().split(/\s/).at(-1) ?? '' }
}
const status = async (key: string, path = '/v2/orders') =>
  (await fetch(url + path, { headers: { Authorization: `Bearer ${key}` } })).status

test('a key made while the service runs works at once, and ends within seconds of being revoked', async () => {
  const made = await run(['keys', 'create', 'examples/shop', '--account', 'acme', '--name', 'ci'], { env })
  expect([made.code, made.stderr]).toEqual([0, ''])
  const last = made.stdout.trim().split(/\s/).at(-1) ?? ''
  expect(last).toMatch(/^nk_\w{38}$/)
  expect(await status(last)).toBe(200)
  expect((await keys('revoke', '--account', 'acme', '--name', 'ci')).code).toBe(0)
  await expect.poll(() => status(last), { timeout: 60_000 }).toBe(401)
})

test('scopes, kind, contact and expiry are kept, and shown by list without the key', async () => {
  const flags = [
    '--scopes',
    'orders:read,clients:read',
    '--kind',
    'internal',
    '--contact',
    'ops@acme.example',
    '--expires',
    '90d',
  ]
  const { last } = await keys('create', '--account', 'acme', '--name', 'narrow', ...flags)
  expect(await status(last)).toBe(200)
  expect(await status(last, '/v2/payments')).toBe(403)
  const { stdout } = await keys('list', '--account', 'acme')
  expect(stdout).toMatch(
    /acme +narrow +key_\w+ +nk_\w{4}… +internal +orders:read,clients:read .* active until .* ops@acme\.example/,
  )
  expect(stdout).not.toContain(last)
})

test('subject and claims are kept, shown by list, and kept by rotation', async () => {
  const flags = [
    '--subject',
    'mia',
    '--claim',
    'member_id=42',
    '--claim',
    'level:=3',
    '--claim',
    'org.city=Ghent',
  ]
  const more = [
    '--claim',
    'org.teams:=["a"]',
    '--claim',
    'note=a=b:=c',
    '--claim',
    'empty=',
    '--claim',
    'none:=null',
  ]
  const claims = {
    member_id: '42',
    level: 3,
    org: { city: 'Ghent', teams: ['a'] },
    note: 'a=b:=c',
    empty: '',
    none: null,
  }
  const made = await keys('create', '--account', 'acme', '--name', 'member', ...flags, ...more)
  expect(made.stdout).toContain(`Its subject: mia\nIts claims: ${JSON.stringify(claims)}\n`)
  expect(await status(made.last)).toBe(200)
  await keys('rotate', '--account', 'acme', '--name', 'member')
  const listed = JSON.parse((await keys('list', '--account', 'acme', '--json')).stdout) as {
    name: string
    subject: string
    claims: unknown
  }[]
  const members = listed.filter(({ name }) => name === 'member')
  expect(members.map(({ subject }) => subject)).toEqual(['mia', 'mia'])
  expect(members.map((key) => key.claims)).toEqual([claims, claims])
  const { stdout } = await keys('list', '--account', 'acme')
  expect(stdout).toMatch(/ SUBJECT +CLAIMS /)
  expect(stdout).toContain(`  mia  ${' '.repeat('SUBJECT'.length - 3)}${JSON.stringify(claims)}  `)
})

test('a key without --scopes says what it opens, one with scopes does not', async () => {
  const made = await keys('create', '--account', 'acme', '--name', 'open')
  expect(made.stdout).toContain(
    `Without --scopes the key has "*": it reads and writes everything of acme, and reads shared rows. To write those as well: --scopes '*,products:write'.\n`,
  )
  const narrow = await keys('create', '--account', 'acme', '--name', 'closed', '--scopes', 'orders:read')
  expect(narrow.stdout).not.toContain('Without --scopes')
})

test('a key with claims and without a subject says whose Idempotency-Keys it has', async () => {
  const says = 'Without --subject the key shares Idempotency-Keys with every caller of acme that has none.\n'
  const create = (name: string, ...flags: string[]) =>
    keys('create', '--account', 'acme', '--name', name, '--scopes', 'orders:read', ...flags)
  expect((await create('claims only', '--claim', 'a=1')).stdout).toContain(says)
  expect((await create('both', '--claim', 'a=1', '--subject', 's')).stdout).not.toContain(says)
  expect((await create('neither')).stdout).not.toContain(says)
})

test('list says whether an account has no keys or the whole store has none', async () => {
  const { code, stdout } = await keys('list', '--account', 'acm')
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'acm has no key. Did you mean "acme"?\n' })
})

test('rotating prints a new key; both work', async () => {
  const old = await keys('create', '--account', 'globex', '--name', 'turning')
  const next = await keys('rotate', '--account', 'globex', '--name', 'turning')
  expect(next.last).toMatch(/^nk_/)
  expect(await status(old.last)).toBe(200)
  expect(await status(next.last)).toBe(200)
})

describe('what is wrong is said, with what was probably meant', () => {
  const wrong: [string, string[], RegExp][] = [
    [
      'a scope that opens nothing',
      ['create', '--account', 'a', '--name', 'b', '--scopes', 'order:read'],
      /"order:read".*Did you mean "orders:read"\?/,
    ],
    ['no account', ['create', '--name', 'b'], /--account is missing/],
    [
      'no such kind',
      ['create', '--account', 'a', '--name', 'b', '--kind', 'robot'],
      /external, internal or probe/,
    ],
    ['no time', ['create', '--account', 'a', '--name', 'b', '--expires', 'soon'], /90d, 12h, 30m or 10s/],
    [
      'a time that is over at once',
      ['create', '--account', 'a', '--name', 'b', '--expires', '0d'],
      /--expires is "0d".*longer than none/,
    ],
    [
      'a time after the last date there is',
      ['create', '--account', 'a', '--name', 'b', '--expires', '104000000d'],
      /--expires is "104000000d".*at most 36500d/,
    ],
    [
      'an overlap after the last date there is',
      ['rotate', '--account', 'acme', '--name', 'narrow', '--overlap', '999999999d'],
      /--overlap is "999999999d".*at most 36500d/,
    ],
    ['an unknown flag', ['create', '--acount', 'a'], /--acount.*\nUsage: nounkit keys/s],
    ['a name that no key has', ['revoke', '--account', 'acme', '--name', 'narow'], /Did you mean "narrow"\?/],
    [
      'a name whose key has ended',
      ['revoke', '--account', 'acme', '--name', 'ci'],
      /The key "ci" of acme has ended already/,
    ],
    ...(
      [
        ['a claim without a value', 'member_id', /--claim "member_id" has no value/],
        ['a claim without a name', '=42', /--claim "=42" has no usable name/],
        ['a claim with an empty step', 'org..city=x', /"org\.\.city=x" has no usable name/],
        ['a claim named after the prototype', 'a.__proto__=x', /has no usable name/],
        ['a claim that is not JSON', 'level:=three', /is not JSON after :=.*name=text/],
        ['a claim whose number would be rounded', 'id:=[9007199254740993]', /would round.*as a text/],
        ['a claim beyond all numbers', 'id:=1e999', /would round/],
        ['a claim with a line break', 'a=b\nc', /has control characters/],
        ['claims that are too long', `a=${'x'.repeat(20_000)}`, /16384 bytes/],
      ] as const
    ).map(([what, claim, message]): [string, string[], RegExp] => [
      what,
      ['create', '--account', 'a', '--name', 'b', '--claim', claim],
      message,
    ]),
    [
      'the same claim twice',
      ['create', '--account', 'a', '--name', 'b', '--claim', 'a=1', '--claim', 'a=2'],
      /--claim "a=2" names a claim that another one gave/,
    ],
    [
      'a claim within one that has a value',
      ['create', '--account', 'a', '--name', 'b', '--claim', 'a=1', '--claim', 'a.b=2'],
      /"a\.b=2" has a part, "a", that another one gave a value/,
    ],
    ['an empty subject', ['create', '--account', 'a', '--name', 'b', '--subject', ''], /--subject is ""/],
    ['no such action', ['remove'], /"keys remove" is not a command/],
  ]
  test.each(wrong)('%s', async (_, args, message) => {
    const ran = await keys(...args)
    expect(isMistake(ran), ran.stderr).toBe(true)
    expect(ran.stderr).toMatch(message)
  })
})

test('a key that was stored with a time no date can be is listed with the others, and nothing refused was stored', async () => {
  const store = await openStore(env.DATABASE_URL)
  const expiresAt = 104_000_000 * 86_400_000
  await new KeyRing(store).create({ account: 'acme', name: 'far', expiresAt })
  await store.close()
  const { code, stdout } = await keys('list')
  expect(code).toBe(0)
  expect(stdout).toMatch(/acme +far .* active until after the last date there is/)
  expect(stdout).toMatch(/acme +narrow .* active until \d{4}-\d\d-\d\dT\d\d:\d\dZ/)
  expect(stdout).not.toMatch(/^a /m)
  expect((await keys('rotate', '--account', 'acme', '--name', 'far')).last).toMatch(/^nk_/)
})

test('the keys of the demo are consumers like any other, and end with the next start', async () => {
  const starts: string[][] = []
  for (const _ of [1, 2]) {
    const demo = nounkit(['serve', 'examples/shop', '--demo', '--port', '0'], {
      env: { ...env, NOUNKIT_LOG: 'silent' },
    })
    await demo.line(/(curl -i .*)/)
    starts.push(demo.stdout.match(/^ {2}(?:acme|globex) +nk_\w+$/gm) ?? [])
    demo.kill('SIGTERM')
    await demo.ended
  }
  const [[first = ''] = [], [second = ''] = []] = starts
  expect(starts.map((told) => told.length)).toEqual([2, 2])
  expect(await status(second.split(/ +/)[2] ?? '')).toBe(200)
  expect(await status(first.split(/ +/)[2] ?? '')).toBe(401)
  expect((await keys('list', '--account', 'acme')).stdout).toMatch(
    /acme +demo +key_\w+ +nk_\w{4}… +external +\*,products:write .* active/,
  )
  expect((await keys('list', '--account', 'globex')).stdout).toMatch(
    /globex +demo +key_\w+ +nk_\w{4}… +external +\* .* active/,
  )
})

test('a demo that names its kinds of callers prints a key for each, with what it can do and what to try', async () => {
  const demo = nounkit(['serve', 'examples/library', '--demo', '--port', '0'], {
    env: { DATABASE_URL: `sqlite:${join(folder, 'library.db')}`, NOUNKIT_LOG: 'silent' },
  })
  await demo.line(/curl .*members/)
  demo.kill('SIGTERM')
  await demo.ended
  const keys = demo.stdout.match(/^ {2}riverside {2}(ada|north-desk|office) +nk_\w+$/gm) ?? []
  expect(keys).toHaveLength(3)
  expect(demo.stdout).toMatch(/^The scopes and claims of north-desk's key: .*loans:read.* branch=north$/m)
  const secret = keys[0]?.split(/ +/)[3]
  expect(demo.stdout).toMatch(
    new RegExp(`^ {2}curl -H 'Authorization: Bearer ${secret}' 'http.*/v1/loans`, 'm'),
  )
})
