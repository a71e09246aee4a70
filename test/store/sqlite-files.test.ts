import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import { backupSqlite } from '../../src/store/sqlite/backup.ts'
import { StoreRefused } from '../../src/store/store.ts'
import { nodeScript } from '../support/child.ts'
import { temporaryFolder } from '../support/databases.ts'
import { openForTest } from '../support/stores.ts'

const refusal = async (url: string): Promise<string> => {
  const error = await openStore(url, { busyMs: 200 }).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(StoreRefused)
  return (error as StoreRefused).message
}

test('a URL of no known kind is refused without showing its password', async () => {
  expect(await refusal('mysql://me:secret@host/db')).toMatch(/no known kind.*sqlite:.*postgres:/)
  expect(await refusal('mysql://me:secret@host/db')).not.toContain('secret')
})

test('a store in memory is refused', async () => {
  expect(await refusal('sqlite::memory:')).toMatch(/always a file/)
  expect(await refusal('sqlite:')).toMatch(/names no file/)
})

test('a folder that does not exist is named', async () => {
  const folder = join(temporaryFolder(), 'nowhere')
  expect(await refusal(`sqlite:${folder}/x.db`)).toContain(`the folder ${folder} does not exist`)
})

test('a folder is no file', async () => {
  expect(await refusal(`sqlite:${temporaryFolder()}`)).toMatch(/is a folder/)
})

test('a file that is no database is refused and left as it was', async () => {
  const file = join(temporaryFolder(), 'notes.txt')
  writeFileSync(file, 'dear diary '.repeat(1_000))
  expect(await refusal(`sqlite:${file}`)).toMatch(/is not a SQLite database/)
  expect(readFileSync(file, 'utf8')).toBe('dear diary '.repeat(1_000))
})

test('a database of another program is refused', async () => {
  const file = join(temporaryFolder(), 'other.db')
  const other = new DatabaseSync(file)
  other.exec('CREATE TABLE posts (id); CREATE TABLE users (id)')
  other.close()
  expect(await refusal(`sqlite:${file}`)).toMatch(/another program.*\(posts, users\)/)
})

test('a file or folder that may not be written is refused, even for a user who may write everything', async () => {
  const folder = join(temporaryFolder(), 'locked')
  mkdirSync(folder)
  const file = join(folder, 'store.db')
  await (await openStore(`sqlite:${file}`)).close()
  const asNobody = process.getuid?.() === 0
  chmodSync(file, 0o444)
  chmodSync(folder, 0o555)
  if (!asNobody) expect(await refusal(`sqlite:${file}`)).toMatch(/read-only for this user/)
  else {
    const script = `process.setgid(65534); process.setuid(65534); const { openStore } = await import('./src/store/open.ts'); await openStore(process.argv[1]).catch((error) => console.log(error.name + ': ' + error.message))`
    chmodSync(join(folder, '..'), 0o755)
    const child = nodeScript('--input-type=module', ['-e', script, `sqlite:${file}`])
    await child.ended
    expect(child.output).toMatch(/StoreRefused: .*read-only for this user/)
  }
  chmodSync(folder, 0o755)
})

test('a file that another program has locked for itself is refused after a while', async () => {
  const file = join(temporaryFolder(), 'held.db')
  const holder = new DatabaseSync(file)
  holder.exec('BEGIN EXCLUSIVE')
  expect(await refusal(`sqlite:${file}`)).toMatch(/locked by another program/)
  holder.close()
})

test('a new file is made, in WAL mode with full syncs and foreign keys', async () => {
  const file = join(temporaryFolder(), 'new.db')
  const store = await openForTest(`sqlite:${file}`)
  expect(existsSync(file)).toBe(true)
  const settings = await store.transaction(async (tx) => [
    await tx.first('PRAGMA journal_mode', []),
    await tx.first('PRAGMA synchronous', []),
    await tx.first('PRAGMA foreign_keys', []),
    await tx.first('PRAGMA trusted_schema', []),
  ])
  expect(settings).toEqual([['wal'], [2], [1], [0]])
})

test('a new store and its log are for their user only; the permissions of a file that exists stay', async () => {
  const folder = temporaryFolder()
  const modesAfterWrite = async (name: string) => {
    const store = await openForTest(`sqlite:${join(folder, name)}`)
    await store.session((session) => session.script('CREATE TABLE "nounkit_meta" ("x" TEXT) STRICT'))
    return ['', '-wal', '-shm'].map((end) => statSync(join(folder, `${name}${end}`)).mode & 0o777)
  }
  expect(await modesAfterWrite('new.db')).toEqual([0o600, 0o600, 0o600])
  writeFileSync(join(folder, 'old.db'), '')
  chmodSync(join(folder, 'old.db'), 0o644)
  expect(await modesAfterWrite('old.db')).toEqual([0o644, 0o644, 0o644])

  await backupSqlite(join(folder, 'old.db'), join(folder, 'copy.db'))
  expect(statSync(join(folder, 'copy.db')).mode & 0o777).toBe(0o640)
})

test('the log is copied into the file at 16 MB, and written over', async () => {
  const file = join(temporaryFolder(), 'log.db')
  const store = await openForTest(`sqlite:${file}`)
  await store.session((session) => session.script('CREATE TABLE "things" ("text" TEXT) STRICT'))
  const write = async (megabytes: number) => {
    for (let at = 0; at < megabytes; at++)
      await store.writeOne('INSERT INTO "things" VALUES (?1)', ['x'.repeat(2 ** 20)])
    return statSync(`${file}-wal`).size / 2 ** 20
  }
  expect(await write(12)).toBeGreaterThan(12)
  expect(await write(36)).toBeLessThan(20)
})

/** A store's file with a range of bytes overwritten. */
const damagedFile = async (from: number, to: number): Promise<string> => {
  const file = join(temporaryFolder(), 'damaged.db')
  const store = await openStore(`sqlite:${file}`)
  await store.session((session) => session.script('CREATE TABLE "nounkit_meta" ("text" TEXT) STRICT'))
  for (let at = 0; at < 200; at++)
    await store.writeOne('INSERT INTO "nounkit_meta" VALUES (?1)', ['x'.repeat(1_000)])
  await store.close()
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill(0xff, from, to))
  return file
}

const remedy = (file: string) =>
  `The file is damaged. A backup that is copied beside the damaged.db-wal and damaged.db-shm of an earlier file is damaged by them. Stop the service, move ${file} away together with ${file}-wal and ${file}-shm where they exist, and only then copy a backup there. Or save what can be read into a new file with "sqlite3 ${file} .recover | sqlite3 ${file}.new".`

test('the error about a file that is damaged in the middle has its path and the remedy', async () => {
  const file = await damagedFile(8_192, 200_000)
  const store = await openForTest(`sqlite:${file}`)
  const message = `SQLite: ${file}: database disk image is malformed (11). ${remedy(file)}`
  const select = 'SELECT * FROM "nounkit_meta"'
  expect(() => store.all(select, [])).toThrow(message)
  await expect(store.transaction(async (tx) => tx.all(select, []))).rejects.toThrow(message)
  await expect(store.session((session) => session.all(select))).rejects.toThrow(message)
})

test('a file whose first page is damaged is refused with its path and the remedy', async () => {
  const file = await damagedFile(100, 4_096)
  expect(await refusal(`sqlite:${file}`)).toBe(
    `${file} cannot be opened: database disk image is malformed. ${remedy(file)}`,
  )
})
