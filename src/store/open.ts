import { type Store, StoreRefused } from './store.ts'

export interface StoreOptions {
  /** Settings such as NOUNKIT_POOL; the process's own unless said. */
  readonly env?: { readonly [name: string]: string | undefined }
  /** SQLite: how long another process may hold the file before callers are told to come back later; 10,000 unless said. */
  readonly busyMs?: number
}

/** Opens `sqlite:path` or `postgres://…`; throws StoreRefused when it cannot be used. Each driver is loaded only when asked for. */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const env = options.env ?? process.env
  if (url.startsWith('sqlite:')) {
    const { openSqlite } = await import('./sqlite/open-sqlite.ts')
    return openSqlite(url.slice('sqlite:'.length), options.busyMs ?? 10_000)
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import('./postgres/open-postgres.ts')
    return openPostgres(url, env)
  }
  throw new StoreRefused(
    `The database URL ${JSON.stringify(withoutPassword(url))} is of no known kind. Write sqlite:path/to/file.db or postgres://user:password@host:5432/database.`,
  )
}

const withoutPassword = (url: string): string => url.replace(/\/\/.*@/, '//***@')
