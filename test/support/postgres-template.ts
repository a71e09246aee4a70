import postgres from 'postgres'

const template = 'nounkit_test_template'

/**
 * Makes the database that the tests' databases are copies of: an empty one that somebody has connected to, because only then its folder
 * has the cache of the catalogue, which costs more to make than to copy. A copy of files takes half the processor time of a copy through
 * the write-ahead log, which is the default. A server that somebody names by NOUNKIT_TEST_POSTGRES_URL may be too old for this.
 */
export async function makeTemplate(server: string): Promise<string> {
  await run(server, `create database ${template}`)
  const url = new URL(server)
  url.pathname = `/${template}`
  await run(url.href, 'select 1')
  return `template ${template} strategy file_copy`
}

async function run(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql.unsafe(statement)
  await sql.end({ timeout: 5 })
}
