import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const source = new URL('../src', import.meta.url).pathname
const files = globSync('**/*.ts', { cwd: source }).sort()
const filesWith = (what: RegExp): readonly string[] =>
  files.filter((file) => what.test(readFileSync(join(source, file), 'utf8')))

test('parameters of statements are numbered by Binds alone: nobody counts them', () => {
  expect(filesWith(/\.param\(/)).toEqual([
    // Shows the parameters of a statement to a person.
    'cli/explain-command.ts',
    // What a parameter is on each database.
    'plan/postgres.ts',
    'plan/sqlite.ts',
    'plan/statement.ts',
  ])
})

test('nor does anybody write numbers of parameters, or quotes around values', () => {
  expect(filesWith(/(?:(?:=|<|>|IN) |VALUES )\(?[$?][1-9]/)).toEqual([
    // A comment.
    'plan/statement.ts',
    // Statements for the catalogue of Citus, in the words of that database.
    'store/postgres/citus-nodes.ts',
    'store/postgres/reachable-rows.ts',
  ])
  expect(filesWith(/"\w+" (?:=|<>|IN|LIKE) \(?'\$\{/)).toEqual([])
  // Lists of values: nobody but `sqlText` puts quotes around a text of SQL.
  expect(filesWith(/=> `'\$\{/)).toEqual([
    // Words of messages, and of TypeScript.
    'compile/shape/shapes.ts',
    'contract/openapi/first-steps.ts',
    'kinds/sql.ts',
  ])
})

test('a statement that was made with its values is run by one file', () => {
  expect(filesWith(/\.(?:all|first|writeOne)\((?:text, values|(\w+)\.text, \1\.values)\b/)).toEqual([
    // It finds out what would be sent.
    'cli/explain-command.ts',
    'store/run-statement.ts',
  ])
})

test('one file turns names of resources into names of tables and back', () => {
  expect(filesWith(/replaceAll\('[-_]', '[-_]'\)|replace\(\/[-_]\/g/)).toEqual([
    'compile/names/name-rules.ts',
  ])
})
