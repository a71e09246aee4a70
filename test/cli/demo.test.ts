import { expect, test } from 'vitest'
import { nounkit, shell } from '../support/child.ts'
import { emptyDatabase } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'

test('the curl commands that serve --demo prints fit the API, and succeed', async () => {
  const env = { DATABASE_URL: await emptyDatabase('sqlite') }
  const demo = nounkit(['serve', 'examples/shop', '--demo', '--port', '0'], { env })
  await demo.line(/curl -N .*v2\/events/)
  const lines = demo.stdout.match(/^ {2}curl .*$/gm) ?? []
  expect(lines).toHaveLength(4)
  const stream = shell(`exec ${lines.at(-1)}`)
  await stream.line(/^id: /)
  for (const line of lines.slice(0, -1)) {
    const call = shell(line)
    expect(await call.ended).toEqual({ code: 0, signal: null })
    expect(call.stdout).toMatch(/^\{"data":/m)
  }
  await stream.line(/^event: customers\.created$/)
})

test('without accounts in the seed, serve --demo says where to name them', async () => {
  const folder = declarationFolder(
    "import { api, resource } from 'nounkit'\nimport { z } from 'zod'\nexport default api('x', { resources: [resource('notes', { fields: { text: z.string().max(9) } })] })",
  )
  const env = { DATABASE_URL: await emptyDatabase('sqlite') }
  const demo = nounkit(['serve', folder, '--demo', '--port', '0'], { env })
  await demo.line(/For keys, name accounts in the declaration: seed: \{ accounts: \['acme'\] \}/)
  expect(demo.stdout).not.toContain('curl')
})
