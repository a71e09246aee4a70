import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { whenOver } from './clean-up.ts'
import { memoryFolder } from './memory-folder.ts'
import { createDatabase } from './postgres-server.ts'

export type StoreKind = 'sqlite' | 'postgres'
export const storeKinds: readonly StoreKind[] = ['sqlite', 'postgres']

/** A store, or PostgreSQL with the statements that are used on Citus. */
export type StoreForm = StoreKind | 'postgres as on Citus'
export const storeForms: readonly StoreForm[] = [...storeKinds, 'postgres as on Citus']

/** The catalogue by which a store recognizes Citus. */
export const likeCitus = 'CREATE TABLE "pg_dist_partition" ("logicalrelid" regclass, "partmethod" "char")'

/**
 * For tests that walk through every change kind, every path or every caller, where other tests have the same behaviour on both stores:
 * `npm test` walks on SQLite, the nightly form on both.
 */
export const walkedStores: readonly StoreKind[] =
  process.env.NOUNKIT_NIGHTLY === '1' ? storeKinds : ['sqlite']

/** The URL of an empty database that is dropped afterwards. */
export async function emptyDatabase(form: StoreForm): Promise<string> {
  if (form === 'sqlite') return `sqlite:${join(removedLater(memoryFolder('nounkit-sqlite-')), 'store.db')}`
  const database = await createDatabase()
  whenOver(database.drop)
  if (form !== 'postgres') await run(database.url, likeCitus)
  return database.url
}

async function run(url: string, text: string): Promise<void> {
  const sql = postgres(url, { max: 1 })
  await sql.unsafe(text)
  await sql.end()
}

/** A PostgreSQL database whose sessions are in another time zone, unless they say which. */
export async function inTokyo(): Promise<string> {
  const url = await emptyDatabase('postgres')
  const name = new URL(url).pathname.slice(1)
  await run(url, `ALTER DATABASE "${name}" SET timezone TO 'Asia/Tokyo'`)
  return url
}

export const temporaryFolder = (): string => removedLater(mkdtempSync(join(tmpdir(), 'nounkit-test-')))

function removedLater(folder: string): string {
  whenOver(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
