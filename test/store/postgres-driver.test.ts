import pg from 'pg'
import { expect, test } from 'vitest'
import { connect, run } from '../../src/store/postgres/connection.ts'
import { driverOf } from '../../src/store/postgres/driver.ts'
import { Hosts } from '../../src/store/postgres/hosts.ts'
import { postgresSettings } from '../../src/store/postgres/postgres-settings.ts'
import { StoreRefused } from '../../src/store/store.ts'
import { whenOver } from '../support/clean-up.ts'
import { emptyDatabase } from '../support/databases.ts'

const methodsOf = (prototype: object): readonly string[] =>
  Object.getOwnPropertyNames(prototype).filter((name) => name.startsWith('handle'))

const open = async () => {
  const settings = postgresSettings(await emptyDatabase('postgres'), {})
  const hosts = new Hosts(settings.hosts, settings.target)
  const connection = await connect({ driver: driverOf(pg), settings, hosts })
  whenOver(() => connection.end(1_000))
  return connection
}

test('the driver reports to a query by methods that are all either overridden or not used here', () => {
  const ofDriver = methodsOf(pg.Query.prototype)
  const ours = methodsOf(driverOf(pg).Statement.prototype)
  // Empty texts, portals and COPY are never sent.
  const unused = ['handleEmptyQuery', 'handlePortalSuspended', 'handleCopyInResponse', 'handleCopyData']
  expect(new Set(ofDriver)).toEqual(new Set([...ours, ...unused]))
})

test.each([...methodsOf(driverOf(pg).Statement.prototype), 'submit', 'prepare'])(
  'a driver whose queries have no method %s is refused',
  (missing) => {
    const methods = Object.getOwnPropertyDescriptors(pg.Query.prototype)
    const kept = Object.entries(methods).filter(([name]) => name !== missing && name !== 'constructor')
    class Query {}
    Object.defineProperties(Query.prototype, Object.fromEntries(kept))
    expect(() => driverOf({ Client: pg.Client, Connection: pg.Connection, Query })).toThrow(StoreRefused)
  },
)

test('a statement gets its rows as arrays and its command tag, prepared or not', async () => {
  const connection = await open()
  const select = {
    text: "SELECT $1::text, $2::integer, NULL UNION ALL SELECT 'b', 2, NULL",
    values: ['a', 1],
  }
  const rows = [
    ['a', 1, null],
    ['b', 2, null],
  ]
  expect(await run(connection, select)).toEqual({ rows, tag: 'SELECT 2' })
  for (let times = 0; times < 2; times++)
    expect(await run(connection, { ...select, name: 'twice' })).toEqual({ rows, tag: 'SELECT 2' })
  const prepared = await run(connection, { text: 'SELECT count(*)::integer FROM pg_prepared_statements' })
  expect(prepared.rows).toEqual([[1]])
})

test('of several statements in one text the last one answers', async () => {
  const connection = await open()
  const answer = await run(connection, {
    text: 'SELECT 1; CREATE TABLE things (n integer); INSERT INTO things VALUES (1), (2)',
  })
  expect(answer.tag).toBe('INSERT 0 2')
})

test('a failed statement has the error of the server, and the next one is answered', async () => {
  const connection = await open()
  const outcomes = await Promise.allSettled([
    run(connection, { text: 'SELECT 1 / $1::integer', values: [0], name: 'fails' }),
    run(connection, { text: 'SELECT $1::text', values: ['after'], name: 'works' }),
  ])
  expect(outcomes).toMatchObject([{ reason: { code: '22012' } }, { value: { rows: [['after']] } }])
})
