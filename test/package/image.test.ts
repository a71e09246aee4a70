import { globSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltImage, builtImage } from '../support/built-image.ts'
import { emptyDatabase } from '../support/databases.ts'
import { userMachine } from '../support/user-machine.ts'

describe('the image of the Dockerfile', () => {
  let image: BuiltImage
  beforeAll(async () => {
    const machine = await userMachine()
    await machine.run('npm init -y && npm install nounkit')
    image = await builtImage(machine)
  })

  test('serves the shop as an ordinary user who can write the data folder alone', async () => {
    const before = globSync('**/*', { cwd: join(image.folder, 'app') }).length
    const served = image.nounkit(image.command)
    const [, url = ''] = await served.line(/is ready: (http:\S+)/)
    const keys = image.nounkit(['keys', 'create', 'examples/shop', '--account', 'acme', '--name', 'me'])
    const [key = ''] = await keys.line(/nk_\w+/)
    const created = await fetch(`${url}/v2/customers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ada', email: 'ada@image.example' }),
    })
    expect(created.status).toBe(201)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    expect((await fetch(`${url}/v2/openapi.json`)).status).toBe(200)

    // The signal that Docker sends, as STOPSIGNAL says.
    expect(await served.kill('SIGTERM')).toEqual({ code: 0, signal: null })
    expect(readdirSync(join(image.folder, 'data'))).toEqual(['nounkit.sqlite'])
    expect(globSync('**/*', { cwd: join(image.folder, 'app') })).toHaveLength(before)
  })

  test('has the driver of PostgreSQL', async () => {
    const migrated = image.nounkit(['migrate', 'examples/shop', '--dry-run'], {
      DATABASE_URL: await emptyDatabase('postgres'),
    })
    expect(await migrated.ended, migrated.output).toEqual({ code: 0, signal: null })
    expect(migrated.stdout).toContain('CREATE TABLE "orders"')
  })
})
