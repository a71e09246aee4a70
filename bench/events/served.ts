import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { openStore } from '../../src/store/open.ts'
import { startPostgres } from '../../test/support/own-postgres.ts'
import { call } from '../answers.ts'
import { type Contender, startNounkit } from '../contender.ts'
import { processors } from '../processors.ts'
import type { Store } from '../stores.ts'

/** An API with events and one without, each on a database of its own. */
export interface Served {
  readonly with: Contender
  readonly without: Contender
  readonly databaseUrl: string
  /** A key of each account of the API with events. */
  readonly keys: readonly string[]
  /** Another process on the database of the API with events. */
  startSecond(): Promise<Contender>
  close(): Promise<void>
}

export const accounts = 100
export const customerId = '019b7653-0000-7000-8000-000000000000'
export const accountName = (index: number): string => `account-${index}`

export async function serveOrders(store: Store): Promise<Served> {
  const databases = await (store === 'SQLite' ? sqliteFiles() : postgresDatabases())
  const running: Contender[] = []
  const close = async (): Promise<void> => {
    await Promise.all(running.map((contender) => contender.stop()))
    await databases.remove()
  }
  const start = async (name: 'with' | 'without'): Promise<Contender> => {
    const contender = await startNounkit({
      name: `create ${name} events`,
      url: databases[name],
      key: '',
      api: new URL(name, import.meta.url).pathname,
      processor: store === 'SQLite' ? processors.server : null,
      settings: { NOUNKIT_WEBHOOK_ALLOW: '127.0.0.0/8' },
    })
    running.push(contender)
    return contender
  }
  try {
    const sides = { with: await start('with'), without: await start('without') }
    const keys = await newAccounts(databases.with, accounts)
    const [other = ''] = await newAccounts(databases.without, 1)
    return {
      with: { ...sides.with, key: keys[0] ?? '' },
      without: { ...sides.without, key: other },
      startSecond: () => start('with'),
      databaseUrl: databases.with,
      keys,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface Databases {
  readonly with: string
  readonly without: string
  remove(): Promise<void>
}

async function sqliteFiles(): Promise<Databases> {
  const folder = mkdtempSync(join(tmpdir(), 'nounkit-bench-'))
  const url = (name: string): string => `sqlite:${join(folder, `${name}.db`)}`
  return {
    with: url('with'),
    without: url('without'),
    remove: async () => rmSync(folder, { recursive: true }),
  }
}

async function postgresDatabases(): Promise<Databases> {
  const server = await startPostgres()
  const sql = postgres(server.url, { max: 1 })
  await sql.unsafe('CREATE DATABASE without_events')
  await sql.end()
  const without = new URL(server.url)
  without.pathname = '/without_events'
  return { with: server.url, without: without.href, remove: () => server.stop() }
}

/** Accounts with a customer each, all with the same id: the keys of the accounts. */
export async function newAccounts(databaseUrl: string, count: number): Promise<readonly string[]> {
  const store = await openStore(databaseUrl)
  const ring = new KeyRing(store)
  const secrets: string[] = []
  const time = '2026-01-01T00:00:00.000Z'
  for (let at = 0; at < count; at++) {
    const account = accountName(at)
    secrets.push((await ring.create({ account, name: 'bench', scopes: ['*'] })).secret)
    await store.writeOne(
      `INSERT INTO "customers" ("account_id", "id", "name", "email", "version", "created_at", "updated_at") VALUES ('${account}', '${customerId}', 'Customer', 'customer@example.com', 1, '${time}', '${time}')`,
      [],
    )
  }
  await store.close()
  return secrets
}

/** Resolves with the id of the new order. */
export async function createOrder(contender: Contender): Promise<string> {
  const { text } = await call(contender, {
    method: 'POST',
    path: '/orders',
    body: { customer_id: customerId, currency: 'EUR', note: 'from the benchmark' },
  })
  return JSON.parse(text).data.id
}
