import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { runHere } from './in-process.ts'

const declared = (fields: string, versions: string, more = '') => `
import * as nounkit from 'nounkit'
import { api, resource, version } from 'nounkit'
import { z } from 'zod'
const orders = resource('orders', { fields: { ${fields} }${more} })
export default api('market', { resources: [orders], versions: [${versions}] })
`
const v1 = (changes = '') => `version('v1', { published: '2025-01-01', changes: [${changes}] })`
const cents = 'z.string().regex(/^[0-9]{1,9}\\.[0-9]{2}$/)'
const same = "pin: nounkit.writeOnly(z.string()), level: z.string().default('x')"
const older = declarationFolder(
  declared(`note: z.string(), cost: ${cents}, status: z.enum(['open', 'placed', 'paid']), ${same}`, v1()),
)
const why = "{ why: 'decided' }"

/** Each with the fields of the newer declaration, its changes, and the changes that need a stop. */
const releases = {
  'a rename, an addition and a field that becomes required': {
    fields: `text: z.string(), cost: ${cents}, status: z.enum(['open', 'placed', 'paid']), currency: z.string(), ${same}`,
    changes:
      "nounkit.renameField('orders', 'note', 'text'), nounkit.addRequiredField('orders', 'currency', { whenAbsent: 'EUR' })",
    because: [],
  },
  'a write-only field that becomes optional, and a field with a default that is removed': {
    fields: `note: z.string(), cost: ${cents}, status: z.enum(['open', 'placed', 'paid']), pin: nounkit.writeOnly(z.string().optional())`,
    changes: `nounkit.removeField('orders', 'level', { was: z.string().default('x'), why: 'decided' })`,
    because: [],
  },
  'another type, and joined values': {
    fields: `note: z.string(), cost: z.int(), status: z.enum(['placed', 'paid']), ${same}`,
    changes: `nounkit.changeType('orders', 'cost', { was: ${cents}, codec: 'cents-as-decimal-string' }), nounkit.mapValues('orders', 'status', { open: 'placed', placed: 'placed' }, ${why})`,
    because: [
      /orders\.cost was \w+ in v1 and is \w+ now, by cents-as-decimal-string/,
      /open is placed now in orders\.status/,
    ],
  },
}

describe.each(storeKinds)('%s', (kind) => {
  test.each(Object.entries(releases))(
    'migrate --dry-run and check --store say which kind of release it is: %s',
    async (_, { fields, changes, because }) => {
      const newer = declarationFolder(declared(fields, `version('v2'), ${v1(changes)}`))
      const env = { DATABASE_URL: await emptyDatabase(kind) }
      expect(await runHere(['publish', older, 'v1', '--skip-store'])).toMatchObject({ code: 0 })
      expect(await runHere(['migrate', older], { env })).toMatchObject({ code: 0 })
      cpSync(join(older, 'contracts'), join(newer, 'contracts'), { recursive: true })
      const release = because.length === 0 ? 'rolling' : 'needs-a-stop'
      for (const command of [
        ['migrate', newer, '--dry-run'],
        ['check', newer, '--store'],
      ]) {
        const told = await runHere([...command, '--json'], { env })
        const said = JSON.parse(told.stdout)
        expect([told.code, said.ok, said.release, said.because.length]).toEqual([
          0,
          true,
          release,
          because.length,
        ])
        for (const what of because) expect(said.because.join('; ')).toMatch(what)
        const { code, stdout } = await runHere(command, { env })
        expect(code).toBe(0)
        expect(stdout).toContain(
          because.length === 0
            ? 'This release is rolling: processes of the older declaration serve on while they are replaced.'
            : `This release needs a stop of the processes of the older declaration, because ${said.because.join('; ')}.`,
        )
      }
    },
  )

  test('a store that is restored from before the release has the same rows once it is released again', async () => {
    const changes = "nounkit.renameField('orders', 'note', 'text')"
    const newer = declarationFolder(
      declared(
        `text: z.string(), cost: ${cents}, status: z.enum(['open', 'placed', 'paid']), ${same}`,
        `version('v2'), ${v1(changes)}`,
      ),
    )
    const [live, backup] = [await emptyDatabase(kind), await emptyDatabase(kind)]
    const on = (url: string, ...args: string[]) => runHere(args, { env: { DATABASE_URL: url } })
    expect(await on(live, 'publish', older, 'v1', '--skip-store')).toMatchObject({ code: 0 })
    cpSync(join(older, 'contracts'), join(newer, 'contracts'), { recursive: true })
    expect(await on(live, 'migrate', older)).toMatchObject({ code: 0 })
    const file = join(newer, 'orders.csv')
    writeFileSync(file, 'note,cost,status,pin\nfirst,12.50,open,1\nsecond,0.99,paid,2\n')
    const imported = await on(live, 'import', older, file, '--resource', 'orders', '--account', 'acme')
    expect(imported.stdout).toContain('Imported 2 rows.')
    expect(await on(live, 'copy', older, '--from', live, '--to', backup)).toMatchObject({ code: 0 })
    expect(await on(live, 'migrate', newer)).toMatchObject({ code: 0 })
    const before = await on(live, 'export', newer)
    expect(before.stdout).toMatch(/"text":"first".*\n.*"text":"second"/)
    expect(await on(backup, 'migrate', newer)).toMatchObject({ code: 0 })
    expect((await on(backup, 'export', newer)).stdout).toBe(before.stdout)
  })
})
