import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { type CallExpression, type Node, parse } from 'acorn'
import { expect, test } from 'vitest'

/*
 * On Citus, a statement that is sent without the account it concerns may ask every node, waits while one of them is silent, and shares
 * two connections with all others of its kind. This finds every call that sends one, whether a test runs it or not. `test/cluster/one-task`
 * shows that the others are for one node each.
 */

const source = new URL('../src', import.meta.url).pathname

/** What runs while requests are served. Commands, starts and migrations are for the whole store. */
const folders =
  'audit,console,events,guard,jobs,lifecycle,pages,plan,read,request,respond,serve,webhooks,write'

/** How many arguments a call has that names its account. */
const named: { readonly [method: string]: number } = {
  first: 3,
  all: 3,
  writeOne: 3,
  transaction: 2,
  writeClaimed: 2,
  allRows: 3,
  firstRow: 3,
  writeAlone: 3,
}

/** Within a transaction, which has named its account. */
const inTransaction = /^((this|changes)\.)?tx$/

/** By file: how many calls, and why. */
const listed: { readonly [file: string]: readonly [calls: number, why: string] } = {
  'audit/sweep-audit.ts': [1, 'housekeeping: old entries'],
  'console/choose-account.ts': [1, 'the accounts that have keys or events'],
  'console/operators/operator-ring.ts': [4, 'nounkit_operators, of which every node has a copy'],
  'console/operators/operator-sessions.ts': [1, 'at a sign-in: the sessions that have ended, on every node'],
  'console/today/explain-statement.ts': [1, 'an operator asks for the plan of a statement'],
  'events/event-log.ts': [1, 'marks of many accounts, where they are not apart'],
  'events/give-positions.ts': [3, 'positions of many accounts, where they are not apart'],
  'events/sweep-events.ts': [1, 'housekeeping: accounts with old events'],
  'guard/key-lives.ts': [1, 'a key by its id, which does not tell its node'],
  'guard/key-ring.ts': [1, 'commands: keys by their names, or of all accounts'],
  'jobs/job-figures.ts': [2, 'metrics: the jobs of all accounts'],
  'jobs/job-list.ts': [2, 'commands and the console: jobs of all accounts, or by their ids'],
  'jobs/job-rows.ts': [
    5,
    'looks for due jobs of all accounts, where one process does it at a time; jobs of a process that is gone; a delete of several accounts, where they are not apart',
  ],
  'jobs/runner-rows.ts': [1, 'the processes that run jobs, of which there are few'],
  'jobs/sweep-jobs.ts': [1, 'housekeeping: jobs that failed long ago'],
  'lifecycle/sweep-usage.ts': [4, 'housekeeping: old counts of calls, and processes that have ended'],
  'lifecycle/consumers.ts': [1, 'commands'],
  'lifecycle/contacts.ts': [1, 'commands'],
  'lifecycle/recorder-rows.ts': [3, 'rows of processes, for commands and housekeeping'],
  'lifecycle/recorder.ts': [
    2,
    'counts of calls of all accounts, written together, and the row of the process',
  ],
  'lifecycle/retirement.ts': [1, 'nounkit_retirements and nounkit_meta, of which every node has a copy'],
  'lifecycle/retirement-decisions.ts': [4, 'nounkit_retirements, of which every node has a copy'],
  'lifecycle/sent-signals.ts': [1, 'nounkit_signals, of which every node has a copy'],
  'lifecycle/refuse-other-accounts.ts': [4, 'a start and commands'],
  'lifecycle/refuse-rows-of-answered.ts': [2, 'a start'],
  'lifecycle/usage-rows.ts': [2, 'commands'],
  'webhooks/delivery-rows.ts': [1, 'a metric: the oldest delivery of all accounts'],
  'webhooks/end-endpoints.ts': [2, 'housekeeping: endpoints whose keys have ended'],
  'webhooks/endpoint-marks.ts': [1, 'housekeeping: whether there are endpoints'],
  'webhooks/endpoint-rows.ts': [1, 'commands: endpoints of a version'],
  'webhooks/leases.ts': [
    5,
    'leases of a process; whether any account has an endpoint that is active; endpoints with work, which one process looks for at a time',
  ],
  'webhooks/sweep-deliveries.ts': [2, 'housekeeping: old deliveries'],
  'write/fill-absent.ts': [
    4,
    'housekeeping: keys of rows, page by page, and how far it has come, in nounkit_meta',
  ],
  'write/judge.ts': [2, 'in a transaction, or with the account that write-request.ts adds'],
  'write/keys/sweep-keys.ts': [6, 'housekeeping: expired Idempotency-Keys'],
  'write/seed.ts': [3, 'when a process starts'],
  'write/word-filler.ts': [1, 'housekeeping: accounts with rows without words'],
  'write/taken-values.ts': [1, 'in a transaction, or with the account that write-request.ts adds'],
}

const nameOf = ({ callee }: CallExpression): string => {
  if (callee.type === 'Identifier') return callee.name
  return callee.type === 'MemberExpression' && callee.property.type === 'Identifier'
    ? callee.property.name
    : ''
}

function unnamedIn(file: string): readonly string[] {
  const found: string[] = []
  const text = stripTypeScriptTypes(readFileSync(join(source, file), 'utf8'))
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const inner of Object.values(node)) visit(inner)
    const call = node as CallExpression
    if (call.type !== 'CallExpression') return
    const [receiver] = [call.callee.type === 'MemberExpression' ? call.callee.object : call.arguments[0]] as [
      Node?,
    ]
    const on = receiver ? text.slice(receiver.start, receiver.end) : ''
    const isUnnamed = call.arguments.length < (named[nameOf(call)] ?? 0)
    if (isUnnamed && on !== 'Promise' && !inTransaction.test(on))
      found.push(text.slice(call.start, call.start + 120).replaceAll(/\s+/g, ' '))
  }
  visit(parse(text, { ecmaVersion: 'latest', sourceType: 'module' }))
  return found
}

test('only the calls that are listed here send statements without an account', () => {
  const files = globSync(`{${folders}}/**/*.ts`, { cwd: source }).sort()
  const found = files.map((file) => [file, unnamedIn(file)] as const).filter(([, calls]) => calls.length > 0)
  for (const [file, calls] of found)
    expect(calls, `calls without an account in ${file}`).toHaveLength(listed[file]?.[0] ?? 0)
  expect(found.map(([file]) => file)).toEqual(Object.keys(listed).sort())
})
