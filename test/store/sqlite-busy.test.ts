import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { StoreOptions } from '../../src/store/open.ts'
import { nodeScript } from '../support/child.ts'
import { temporaryFolder } from '../support/databases.ts'
import { openForTest } from '../support/stores.ts'

const holdLock = fileURLToPath(new URL('hold-lock.ts', import.meta.url))
const writeMany = fileURLToPath(new URL('write-many.ts', import.meta.url))

async function thingsStore(options: StoreOptions = {}) {
  const file = join(temporaryFolder(), 'shared.db')
  const store = await openForTest(`sqlite:${file}`, options)
  await store.session((session) =>
    session.script(
      'CREATE TABLE "nounkit_meta" ("key" TEXT); CREATE TABLE "things" ("name" TEXT PRIMARY KEY) STRICT',
    ),
  )
  const count = async () => (await store.first('SELECT count(*) FROM "things"', []))?.[0]
  return { file, store, count }
}

test('while another process writes, writes wait and reads go on', async () => {
  const { file, store, count } = await thingsStore()
  const holder = nodeScript(holdLock, [file, '700'])
  await holder.line(/^locked$/)
  let written = false
  const write = store.writeOne('INSERT INTO "things" VALUES (?1)', ['waited']).then(() => {
    written = true
  })
  let readsMeanwhile = 0
  while (!written) {
    if ((await count()) === 0) readsMeanwhile++
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await write
  expect(holder.stdout).toContain('released')
  // 700 ms in steps of 5: had the wait held up the event loop, there would be one.
  expect(readsMeanwhile).toBeGreaterThan(10)
  expect(await count()).toBe(1)
})

test('three processes write into one file at once, and none is refused', async () => {
  const { file, count } = await thingsStore()
  const writers = ['a', 'b', 'c'].map((name) => nodeScript(writeMany, [`sqlite:${file}`, name, '50']))
  const endings = await Promise.all(writers.map((writer) => writer.ended))
  expect(writers.map((writer) => writer.output.trim())).toEqual(Array(3).fill('wrote 200'))
  expect(endings.map(({ code }) => code)).toEqual([0, 0, 0])
  expect(await count()).toBe(600)
})

test('another process can write while transactions of this one wait for hooks one after the other', async () => {
  const { file, store, count } = await thingsStore()
  let over = false
  const stream = (async () => {
    const works: Promise<unknown>[] = []
    while (!over) {
      works.push(store.transaction(() => sleep(50)))
      await sleep(45)
    }
    await Promise.all(works)
  })()
  const writer = nodeScript(writeMany, [`sqlite:${file}`, 'other', '1'])
  await writer.ended
  over = true
  expect(writer.output.trim()).toBe('wrote 4')
  await stream
  expect(await count()).toBe(4)
})

test('a lock that is never released makes the store unavailable in the end, and later calls succeed', async () => {
  const { file, store, count } = await thingsStore({ busyMs: 300 })
  const holder = nodeScript(holdLock, [file, '60000'])
  await holder.line(/^locked$/)
  const write = store.writeOne('INSERT INTO "things" VALUES (?1)', ['never'])
  await expect(write).rejects.toMatchObject({ name: 'StoreError', kind: 'unavailable' })
  await holder.kill('SIGKILL')
  await store.writeOne('INSERT INTO "things" VALUES (?1)', ['after'])
  expect(await count()).toBe(1)
})
