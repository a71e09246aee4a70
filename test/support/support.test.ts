import { globSync, readdirSync, readFileSync } from 'node:fs'
import postgres from 'postgres'
import { expect, test } from 'vitest'
import { nodeScript } from './child.ts'
import { startPostgres } from './own-postgres.ts'
import { createDatabase } from './postgres-server.ts'

test('each test database is empty and apart from the others', async () => {
  const [one, other] = await Promise.all([createDatabase(), createDatabase()])
  const sql = postgres(one.url, { max: 1 })
  await sql`create table things (id int)`
  const elsewhere = postgres(other.url, { max: 1 })
  const [found] = await elsewhere`select to_regclass('things') as things`
  expect(found).toEqual({ things: null })
  await Promise.all([sql.end(), elsewhere.end()])
  await Promise.all([one.drop(), other.drop()])
})

test('a PostgreSQL of one’s own keeps committed rows over an immediate shutdown', async () => {
  const server = await startPostgres()
  const before = postgres(server.url, { max: 1 })
  await before`create table things (id int)`
  await before`insert into things values (1)`
  await before.end()
  const firstPid = server.pid
  await server.restart('immediate')
  expect(server.pid).not.toBe(firstPid)
  const after = postgres(server.url, { max: 1 })
  expect(await after`select id from things`).toEqual([{ id: 1 }])
  await after.end()
  await server.stop()
})

test('a child process is followed until its end', async () => {
  const child = nodeScript('-e', ['console.log("ready on 12"); process.exitCode = 3'])
  const [, port] = await child.line(/^ready on (\d+)$/)
  expect(port).toBe('12')
  expect(await child.ended).toEqual({ code: 3, signal: null })
})

test('the index of this folder names every file once', () => {
  const index = readFileSync(new URL('README.md', import.meta.url), 'utf8')
  const named = [...index.matchAll(/`([a-z0-9-]+\.ts)`/g)].map(([, name]) => name)
  const files = readdirSync(import.meta.dirname).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )
  expect(named.toSorted()).toEqual(files.toSorted())
})

test('no helper is written twice', () => {
  const folder = new URL('..', import.meta.url).pathname
  const helpers = globSync('**/*.ts', { cwd: folder }).flatMap((file) =>
    readFileSync(`${folder}/${file}`, 'utf8')
      .split(/\n\n/)
      .map((part) => part.replace(/^(?:\/\*\*.*?\*\/\s*)?(?:export )?/s, '').replaceAll(/\s+/g, ' '))
      .filter((part) => part.length > 100 && /^(?:const \w+ = .*=>|(?:async )?function )/.test(part))
      .map((part) => ({ file, part })),
  )
  expect(helpers.length).toBeGreaterThan(500)
  const twice = [...Map.groupBy(helpers, ({ part }) => part)].filter(([, all]) => all.length > 1)
  expect(twice.map(([part, all]) => [part.slice(0, 60), all.map(({ file }) => file)])).toEqual([])
})
