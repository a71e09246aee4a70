import { type Store, StoreRefused } from './store.ts'

export interface StoreOptions {
  /** Settings such as NOUNKIT_POOL; the process's own unless said. */
  readonly env?: { readonly [name: string]: string | undefined }
}

/** Opens `sqlite:path` or `postgres://…`; throws StoreRefused when it cannot be used. Each driver is loaded only when asked for. */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const env = options.env ?? process.env
  if (url.startsWith('sqlite:')) {
    const { openSqlite } = await import('./sqlite/open.ts')
    return openSqlite(url.slice('sqlite:'.length))
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import('./postgres/open.ts')
    return openPostgres(url, env)
  }
  throw new StoreRefused(
    `The database URL ${JSON.stringify(withoutPassword(url))} is of no known kind. Write sqlite:path/to/file.db or postgres://user:password@host:5432/database.`,
  )
}

const withoutPassword = (url: string): string => url.replace(/\/\/[^@/]*@/, '//***@')
