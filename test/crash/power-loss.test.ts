import { appendFileSync, copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/databases.ts'
import { dataOf, prepareShop, type ServerProcess } from '../support/server-process.ts'
import { newWish, prepareGround, send, type Wish } from './keyed-stream.ts'
import { nightly } from './nightly.ts'
import { inStore, wrongTotals } from './stored-rows.ts'

const losses = nightly ? 40 : 2
const lanes = 6

/** Keyed creates until the server is gone: it is killed amid them, after this many answers. */
async function writeUntilKilled(server: ServerProcess, wishes: Wish[], after: number): Promise<void> {
  const ground = await prepareGround(server)
  let answers = 0
  const lane = async (): Promise<void> => {
    for (;;) {
      const wish = newWish(ground, wishes.length)
      wishes.push(wish)
      const reply = await send(server, wish).catch(() => null)
      if (!reply) return
      wish.answer = reply
      if (++answers === after) void server.child.kill('SIGKILL')
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** The database and its log. The index of the log (`-shm`) is memory that processes share, and is gone after a loss of power. */
function copyOf(file: string, torn: Buffer): string {
  const copy = join(temporaryFolder(), 'copy.db')
  copyFileSync(file, copy)
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`)
  if (torn.length > 0) appendFileSync(`${copy}-wal`, torn)
  return copy
}

const tableOf = ({ path }: Wish): string =>
  path.endsWith('/items') ? 'order_items' : path.endsWith('/refunds') ? 'refunds' : 'customers'

test(`SQLite: after ${losses} losses of power, the files as they were left open as a sound store that has every acknowledged row`, {
  timeout: nightly ? 600_000 : 180_000,
}, async () => {
  for (let loss = 0; loss < losses; loss++) {
    const shop = await prepareShop('sqlite')
    const wishes: Wish[] = []
    await writeUntilKilled(await shop.start(), wishes, 20 + Math.floor(Math.random() * 60))
    const acknowledged = wishes.filter(({ answer }) => answer?.status === 201)
    expect(acknowledged.length).toBeGreaterThan(10)
    // Once as they are, once with the part of a page that was being written.
    for (const torn of [Buffer.alloc(0), Buffer.alloc(2_500, 0x5a)]) {
      const copy = copyOf(shop.databaseUrl.slice('sqlite:'.length), torn)
      await inStore(`sqlite:${copy}`, async (store) => {
        expect(await wrongTotals(store)).toEqual([])
        for (const wish of acknowledged) {
          const sql = `SELECT 1 FROM "${tableOf(wish)}" WHERE "account_id" = 'acme' AND "id" = ?1`
          for (const { id } of [dataOf(wish.answer as never)].flat()) {
            const row = await store.first(sql, [id])
            expect(row, `${wish.path} ${wish.key}`).toEqual([1])
          }
        }
      })
      const sound = new DatabaseSync(copy)
      expect(sound.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
      expect(sound.prepare('PRAGMA foreign_key_check').all()).toEqual([])
      sound.close()
    }
  }
})
