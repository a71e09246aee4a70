import { beforeAll, describe, expect, test } from 'vitest'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { runHere } from './in-process.ts'
import { isMistake, run } from './run.ts'

describe.each(storeKinds)('explain on %s', (kind) => {
  let env: { readonly DATABASE_URL: string }
  const explain = (call: string, ...flags: readonly string[]) =>
    runHere(['explain', 'examples/library', call, ...flags], { env })

  beforeAll(async () => {
    env = { DATABASE_URL: await emptyDatabase(kind) }
    expect((await runHere(['migrate', 'examples/library'], { env })).code).toBe(0)
  })

  test('shows the statement of a list, what is bound, and the plan', async () => {
    const { code, stdout, stderr } = await explain(
      'GET /v1/copies?include=book&filter[branch_id]=019b8000-0000-7000-8000-000000000000',
      '--account',
      'hillside',
    )
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Answer: 200, 0 rows$/m)
    expect(stdout).toMatch(/^SELECT .* FROM "copies" /ms)
    expect(stdout).toMatch(/^ {2}[?$]1 +account +"hillside"$/m)
    expect(stdout).toMatch(/^ {2}[?$]2 +value of the query +"019b8000-0000-7000-8000-000000000000"$/m)
    expect(stdout).toMatch(/^ {2}[?$]3 +rows to read +26$/m)
    expect(stdout).toMatch(kind === 'sqlite' ? /^Plan:\n.*SEARCH t1 USING/ms : /^Plan:\n.*\(cost=/ms)
  })

  test("shows the rules, and binds the caller's claims to the statement", async () => {
    const { code, stdout } = await explain(
      'GET /v1/loans?include=copy',
      '--scopes',
      'loans:read,copies:read',
      '--claim',
      'member_id=42',
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Rules:\n {2}loans: .*`member_id` is the claim `member_id`.*\n {2}copies: none$/m)
    expect(stdout).toMatch(/ WHERE t1\."account_id" = \S+ AND t1\."member_id" = [?$]\d/)
    expect(stdout).toMatch(/^ {2}[?$]\d +claim member_id +"42"$/m)
    // A scope decides before the statement: who lacks loans:branch is not asked for a branch.
    expect(stdout).not.toContain('claim branch')
  })

  test('binds null for a claim that is absent, so that it opens nothing', async () => {
    const { stdout } = await explain('GET /v1/fines', '--scopes', 'fines:read')
    expect(stdout).toMatch(/^Answer: 200, 0 rows$/m)
    expect(stdout).toMatch(/claim member_id +null$/m)
  })

  test('shows the statement of totals, with the rule of the rows that they count', async () => {
    const folder = declarationFolder(`
import { api, resource } from 'nounkit'
import { z } from 'zod'
const notes = resource('notes', {
  fields: { kind: z.enum(['a', 'b']), size: z.int() },
  rules: { read: ({ row, caller }) => row.kind.is(caller.claim('kind')) },
})
const totals = resource('note-totals', { totals: { of: 'notes', by: ['kind'], sums: ['size'] } })
export default api('notes', { resources: [notes, totals] })
`)
    const own = { DATABASE_URL: await emptyDatabase(kind) }
    expect((await runHere(['migrate', folder], { env: own })).code).toBe(0)
    const { code, stdout, stderr } = await runHere(
      ['explain', folder, 'GET /v1/note-totals?by=kind', '--account', 'a', '--claim', 'kind=b'],
      { env: own },
    )
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Answer: 200, 0 rows$/m)
    expect(stdout).toMatch(/^Rules:\n {2}notes: `kind` is the claim `kind`/m)
    expect(stdout).toMatch(/GROUP BY "kind"/)
  })

  test('shows how a row is looked for that is not there', async () => {
    const { code, stdout } = await explain('/v1/branches/x')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Answer: 404, /m)
    expect(stdout).toMatch(/id in the path +"x"$/m)
  })
})

describe('explain', () => {
  let env: { readonly DATABASE_URL: string }
  beforeAll(async () => {
    env = { DATABASE_URL: await emptyDatabase('sqlite') }
    await runHere(['migrate', 'examples/library'], { env })
  })

  test('as a process', async () => {
    const ran = await run(['explain', 'examples/library', '/v1/branches'], { env: { ...env } })
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Answer: 200, /), stderr: '' })
  })

  test.each([
    [['examples/library'], /^Which call\? Write a method and a path/],
    [['examples/library', 'loans'], /^Which call\? Write a method and a path/],
    [
      ['examples/library', 'POST /v1/loans'],
      /^POST writes, and explain shows reads\. Write "GET \/v1\/loans"\./,
    ],
    [['examples/library', 'GET /v1/loan'], /^The call would be refused with 404 not-found: .*loans/],
    [['examples/library', 'GET /v1/loans?include=copi'], /400 include-unknown: .*Did you mean "copy"\?/],
    [
      ['examples/library', 'GET /v1/members?sort=notes', '--scopes', 'members:read'],
      /403 scope-missing: .*"members:notes"/,
    ],
    [['examples/library', 'GET /v1/loans', '--scopes', 'fines:read'], /403 scope-missing: .*"loans:read"/],
    [
      ['examples/library', 'GET /v1/loans', '--scopes', 'loan:read'],
      /"loan:read" opens nothing.*"loans:read"/,
    ],
    [['examples/library', 'GET /v1/loans', '--claim', 'member_id'], /--claim "member_id" has no value/],
    [['examples/library', 'GET /v1/loans', '--claims', 'a=1'], /Did you mean "--claim"\?/],
    [['examples/library', 'GET /v1/loans', 'x'], /"x" is one argument too many/],
  ])('refuses %j with what to do', async (args, message) => {
    const ran = await runHere(['explain', ...args], { env })
    expect(isMistake(ran), ran.stderr).toBe(true)
    expect(ran.stderr).toMatch(message)
  })
})
