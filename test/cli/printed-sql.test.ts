import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import postgres from 'postgres'
import { expect, test } from 'vitest'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { newKey, startServer } from '../support/server-process.ts'
import { runHere } from './in-process.ts'

const source = (fields: string, more = '') =>
  `
import { api, changeType, renameField, removeField, resource, version, was } from 'nounkit'
import { z } from 'zod'
const things = resource('things', { fields: { ${fields} } })
const rows = [{ label: 'it''s $1', cost: '12' }, { label: 'chair', cost: '7' }]
const account = () => rows.map((values, at) => ({ resource: 'things', values: { id: '01890a5d-ac96-774b-bcce-00000000000' + at, ...values } }))
export default api('market', { resources: [things], events: { keepDays: 30 }, seed: { accounts: ['acme'], account }, ${more} })
`.replace("it''s", String.raw`it\'s`)

/** Another client than the engine: it sends one statement after the other. */
async function runElsewhere(url: string, script: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.slice('sqlite:'.length))
    database.exec(script)
    database.close()
    return
  }
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  for (const statement of script.split(/;$/m)) if (statement.trim()) await sql.unsafe(statement)
  await sql.end()
}

const nothing = 'The store fits the declaration. Nothing to do.\n'

test.each(storeKinds)(
  'what migrate --sql prints is run by another client, and is recognised: serve starts, and migrate finds nothing to do (%s)',
  async (kind) => {
    const url = await emptyDatabase(kind)
    const command = (...args: string[]) => runHere(args, { env: { DATABASE_URL: url } })
    const changedElsewhere = async (folder: string, ...flags: string[]) => {
      const printed = await command('migrate', folder, '--sql', ...flags)
      expect([printed.code, printed.stderr]).toEqual([0, ''])
      await runElsewhere(url, printed.stdout)
      expect(await command('migrate', folder)).toMatchObject({ code: 0, stdout: nothing })
      return printed.stdout
    }
    const first = declarationFolder(source('label: z.string(), cost: z.string()'))
    await changedElsewhere(first)
    expect(await command('reset', first, '--seed')).toMatchObject({ code: 0 })

    // While nothing is published: another kind, and another name, also in events.
    const next = declarationFolder(
      source('title: was("label", z.string().optional()), cost: z.int().min(0).max(99)'),
    )
    expect(await command('migrate', next, '--sql', '--json')).toMatchObject({ code: 2, stdout: '' })
    const changed = await changedElsewhere(next)
    expect(changed).toMatch(/^-- .* Older processes do not survive it\.$/m)
    const lossy = declarationFolder(source('title: z.string().optional(), cost: z.int().max(9).optional()'))
    const refused = await command('migrate', lossy, '--sql')
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toMatch(/such as 12: it would become null\.\nUse --accept-data-loss/)

    // Once a version is published: an addition is all the SQL of a release that renames as well.
    const v1 = `version('v1', { published: '2026-01-01' })`
    const published = declarationFolder(
      source('title: z.string().optional(), cost: z.int().min(0).max(99)', `versions: [${v1}]`),
    )
    expect(await command('publish', published, 'v1', '--skip-store')).toMatchObject({ code: 0 })
    expect(await command('migrate', published)).toMatchObject({ code: 0, stdout: nothing })
    const later = (fields: string, versions: string) => {
      const folder = declarationFolder(source(fields, `versions: [${versions}]`))
      cpSync(join(published, 'contracts'), join(folder, 'contracts'), { recursive: true })
      expect(existsSync(join(folder, 'contracts', 'v1.json'))).toBe(true)
      return folder
    }
    const renamed = `renameField('things', 'title', 'name')`
    const grown = later(
      'name: z.string().optional(), cost: z.int().min(0).max(99), size: z.int().optional()',
      `version('v2'), version('v1', { published: '2026-01-01', changes: [${renamed}] })`,
    )
    const added = await changedElsewhere(grown)
    expect(added).toMatch(
      /^-- things\.size is new\n-- .* Older processes serve on\.\nALTER TABLE "things" ADD COLUMN "size"/m,
    )
    expect(added.match(/ALTER TABLE/g)).toHaveLength(1)
    const key = await newKey(url)
    const shown = async (folder: string, path: string) => {
      const server = await startServer(url, { api: folder })
      const { text } = await server.call('GET', path, { key })
      await server.child.kill('SIGTERM')
      return JSON.parse(text).data
    }
    expect(await shown(grown, '/v2/things')).toMatchObject([{ name: "it's $1", cost: 12 }, { cost: 7 }])
    expect(await command('migrate', grown, '--sql')).toMatchObject({
      code: 0,
      stdout: '-- The store fits the declaration. Nothing to do.\n',
    })

    // A type by its codec, which older processes do not survive: what is run shuts them out.
    const stamped = `changeType('things', 'cost', { was: z.int().min(0).max(99), codec: 'datetime-as-unix-seconds', why: 'Whole seconds.' })`
    const converted = later(
      'name: z.string().optional(), cost: z.iso.datetime(), size: z.int().optional()',
      `version('v3'), version('v2', { changes: [${stamped}] }), version('v1', { published: '2026-01-01', changes: [${renamed}] })`,
    )
    expect(await changedElsewhere(converted)).toContain('cost was ')
    expect(await shown(converted, '/v1/things')).toMatchObject([{ title: "it's $1", cost: 12 }, { cost: 7 }])
    const late = await command('serve', grown, '--port', '0')
    expect([late.code, late.stderr]).toEqual([
      3,
      expect.stringContaining('was migrated past this declaration'),
    ])
  },
)
