import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { backupCommand as command, options } from '../../src/cli/backup-command.ts'
import { openStore } from '../../src/store/open.ts'
import { backupSqlite } from '../../src/store/sqlite/backup.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { temporaryFolder } from '../support/databases.ts'
import { runHere } from './in-process.ts'
import { run } from './run.ts'

const backupCommand = (args: string[]): Promise<number> => {
  const { values: flags, positionals: words } = parseArgs({ args, options, allowPositionals: true })
  return command({ flags, words })
}

type Row = Readonly<Record<string, unknown>> & { readonly id: string }

const caller = (api: TestApi, key: string) => async (method: string, path: string, body?: object) => {
  const response = await api.fetch(path, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(response.status).toBeLessThan(300)
  return (await response.json()) as { data: Row }
}

/** A served store, with one customer and a way to order. */
async function servedShop(folder: string) {
  const file = join(folder, 'shop.db')
  const api = await testApi(shop, { databaseUrl: `sqlite:${file}` })
  onTestFinished(() => api.close())
  const key = await api.key('acme')
  const call = caller(api, key)
  const { data: customer } = await call('POST', '/v2/customers', { name: 'Ada', email: 'a@example.com' })
  const products = (await call('GET', '/v2/products?limit=1')).data as unknown as readonly Row[]
  const order = async () => {
    const { data } = await call('POST', '/v2/orders', { customer_id: customer.id, currency: 'EUR' })
    const item = { product_id: products[0]?.id, quantity: 2, unit_price: 50 }
    await call('POST', `/v2/orders/${data.id}/items`, item)
    return data.id
  }
  return { file, key, order }
}

test('a backup is everything at one moment, while the store is written, and serves like the store', async () => {
  const folder = temporaryFolder()
  const { file, key, order } = await servedShop(folder)
  chmodSync(file, 0o600)
  const before = [await order(), await order()]
  const copying = run(['backup', 'examples/shop', join(folder, 'copy.db'), '--json'], {
    env: { DATABASE_URL: `sqlite:${file}` },
  })
  let over = false
  copying.finally(() => {
    over = true
  })
  while (!over) await order()
  const { code, stdout, stderr } = await copying
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const copy = join(folder, 'copy.db')
  expect(JSON.parse(stdout)).toEqual({ file: copy, bytes: statSync(copy).size, store: file })
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([])

  const restored = await testApi(shop, { databaseUrl: `sqlite:${copy}` })
  onTestFinished(() => restored.close())
  const call = caller(restored, key)
  for (const id of before) {
    const { data } = await call('GET', `/v2/orders/${id}?include=items`)
    expect(data).toMatchObject({ total: 100, items: { data: [{ quantity: 2 }] } })
  }
})

test('a backup is refused where it would replace a file, with what to do', async () => {
  const folder = temporaryFolder()
  const { file } = await servedShop(folder)
  const [copy, foreign] = [join(folder, 'copy.db'), join(folder, 'foreign.db')]
  writeFileSync(copy, 'mine')
  writeFileSync(
    foreign,
    'no database, and longer than the header of one, which is a hundred bytes long'.repeat(3),
  )
  vi.stubEnv('DATABASE_URL', `sqlite:${file}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const said = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => said.mockRestore())
  await expect(backupCommand([copy])).rejects.toThrow(
    /copy\.db exists\. A copy replaces nothing.* Name another file\.$/,
  )
  expect(readFileSync(copy, 'utf8')).toBe('mine')
  await expect(backupCommand([])).rejects.toThrow('Which file?')
  await expect(backupCommand([folder])).rejects.toThrow('is a folder. Name a file in it')
  await expect(backupCommand(['/dev/null'])).rejects.toThrow('/dev/null exists.')
  await expect(backupCommand([join(folder, 'no/copy.db')])).rejects.toThrow(
    `The folder ${join(folder, 'no')} does not exist. Create it, or name a file in another folder.`,
  )
  rmSync(copy)
  expect(await backupCommand([copy])).toBe(0)
  expect(said.mock.lastCall?.[0]).toMatch(/copy\.db: \d+\.\d kB\.$/)

  vi.stubEnv('DATABASE_URL', `sqlite:${join(folder, 'none.db')}`)
  await expect(backupCommand([join(folder, 'new.db')])).rejects.toThrow('none.db does not exist')
  vi.stubEnv('DATABASE_URL', `sqlite:${foreign}`)
  await expect(backupCommand([join(folder, 'new.db')])).rejects.toThrow('not a database')
  vi.stubEnv('DATABASE_URL', 'postgres://localhost/shop')
  await expect(backupCommand([join(folder, 'new.db')])).rejects.toThrow(/pg_dump/)
  expect(readdirSync(folder).filter((name) => /partial|new/.test(name))).toEqual([])
})

test('links that lead round in a circle are told in one line', async () => {
  const folder = temporaryFolder()
  const { file } = await servedShop(folder)
  const loop = join(folder, 'loop')
  symlinkSync(loop, loop)
  for (const [target, url] of [
    [loop, `sqlite:${file}`],
    [join(loop, 'copy.db'), `sqlite:${file}`],
    [join(folder, 'new.db'), `sqlite:${loop}`],
  ] as const)
    expect(await runHere(['backup', target], { env: { DATABASE_URL: url } })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^[^\n]*loop[^\n]*\n$/),
    })
})

const inEnvironment = (file: string): void => {
  vi.stubEnv('DATABASE_URL', `sqlite:${file}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const said = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => said.mockRestore())
}

/** A small store in its folder. */
function smallStore(): string {
  const file = join(temporaryFolder(), 'store.db')
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE nounkit_meta (key TEXT, value TEXT)')
  database.close()
  return file
}

test('a backup is not written beside the log of another database, which would damage it', async () => {
  const store = smallStore()
  inEnvironment(store)
  const copy = join(temporaryFolder(), 'copy.db')
  for (const suffix of ['-wal', '-shm', '-journal']) {
    writeFileSync(copy + suffix, '')
    await expect(backupCommand([copy])).rejects.toThrow(`${copy}${suffix} exists.`)
    rmSync(copy + suffix)
    await expect(backupCommand([copy + suffix])).rejects.toThrow('is the name of a log of SQLite')
  }
  // Another program begins to use the name while the copy is made.
  const copying = backupSqlite(store, copy)
  writeFileSync(`${copy}-wal`, '')
  await expect(copying).rejects.toThrow(`${copy}-wal exists.`)
  expect(readdirSync(dirname(copy))).toEqual(['copy.db-wal'])
})

test('a backup that is restored beside the log of the file before is refused as it is, not damaged', async () => {
  const file = smallStore()
  const backup = join(temporaryFolder(), 'monday.db')
  await backupSqlite(file, backup)
  const database = new DatabaseSync(file)
  database.exec('CREATE TABLE later (text TEXT)')
  // As a process leaves them that is killed.
  const folder = temporaryFolder()
  for (const suffix of ['-wal', '-shm']) copyFileSync(file + suffix, join(folder, `store.db${suffix}`))
  database.close()
  const restored = join(folder, 'store.db')
  copyFileSync(backup, restored)
  const bytes = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))])
  const before = bytes()
  const refusal =
    /store\.db is a backup, and .*store\.db-wal beside it is the log of the file that was there before\. .*Move .*store\.db-wal away, and .*store\.db-shm if it exists, and start again/
  await expect(openStore(`sqlite:${restored}`)).rejects.toThrow(refusal)
  await expect(backupSqlite(restored, join(folder, 'copy.db'))).rejects.toThrow(refusal)
  expect(bytes()).toEqual(before)

  for (const suffix of ['-wal', '-shm']) rmSync(restored + suffix)
  const store = await openStore(`sqlite:${restored}`)
  const later = `SELECT 1 FROM sqlite_schema WHERE name = 'later'`
  expect(await store.all(later, [])).toEqual([])
  // A service that was killed is not in the way of the next one.
  await store.session((session) => session.script('CREATE TABLE later (text TEXT)'))
  const again = await openStore(`sqlite:${restored}`)
  expect(await again.all(later, [])).toEqual([[1]])
  await again.close()
  await store.close()
})

test('a store without tables is no store that could be copied', async () => {
  const folder = temporaryFolder()
  const empty = join(folder, 'empty.db')
  writeFileSync(empty, '')
  inEnvironment(empty)
  await expect(backupCommand([join(folder, 'new.db')])).rejects.toThrow('empty.db has no tables')
  expect([statSync(empty).size, existsSync(join(folder, 'new.db'))]).toEqual([0, false])
})
