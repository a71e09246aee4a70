import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import postgres from 'postgres'
import { installedBun } from '../test/support/installed-bun.ts'
import { startPostgres } from '../test/support/own-postgres.ts'
import { floorInBun, v2, v2InBun, v2Ruled, v2TwoWorkers, v2Unruled } from './aims.ts'
import { type Contender, startByHand, startNounkit } from './contender.ts'
import { type Prepared, postgresData, ruledShop, type Size, sqliteData, withCustomerKey } from './data.ts'
import { processors } from './processors.ts'

export type Store = 'SQLite' | 'PostgreSQL'

/** The contenders on one store, all started. */
export interface Field {
  readonly contenders: readonly Contender[]
  /**
   * Nounkit with a rule, which gives other answers than the contenders, and without: two processes that are started alike and get the
   * same requests, so that neither has more of its code compiled than the other.
   */
  readonly rulePair: readonly Contender[]
  /** Nounkit with one process and with two, on all processors. */
  startWorkers(): Promise<readonly Contender[]>
  /** Puts keys into Nounkit's table of Idempotency-Keys, as copies of one that it has made. */
  fillKeys(count: number): Promise<void>
  close(): Promise<void>
}

/** Every contender has a copy of the data, because writes change it, and one processor to itself. */
async function onSqlite(size: Size, inBun: boolean): Promise<Field> {
  const folder = mkdtempSync(join(tmpdir(), 'nounkit-bench-'))
  const remove = async () => rmSync(folder, { recursive: true })
  const data = {
    floor: await sqliteData(size, folder, 'floor'),
    fastify: await sqliteData(size, folder, 'fastify'),
    nounkit: await sqliteData(size, folder, 'nounkit'),
    ruled: await withCustomerKey(await sqliteData(size, folder, 'ruled'), size),
    inBun: inBun
      ? { floor: await sqliteData(size, folder, 'floor-bun'), nounkit: await sqliteData(size, folder, 'bun') }
      : null,
  }
  const fillKeys = async (count: number) => {
    const db = new DatabaseSync(data.nounkit.url.slice('sqlite:'.length), { timeout: 10_000 })
    const batch = 100_000
    for (let done = 0; done < count; done += batch)
      db.exec(copiesOfKey('SQLite', Math.min(batch, count - done)))
    db.close()
  }
  return startAll(data, processors.server, fillKeys, remove)
}

/** One PostgreSQL database for all contenders. Servers, database and load share the processors. */
async function onPostgres(size: Size, inBun: boolean): Promise<Field> {
  const server = await startPostgres()
  try {
    const one = await postgresData(size, server.url)
    const fillKeys = async (count: number) => {
      const sql = postgres(server.url, { max: 1 })
      await sql.unsafe(copiesOfKey('PostgreSQL', count))
      await sql.end()
    }
    const ruled = await withCustomerKey(one, size)
    const data = {
      floor: one,
      fastify: one,
      nounkit: one,
      ruled,
      inBun: inBun ? { floor: one, nounkit: one } : null,
    }
    return await startAll(data, null, fillKeys, () => server.stop())
  } catch (error) {
    await server.stop()
    throw error
  }
}

interface Data {
  readonly floor: Prepared
  readonly fastify: Prepared
  readonly nounkit: Prepared
  readonly ruled: Prepared
  readonly inBun: { readonly floor: Prepared; readonly nounkit: Prepared } | null
}

async function startAll(
  data: Data,
  processor: number | null,
  fillKeys: Field['fillKeys'],
  closeStore: () => Promise<void>,
): Promise<Field> {
  const running: Contender[] = []
  const stopAll = () => Promise.all(running.map((contender) => contender.stop()))
  const started = (contender: Contender): Contender => {
    running.push(contender)
    return contender
  }
  const startInBun = async ({ floor, nounkit }: NonNullable<Data['inBun']>) => {
    const bun = installedBun()
    if (!bun) throw new Error('Bun is not installed: npm ci --ignore-scripts=false fetches it.')
    return [
      started(await startByHand({ name: floorInBun, ...floor, processor, bun })),
      started(await startNounkit({ name: v2InBun, ...nounkit, processor, bun })),
    ]
  }
  const startThem = async () => ({
    contenders: [
      started(await startByHand({ name: 'floor', ...data.floor, processor })),
      started(await startByHand({ name: 'fastify', ...data.fastify, processor })),
      started(await startNounkit({ name: v2, ...data.nounkit, processor })),
      ...(data.inBun ? await startInBun(data.inBun) : []),
    ],
    rulePair: [
      started(await startNounkit({ name: v2Unruled, ...data.ruled, processor })),
      started(await startNounkit({ name: v2Ruled, ...data.ruled, api: ruledShop, processor })),
    ],
  })
  const them = await startThem().catch(async (error: unknown) => {
    await stopAll()
    throw error
  })
  const startWorkers = async () => {
    const alone = started(await startNounkit({ name: v2, ...data.nounkit, processor: null }))
    const two = started(await startNounkit({ name: v2TwoWorkers, ...data.nounkit, processor: null }, 2))
    return [alone, two]
  }
  return { ...them, startWorkers, fillKeys, close: () => stopAll().then(closeStore) }
}

/** Sorted by key, because inserts into an index are faster in its order. */
const copiesOfKey = (store: Store, count: number): string => {
  const rows = {
    SQLite: `WITH RECURSIVE n(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < ${count}), k(key) AS (SELECT lower(hex(randomblob(16))) FROM n ORDER BY 1)`,
    PostgreSQL: `WITH k(key) AS (SELECT gen_random_uuid()::text FROM generate_series(1, ${count}) ORDER BY 1)`,
  }[store]
  const columns =
    'expires_at, completed_at, fingerprint_version, status, account_id, fingerprint, location, etag, row_id, body'
  return `INSERT INTO nounkit_idempotency (key, ${columns}) ${rows} SELECT k.key, t.* FROM k, (SELECT ${columns} FROM nounkit_idempotency LIMIT 1) t`
}

export const startField = { SQLite: onSqlite, PostgreSQL: onPostgres }
