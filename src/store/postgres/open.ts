import { type Store, StoreRefused } from '../store.ts'

export async function openPostgres(
  _url: string,
  _env: { readonly [name: string]: string | undefined },
): Promise<Store> {
  throw new StoreRefused('PostgreSQL is not there yet')
}
