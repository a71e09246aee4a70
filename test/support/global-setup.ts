import type { TestProject } from 'vitest/node'
import { startPostgres } from './own-postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
  }
}

/** One PostgreSQL for the whole run; set NOUNKIT_TEST_POSTGRES_URL to use a server that already runs. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.NOUNKIT_TEST_POSTGRES_URL
  if (given) {
    project.provide('postgresUrl', given)
    return async () => {}
  }
  const server = await startPostgres()
  project.provide('postgresUrl', server.url)
  return () => server.stop()
}
