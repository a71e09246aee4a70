import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { declarationFolder } from '../support/declaration-folder.ts'
import { runHere } from './in-process.ts'
import { isMistake } from './run.ts'

const source = ({
  rules = '',
  note = 'z.string().optional()',
  versions = "version('v1', { published: '2026-01-01' })",
}) => `
import { api, changeFieldScope, changeRule, needsScope, resource, version } from 'nounkit'
import { z } from 'zod'

const books = resource('books', {
  fields: { owner: z.string(), note: ${note} },
  ${rules}
})

export default api('library', { resources: [books], scopes: { 'books:notes': 'See notes.' }, versions: [${versions}] })
`
const rules = 'rules: { read: ({ row, caller }) => row.owner.is(caller.subject) },'
const note = "needsScope('books:notes', z.string().optional())"

test('a rule and a scope that are new since publishing are refused until a version declares them', async () => {
  let folder = declarationFolder(source({}))
  const nounkit = (...args: string[]) => runHere(args, { cwd: folder })
  /** In another folder with the same contracts, since a process loads a declaration once. */
  const write = (text: string) => {
    const next = declarationFolder(text)
    cpSync(join(folder, 'contracts'), join(next, 'contracts'), { recursive: true })
    folder = next
  }
  expect((await nounkit('publish', '.', 'v1')).code).toBe(0)
  const frozen = readFileSync(join(folder, 'contracts/v1.json'), 'utf8')

  write(source({ rules, note }))
  for (const args of [
    ['check', '.'],
    ['publish', '.', 'v1'],
  ]) {
    const ran = await nounkit(...args)
    expect(isMistake(ran), ran.stderr).toBe(true)
    expect(ran.stderr).toContain('books.rules.read  rule is new: `owner` is the subject of the caller')
    expect(ran.stderr).toContain("changeRule('books', 'read', { why: '…' })")
    expect(ran.stderr).toContain('books.note  now needs the scope books:notes')
    expect(ran.stderr).toContain("changeFieldScope('books', 'note', { why: '…' })")
  }

  const why = "{ why: 'Books are private.' }"
  const changes = `changes: [changeRule('books', 'read', ${why}), changeFieldScope('books', 'note', ${why})]`
  const versions = `version('v2'), version('v1', { published: '2026-01-01', ${changes} })`
  write(source({ rules, note, versions }))
  const passed = await nounkit('check', '.')
  expect(passed, passed.stderr).toMatchObject({ code: 0, stderr: '' })
  const told = await nounkit('diff', '.', 'v1', 'v2')
  expect(told.stdout).toContain('books.rules.read  rule all rows → `owner` is the subject of the caller')
  expect(told.stdout).toContain('books.note  scope no scope → `books:notes`')
  expect(told.stdout).not.toContain('additive')
  const guide = (await nounkit('guide', '.', 'v1')).stdout
  expect(guide).toContain('The rule for reading `books` changed')
  expect(guide).toContain('`books.note` needs another scope')
  expect(guide).toContain('Books are private.')
  expect(readFileSync(join(folder, 'contracts/v1.json'), 'utf8')).toBe(frozen)
})

test('a rule that JavaScript cuts in half is shown where it is written', async () => {
  const cut = `rules: {
    read: ({ row, caller }) => row.owner.is(caller.subject),
    update: ({ row, caller }) => row.note.isNull() && row.owner.is(caller.subject),
  },`
  const ran = await runHere(['check', '.'], { cwd: declarationFolder(source({ rules: cut })) })
  expect(isMistake(ran), ran.stderr).toBe(true)
  expect(ran.stderr).toContain(
    "api.ts:9:5  books.rules.update: `row.note.isNull() && row.owner.is(caller.subject)` has JavaScript's &&",
  )
  expect(ran.stderr).toContain('Write allOf(…, …).')
})
