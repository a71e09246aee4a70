import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { type CallOptions, type Serving, serve } from './serving.ts'
import type { StoreUnderTest } from './stores.ts'

/** One store, served by one declaration after another. */
export interface Releases {
  readonly serving: Serving
  /**
   * Publishes every version, ends the service, migrates the store with its renames, and serves the next declaration on it.
   * `prepare` does the steps that a migration leaves to the operator.
   */
  next(declaration: ApiDeclaration, prepare?: (store: Store) => Promise<void>): Promise<void>
}

export async function releasesOn(store: StoreUnderTest, first: ApiDeclaration): Promise<Releases> {
  const url = await store.url()
  const contracts = new Map<string, unknown>()
  let declared = first
  let serving = await serve(store.kind, url, { declaration: first })
  return {
    get serving() {
      return serving
    },
    async next(declaration, prepare) {
      const model = compileApi(declared, { contracts })
      for (const version of model.versions) contracts.set(version.name, contractOf(model, version))
      await serving.api.close()
      const opened = await openStore(url)
      await prepare?.(opened)
      await migrateStore(opened, compileApi(declaration, { contracts }), { stops: true })
      await opened.close()
      declared = declaration
      serving = await serve(store.kind, url, { declaration, contracts: new Map(contracts) })
    },
  }
}

/** Status, ETag and body of each path. */
export const answersOf = async ({ serving }: Releases, paths: readonly string[], options: CallOptions = {}) =>
  Promise.all(
    paths.map(async (path) => {
      const { status, etag, text } = await serving.get(path, options)
      return { path, status, etag, text }
    }),
  )
