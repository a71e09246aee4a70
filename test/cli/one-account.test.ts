import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyDatabase, walkedStores } from '../support/databases.ts'
import { declarationFolder, librarySource } from '../support/declaration-folder.ts'
import { startServer } from '../support/server-process.ts'
import { runHere } from './in-process.ts'

const one = `accounts: 'one', events: { keepDays: 30 }`

describe.each(walkedStores)("commands of an API with accounts: 'one', on %s", (kind) => {
  test('none asks for an account, shows one, or takes another one', async () => {
    const cwd = declarationFolder(librarySource({ more: one }))
    const env = { DATABASE_URL: await emptyDatabase(kind) }
    const ran = async (...args: string[]) => {
      const { code, stdout, stderr } = await runHere(args, { cwd, env })
      expect([args, code, stderr]).toEqual([args, 0, ''])
      expect(stdout).not.toMatch(/account|main/i)
      return stdout
    }
    const file = join(cwd, 'books.jsonl')
    writeFileSync(file, '{"title":"Dune"}\n{"title":"Emma"}\n')
    expect(await ran('keys', 'create', '--name', 'ci')).toMatch(
      /^Without --scopes the key has "\*": it reads and writes everything\.\nMade "ci" \(key_\w+\): external/,
    )
    expect(await ran('import', file, '--resource', 'books')).toContain('Imported 2 rows.')
    expect(await ran('import', file, '--resource', 'books')).toContain('was imported already')
    expect((await ran('events')).match(/books\.created/g)).toHaveLength(2)
    const explained = await runHere(['explain', 'GET /v1/books'], { cwd, env })
    expect([explained.code, explained.stdout]).toEqual([0, expect.stringContaining('Answer: 200, 2 rows')])
    const exported = await ran('export')
    expect(exported).toMatch(/^\{"@resource":"books","@version":1,"id":/)
    expect(await ran('keys', 'list')).toMatch(/^NAME +ID/)
    await ran('usage')
    await ran('keys', 'rotate', '--name', 'ci')
    expect(await ran('keys', 'revoke', '--name', 'ci')).toMatch(/^Ended "ci"\. /)
    for (const args of [
      ['keys', 'create', '--account', 'acme', '--name', 'x'],
      ['events', '--account', 'acme'],
      ['explain', 'GET /v1/books', '--account', 'acme'],
      ['export', '--account', 'acme'],
      ['import', file, '--resource', 'books', '--account', 'acme'],
    ]) {
      const refused = await runHere(args, { cwd, env })
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('leave --account out')])
    }
  })

  test('rows of one account of another API move over, and those with a name of an account are refused', async () => {
    const many = declarationFolder(librarySource())
    const from = { DATABASE_URL: await emptyDatabase(kind) }
    const file = join(many, 'books.jsonl')
    writeFileSync(file, '{"title":"Dune"}\n')
    await runHere(['keys', 'create', '--account', 'acme', '--name', 'x'], { cwd: many, env: from })
    await runHere(['import', file, '--resource', 'books', '--account', 'acme'], { cwd: many, env: from })
    const cwd = declarationFolder(librarySource({ more: one }))
    const refused = await runHere(['export'], { cwd, env: from })
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('such as books of "acme"')])
    const to = { DATABASE_URL: await emptyDatabase(kind) }
    await runHere(['migrate'], { cwd, env: to })
    const moved = join(cwd, 'moved.jsonl')
    for (const [args, outcome] of [
      [[], 'is a row of the account acme, and the API has one account. Export it with --account'],
      [['--account', 'acme'], 'Imported 1 row.'],
    ] as const) {
      const exported = await runHere(['export', ...args], { cwd: many, env: from })
      writeFileSync(moved, exported.stdout)
      const imported = await runHere(['import', moved], { cwd, env: to })
      expect(imported.stdout + imported.stderr).toContain(outcome)
    }
    expect(readFileSync(moved, 'utf8')).not.toContain('@account')
  })
})

test('serve --demo prints a key without a seed and without an account', async () => {
  const api = declarationFolder(librarySource({ more: one }))
  const { child, call } = await startServer(await emptyDatabase('sqlite'), { api, args: ['--demo'] })
  const [, key = ''] = await child.line(/^ {2}(nk_\w+)$/)
  expect((await call('GET', '/v1/books', { key })).status).toBe(200)
  await child.kill('SIGTERM')
})
