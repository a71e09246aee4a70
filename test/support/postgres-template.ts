import postgres from 'postgres'

/** The database that every test database is a copy of. */
export const templateName = 'nounkit_test_template'

/** An empty database that somebody has connected to: only then its folder has the catalogue cache, which costs more than the copy of it. */
export async function makeTemplate(server: string): Promise<void> {
  await dropTemplate(server)
  await administer(server, `create database ${templateName}`)
  const template = new URL(server)
  template.pathname = `/${templateName}`
  await administer(template.href, 'select 1')
}

export const dropTemplate = (server: string): Promise<void> =>
  administer(server, `drop database if exists ${templateName} with (force)`)

async function administer(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await sql.unsafe(statement)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
