import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Clock, clockFromEnvironment } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { refuseBrokenPromises } from '../contract/broken-promises.ts'
import type { ApiDeclaration } from '../declare/api.ts'
import { refuseOtherAccounts } from '../lifecycle/refuse-other-accounts.ts'
import { bindModel } from '../migrate/bind-model.ts'
import { deciderAtStart } from '../migrate/decide/decider-at-start.ts'
import { migrateStore } from '../migrate/migrate-store.ts'
import { publishedVersions } from '../migrate/record/published.ts'
import { anyMeta } from '../store/meta.ts'
import { openStore } from '../store/open.ts'
import { postgresSettings } from '../store/postgres/postgres-settings.ts'
import { type Store, StoreError } from '../store/store.ts'
import { CommandMistake } from './command-mistake.ts'
import { compileLoaded, type LoadedApi, loadApi } from './load.ts'

export const databaseUrl = (declaration: ApiDeclaration): string =>
  process.env.DATABASE_URL || `sqlite:${declaration.name}.db`

/** The URL of an API's store, without compiling the API. Where DATABASE_URL says it, no declaration is needed. */
export const storeUrl = async (place?: string): Promise<string> =>
  process.env.DATABASE_URL || databaseUrl((await loadApi(place)).declaration)

/** The published versions. A contract that was damaged counts: it is unknown what it promised. */
export const publishedOf = ({ declaration, frozen }: LoadedApi): readonly string[] => [
  ...publishedVersions(declaration, frozen.contracts),
  ...frozen.refusals.map(({ version }) => version),
]

/** The SQLite file that opening the store would create, or fill where it is empty; otherwise null. */
export function newFileOf(url: string): string | null {
  const [, path = ''] = /^sqlite:(?!:memory:)(.+)$/.exec(url) ?? []
  const file = resolve(path)
  if (path === '' || !existsSync(dirname(file))) return null
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined || (found.isFile() && found.size === 0) ? file : null
}

/** Why there is no store in a file that `newFileOf` gave. */
export const whyNoStore = (file: string): string =>
  existsSync(file) ? `${file} is empty` : `${file} does not exist`

/** Opens a store for a command that would find nothing in a new one: neither a file nor tables are created. */
export async function openExistingStore(url: string): Promise<Store> {
  const missing = newFileOf(url)
  if (missing !== null) throw noStore(whyNoStore(missing))
  const store = await openStore(url)
  try {
    if (!(await fits(store, anyMeta))) throw noStore(`${addressOf(url)} has no tables of Nounkit`)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

const noStore = (why: string): CommandMistake =>
  new CommandMistake(
    `There is no store yet: ${why}. Set DATABASE_URL to the store that the service uses, or make this one with nounkit migrate.`,
  )

const addressOf = (url: string): string =>
  url.startsWith('sqlite:')
    ? resolve(url.slice('sqlite:'.length))
    : `the database ${postgresSettings(url, process.env).address}`

export interface CommandStore {
  readonly model: Model
  readonly store: Store
  readonly clock: Clock
}

/**
 * Opens an API's store for a command, and closes it afterwards. Works while other processes serve the store. With `create`, a store that does
 * not exist is made; most commands would find nothing in it.
 */
export async function withStore(
  place: string | undefined,
  work: (opened: CommandStore) => Promise<number>,
  { create = false }: { readonly create?: boolean } = {},
): Promise<number> {
  const api = await loadApi(place)
  const model = compileLoaded(api)
  const clock = clockFromEnvironment(process.env)
  const url = databaseUrl(api.declaration)
  const store = create ? await openStore(url) : await openExistingStore(url)
  try {
    if (create && !(await fits(store, anyMeta))) {
      refuseBrokenPromises(model, api.frozen)
      await migrateStore(store, model, { decider: await deciderAtStart(store, model, publishedOf(api)) })
    }
    await refuseOtherAccounts(store, model)
    return await work({ model: (await bindModel(store, model)).model, store, clock })
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'outdated') throw notFitting(error)
    throw error
  } finally {
    await store.close()
  }
}

/** The declaration has something, such as events, of which the store has no table yet. */
const notFitting = ({ message }: StoreError): CommandMistake =>
  new CommandMistake(`The store does not fit the declaration (${message}). Migrate it first: nounkit migrate`)

/** Whether the store has the tables and columns of a statement. */
async function fits(store: Store, statement: string): Promise<boolean> {
  try {
    await store.first(statement, [])
    return true
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'outdated') return false
    throw error
  }
}
