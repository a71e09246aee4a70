import { describe, expect, test } from 'vitest'
import { readAuditPage } from '../../src/audit/audit-page.ts'
import { systemClock } from '../../src/clock.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { OperatorRing } from '../../src/console/operators/operator-ring.ts'
import { readDeparture } from '../../src/store/departures.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { testApi } from '../../src/testing.ts'
import { nounkit } from '../support/child.ts'
import { emptyDatabase, walkedStores } from '../support/databases.ts'
import { OperatorBrowser } from '../support/operator-browser.ts'
import { rowsOfAccount } from '../support/rows-of-account.ts'
import { startServer } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { nightly } from './nightly.ts'
import office from './office/api.ts'

const people = nightly ? 6_000 : 500
const model = compileApi(office)

/** People with a boss each, notes, and books that stay: of each as many. */
async function fill(databaseUrl: string, sizes: { readonly [account: string]: number }): Promise<void> {
  const served = await testApi(office, { databaseUrl })
  for (const [account, size] of Object.entries(sizes)) {
    const authorization = `Bearer ${await served.key(account)}`
    const make = async (path: string, rows: readonly object[]): Promise<readonly string[]> => {
      const headers = {
        authorization,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      }
      const answer = await served.fetch(path, {
        method: 'POST',
        headers,
        body: JSON.stringify({ data: rows }),
      })
      const { data } = (await answer.json()) as { data: readonly { id: string }[] }
      expect(answer.status).toBe(201)
      return data.map(({ id }) => id)
    }
    for (let [made, boss] = [0, null as string | null]; made < size; made += 100) {
      const names = Array.from({ length: 100 }, (_, n) => ({ name: `Person ${made + n}`, boss_id: boss }))
      const ids = await make('/v1/people', names)
      boss = ids[0] ?? null
      await make(
        '/v1/notes',
        ids.map((person_id) => ({ text: 'note', person_id })),
      )
      const [buyer_id] = await make('/v1/buyers', [{ name: 'Eve' }])
      await make(
        '/v1/invoices',
        ids.slice(0, 10).map((person_id) => ({ total: 1, person_id, buyer_id })),
      )
    }
  }
  await served.close()
}

interface Deleting {
  kill(): Promise<unknown>
  /** Resolves when the account is gone, and the process has ended. */
  ended(): Promise<unknown>
}

/** `nounkit accounts delete`. */
function byCommand(databaseUrl: string): Promise<Deleting> {
  const child = nounkit(['accounts', 'delete', 'test/crash/office', '--account', 'gone', '--yes', 'gone'], {
    env: { DATABASE_URL: databaseUrl },
  })
  return Promise.resolve({
    kill: () => child.kill('SIGKILL'),
    ended: async () => expect((await child.ended).code, child.output).toBe(0),
  })
}

/** An operator types the name in the console of a service. */
async function byConsole(databaseUrl: string, store: Store): Promise<Deleting> {
  const { child, url } = await startServer(databaseUrl, { api: 'test/crash/office' })
  const operators = new OperatorRing(store, systemClock)
  const code = (await operators.any()) ? await operators.link('grace') : await operators.create('grace')
  const browser = new OperatorBrowser({
    fetch: (path, init) => fetch(new URL(String(path), url), { redirect: 'manual', ...init }),
  })
  await browser.useLink(code)
  const page = '/console/accounts/delete'
  const done = await browser.submit(`${page}?account=gone`, page, { typed: 'gone' })
  expect(done.location, done.text).toBe('/console/accounts?done=begun')
  return {
    kill: () => child.kill('SIGKILL'),
    async ended() {
      await until(async () => (await readDeparture(store, 'gone')) === null)
      await child.kill('SIGTERM')
    },
  }
}

// A service that was killed is waited for, as one that may still write: that takes its time.
const ways = [
  { way: 'by the command', begin: byCommand, kills: nightly ? 20 : 2 },
  ...(nightly ? [{ way: 'by the console', begin: byConsole, kills: 4 }] : []),
]

describe.each(walkedStores)('%s', (kind) => {
  test.each(ways)(
    'an account whose deletion $way is killed $kills times is gone as a whole, and nothing else is',
    {
      timeout: nightly ? 900_000 : 180_000,
    },
    async ({ begin, kills }) => {
      const databaseUrl = await emptyDatabase(kind)
      await fill(databaseUrl, { gone: people, other: 200 })
      const store = await openStore(databaseUrl)
      try {
        const [had, others] = [await rowsOfAccount(store, 'gone'), await rowsOfAccount(store, 'other')]
        const all = Object.values(had).reduce((sum, one) => sum + one, 0)
        const deleted = async (): Promise<number> => {
          const departure = await readDeparture(store, 'gone')
          return Object.values(departure?.rows ?? {}).reduce((sum, one) => sum + one, 0)
        }
        for (let kill = 1; kill <= kills; kill++) {
          const deleting = await begin(databaseUrl, store)
          // In the short form the whole takes a moment: it is killed as soon as it has done anything.
          const enough = nightly ? (all * kill * 0.8) / (kills + 1) : (await deleted()) + 1
          await until(async () => (await deleted()) >= enough, { every: 1 })
          await deleting.kill()
          const left = await rowsOfAccount(store, 'gone')
          expect(Object.keys(left).length, 'the kill came too late').toBeGreaterThan(2)
          expect(await rowsOfAccount(store, 'other')).toEqual(others)
          expect([left.buyers, left.invoices]).toEqual([had.buyers, had.invoices])
        }
        await (await begin(databaseUrl, store)).ended()
        const { buyers = 0, invoices = 0, ...rest } = had
        expect(await rowsOfAccount(store, 'gone')).toEqual({ buyers, invoices })
        expect(await rowsOfAccount(store, 'other')).toEqual(others)
        expect(
          await store.all(`SELECT DISTINCT "person_id" FROM "invoices" WHERE "account_id" = 'gone'`, []),
        ).toEqual([[null]])
        // Each row was counted once, by whichever process deleted it. The words of a search are rows of the database's own on SQLite.
        const going = Object.fromEntries(
          Object.entries(rest).filter(([table]) => !table.includes('__search')),
        )
        const { entries } = await readAuditPage({ store, model }, { account: '', limit: 50 })
        const acts = entries.filter(({ action }) => action.startsWith('account-'))
        expect(acts.map(({ action }) => action)).toEqual(['account-deleted', 'account-deletion-begun'])
        expect(acts[0]?.detail).toEqual({ account: 'gone', rows: going, kept: { buyers, invoices } })
      } finally {
        await store.close()
      }
    },
  )
})
