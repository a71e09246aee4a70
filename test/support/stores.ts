import { describe } from 'vitest'
import { openStore, type StoreOptions } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { whenOver } from './clean-up.ts'
import { emptyDatabase, type StoreForm, type StoreKind, storeKinds, walkedStores } from './databases.ts'

export interface StoreUnderTest {
  readonly kind: StoreKind
  /** The URL of a new, empty database. */
  url(): Promise<string>
  /** A store on it (or on the one named), closed when the test or the file is over. */
  open(url?: string): Promise<Store>
}

let limit: readonly StoreForm[] | null = null

/** Lets the tests that `register` declares run on these stores only. */
export async function onlyOn(forms: readonly StoreForm[], register: () => Promise<void>): Promise<void> {
  limit = forms
  await register().finally(() => {
    limit = null
  })
}

/** Runs the same tests on every store. */
export function describeStores(
  name: string,
  body: (store: StoreUnderTest) => void,
  forms: readonly StoreForm[] = storeKinds,
): void {
  for (const form of forms.filter((one) => limit?.includes(one) ?? true))
    describe(`${name} (${form})`, () => body(storeUnderTest(form)))
}

/** `describeStores` for what is walked through on SQLite by `npm test`, and on both stores by the nightly form (`walkedStores`). */
export const describeWalked = (name: string, body: (store: StoreUnderTest) => void): void =>
  describeStores(name, body, walkedStores)

export const storeUnderTest = (form: StoreForm): StoreUnderTest => ({
  kind: form === 'sqlite' ? 'sqlite' : 'postgres',
  url: () => emptyDatabase(form),
  open: async (url) => openForTest(url ?? (await emptyDatabase(form))),
})

export async function openForTest(url: string, options: StoreOptions = {}): Promise<Store> {
  const store = await openStore(url, options)
  whenOver(() => store.close())
  return store
}
