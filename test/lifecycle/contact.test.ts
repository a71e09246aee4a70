import { describe, expect, test } from 'vitest'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { addCounts, usageTable } from '../../src/lifecycle/count-tables.ts'
import type { RetireOutcome } from '../../src/lifecycle/retire-version.ts'
import { dayOf } from '../../src/times.ts'
import { runHere } from '../cli/in-process.ts'
import { isMistake, type Ran } from '../cli/run.ts'
import { shell } from '../support/child.ts'
import { prepareShop } from '../support/server-process.ts'
import { openForTest } from '../support/stores.ts'

/** Who called: with a key of that name, or (`token:…`) with a token of that client. */
interface Caller {
  readonly account?: string
  readonly name: string
}

interface Called {
  /** The command that is printed for each caller that blocks the retirement of v1. */
  printed(): Promise<readonly string[]>
  paste(line: string): Promise<Ran>
  contact(...flags: string[]): Promise<Ran>
}

/** A shop whose v1 was called by these. */
async function calledBy(...callers: readonly Caller[]): Promise<Called> {
  const { databaseUrl } = await prepareShop('sqlite')
  const store = await openForTest(databaseUrl)
  const now = Date.now() + 400 * 86_400_000
  for (const { account = 'acme', name } of callers) {
    const isToken = name.startsWith('token:')
    const id = isToken ? name : (await new KeyRing(store).create({ account, name })).key.id
    await store.transaction((tx) =>
      addCounts(tx, usageTable, [[account, id, 'v1', dayOf(now), 'GET /orders', 1, now]]),
    )
  }
  const options = { env: { NOUNKIT_CLOCK: '+400d', DATABASE_URL: databaseUrl } }
  return {
    async printed() {
      const { stdout } = await runHere(['retire', 'examples/shop', 'v1', '--dry-run', '--json'], options)
      const { blockers } = JSON.parse(stdout) as RetireOutcome
      const traffic = blockers.filter(({ kind }) => kind === 'traffic')
      return traffic.map(({ lift }) => lift.match(/nounkit (contact .* --note "…")/)?.[1] ?? lift)
    },
    async paste(line) {
      // The words of the line as a shell reads them.
      const words = shell(`printf '%s\\0' ${line.replace('contact ', 'contact examples/shop ')}`)
      expect(await words.ended).toEqual({ code: 0, signal: null })
      return runHere(words.stdout.split('\0').slice(0, -1), options)
    },
    contact: (...flags) => runHere(['contact', 'examples/shop', 'v1', '--note', 'mail', ...flags], options),
  }
}

/** Each printed command records its consumer, and after all of them no blocker is left. */
async function expectPasteable(called: Called, count: number): Promise<void> {
  const lines = await called.printed()
  expect(lines).toHaveLength(count)
  for (const line of lines) expect(await called.paste(line)).toMatchObject({ code: 0, stderr: '' })
  expect(await called.printed()).toEqual([])
}

describe('the command that retire prints for a consumer records the contact', () => {
  test('when a key and a client of tokens have one name', async () => {
    await expectPasteable(await calledBy({ name: 'till' }, { name: 'token:till' }), 2)
  })

  test('when a key is named as callers without credentials are', async () => {
    await expectPasteable(await calledBy({ name: 'anonymous' }, { name: 'refused' }), 2)
  })

  test('when names hold what a shell or the command line would read as its own', async () => {
    const names = ['my $HOME `key`', "the till's $(id)", 'a "b" \\ !c', '-dash', '--note', 'token:*; exit 7']
    const called = await calledBy(...names.map((name) => ({ name })), { account: '-a & b', name: 'token:x' })
    await expectPasteable(called, names.length + 1)
  })
})

describe('contact', () => {
  test('takes the key of a name before the client of that name', async () => {
    const { contact } = await calledBy({ name: 'till' }, { name: 'token:till' })
    expect((await contact('--consumer', 'till')).stdout).toContain('Noted: till of acme')
    expect((await contact('--consumer', 'token:till')).stdout).toContain('Noted: token:till of acme')
  })

  test('finds a client without its prefix where no key has its name', async () => {
    const { contact } = await calledBy({ name: 'token:till' })
    expect((await contact('--consumer', 'till')).stdout).toContain('Noted: token:till of acme')
  })

  test('asks for the account where several have a key of that name', async () => {
    const { contact } = await calledBy({ name: 'till' }, { account: 'globex', name: 'till' })
    const refusal = await contact('--consumer', 'till')
    expect(isMistake(refusal)).toBe(true)
    expect(refusal.stderr).toContain('several accounts (acme, globex). Say which: --account acme')
  })

  test('names such an account so that it can be pasted', async () => {
    const { contact } = await calledBy(
      { account: 'a & b', name: 'token:till' },
      { account: 'c', name: 'token:till' },
    )
    expect((await contact('--consumer', 'till')).stderr).toContain("Say which: --account 'a & b'")
  })

  test('refuses anonymous callers, unless a consumer of the account has that name', async () => {
    const { contact } = await calledBy({ account: 'globex', name: 'anonymous' })
    const refusal = await contact('--account', 'acme', '--consumer', 'anonymous')
    expect(isMistake(refusal)).toBe(true)
    expect(refusal.stderr).toContain('Anonymous callers cannot be told')
    const told = await contact('--consumer', 'anonymous')
    expect(told.stdout).toContain('Noted: anonymous of globex')
  })
})
