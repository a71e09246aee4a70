import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { memoryFolder } from './memory-folder.ts'
import { startPostgres } from './own-postgres.ts'
import { initialiseOnce } from './postgres-data.ts'
import { makeTemplate } from './postgres-template.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
    /** The end of CREATE DATABASE for a test's database. */
    copiedFrom: string
    runFolder: string
  }
}

/**
 * This server's data goes when the run is over, whatever the machine does meanwhile. Tests of durability have servers of their own. Every
 * store of every test file may open ten connections, and does on a busy machine, where opening one takes long.
 */
const shared = { fsync: 'off', full_page_writes: 'off', max_connections: '1000' }

/**
 * One PostgreSQL for the whole run; set NOUNKIT_TEST_POSTGRES_URL to use a server that already runs. And one folder, for what test files
 * make once and share.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runFolder = mkdtempSync(join(tmpdir(), 'nounkit-run-'))
  project.provide('runFolder', runFolder)
  const given = process.env.NOUNKIT_TEST_POSTGRES_URL
  const removeData = given ? null : await initialiseOnce(memoryFolder)
  const server = given ? null : await startPostgres(shared, { newFolder: memoryFolder })
  project.provide('postgresUrl', server?.url ?? given ?? '')
  project.provide('copiedFrom', server ? await makeTemplate(server.url) : '')
  return async () => {
    await server?.stop()
    removeData?.()
    rmSync(runFolder, { recursive: true, force: true })
  }
}
