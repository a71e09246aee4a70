import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { inject } from 'vitest'

export type TestDatabase = { readonly url: string; drop(): Promise<void> }

/** An empty database on the PostgreSQL that global-setup.ts started for this run. */
export async function createDatabase(): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await administer(`create database ${name} ${inject('copiedFrom')}`)
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  return { url: url.href, drop: () => administer(`drop database if exists ${name} with (force)`) }
}

let session: postgres.Sql | undefined

/** All test files that this process runs share one session. It ends when no database is created or dropped for a while. */
async function administer(statement: string): Promise<void> {
  session ??= postgres(inject('postgresUrl'), { max: 1, idle_timeout: 5, onnotice: () => {} })
  await session.unsafe(statement)
}
