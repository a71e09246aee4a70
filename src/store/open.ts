import type { ReadReplicas } from './postgres/read-replicas.ts'
import { readyToWrite } from './ready-to-write.ts'
import { type Store, StoreRefused } from './store.ts'

export interface StoreOptions {
  /** Settings such as NOUNKIT_POOL; those of the process by default. */
  readonly env?: { readonly [name: string]: string | undefined }
  /** SQLite: how long to wait for another process to unlock the file before requests are answered 503; 10,000 by default. */
  readonly busyMs?: number
}

/** Opens `sqlite:path` or `postgres://…`; throws StoreRefused when it cannot be used. A driver is loaded only when its URL is opened. */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const env = options.env ?? process.env
  if (url.startsWith('sqlite:')) {
    const { openSqlite } = await import('./sqlite/open-sqlite.ts')
    return readyToWrite(await openSqlite(url.slice('sqlite:'.length), options.busyMs ?? 10_000))
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import('./postgres/open-postgres.ts')
    return readyToWrite(await openPostgres(url, env))
  }
  throw new StoreRefused(
    `The database URL ${JSON.stringify(withoutPassword(url))} is of no known kind. Write sqlite:path/to/file.db or postgres://user:password@host:5432/database.`,
  )
}

/** Opens the standbys of `NOUNKIT_READ_URL`, which answer reads beside the store, with something around each of them. */
export async function openReplicas(
  store: Store,
  url: string,
  env: StoreOptions['env'] = process.env,
  watch: (standby: Store) => Store = (same) => same,
): Promise<ReadReplicas> {
  const { openReadReplicas } = await import('./postgres/read-replicas.ts')
  return openReadReplicas(store, url, env, watch)
}

const withoutPassword = (url: string): string => url.replace(/\/\/.*@/, '//***@')
