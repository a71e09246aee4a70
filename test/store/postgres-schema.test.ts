import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { expect, test } from 'vitest'
import { runHere } from '../cli/in-process.ts'
import { isMistake, type Ran } from '../cli/run.ts'
import { whenOver } from '../support/clean-up.ts'
import { emptyDatabase } from '../support/databases.ts'

const migrate = (url: string): Promise<Ran> =>
  runHere(['migrate', 'examples/shop'], { env: { DATABASE_URL: url } })

interface PlainRole {
  readonly role: string
  readonly url: string
  /** As the owner of the database. */
  owner(sql: string): Promise<unknown>
  readonly ownerUrl: string
}

/** A role that may log in and nothing else: since PostgreSQL 15 it may not create tables in `public`. */
async function plainRole(): Promise<PlainRole> {
  const ownerUrl = await emptyDatabase('postgres')
  const role = `role_${randomUUID().replaceAll('-', '')}`
  const sql = postgres(ownerUrl, { max: 1, onnotice: () => {} })
  await sql.unsafe(`CREATE ROLE ${role} LOGIN`)
  whenOver(async () => {
    await sql.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    await sql.end()
  })
  const url = new URL(ownerUrl)
  url.username = role
  return { role, url: url.href, owner: (text) => sql.unsafe(text), ownerUrl }
}

test('a schema that does not exist is named with the statement that makes it, which helps', async () => {
  const url = await emptyDatabase('postgres')
  const ran = await migrate(`${url}?search_path=missing`)
  expect(isMistake(ran), ran.stderr).toBe(true)
  expect(ran.stderr).toMatch(
    /of the schemas in its search_path \(missing\) none exists that "postgres" may use/,
  )
  const [, statement = ''] = /Run: (CREATE SCHEMA missing AUTHORIZATION "postgres";)/.exec(ran.stderr) ?? []
  const sql = postgres(url, { max: 1 })
  await sql.unsafe(statement)
  await sql.end()
  expect(await migrate(`${url}?search_path=missing`)).toMatchObject({ code: 0 })
})

test('the refusal of a role that may not create tables has the GRANT that helps', async () => {
  const { role, url, owner } = await plainRole()
  const ran = await migrate(url)
  expect(isMistake(ran), ran.stderr).toBe(true)
  expect(ran.stderr).toContain(`"${role}" may not create tables in the schema public.`)
  const [, statement = ''] = /(GRANT .*;)/.exec(ran.stderr) ?? []
  await owner(statement)
  expect(await migrate(url)).toMatchObject({ code: 0 })
})

test('a role that may only read and write is enough where another has migrated, and is refused where it is not', async () => {
  const { role, url, owner, ownerUrl } = await plainRole()
  expect(await migrate(ownerUrl)).toMatchObject({ code: 0 })
  const denied = await runHere(['keys', 'list', 'examples/shop'], { env: { DATABASE_URL: url } })
  expect(isMistake(denied), denied.stderr).toBe(true)
  expect(denied.stderr).toMatch(/permission denied .*Have its owner GRANT that to the user of DATABASE_URL/)
  await owner(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`)
  expect(await migrate(url)).toMatchObject({
    code: 0,
    stdout: 'The store fits the declaration. Nothing to do.\n',
  })
  await owner('DROP TABLE nounkit_contacts')
  const halfWay = await migrate(url)
  expect(isMistake(halfWay), halfWay.stderr).toBe(true)
  expect(halfWay.stderr).toMatch(/\(42501\)\. Have its owner GRANT that/)
})
