import { describe, expect, test } from 'vitest'
import { readAuditPage } from '../../src/audit/audit-page.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { readDeparture } from '../../src/store/departures.ts'
import { openStore } from '../../src/store/open.ts'
import { testApi } from '../../src/testing.ts'
import { nounkit } from '../support/child.ts'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { rowsOfAccount } from '../support/rows-of-account.ts'
import { until } from '../support/until.ts'
import { nightly } from './nightly.ts'
import office from './office/api.ts'

const kills = nightly ? 20 : 2
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

describe.each(storeKinds)('%s', (kind) => {
  test(`an account whose deletion is killed ${kills} times is gone as a whole, and nothing else is`, {
    timeout: nightly ? 900_000 : 180_000,
  }, async () => {
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
      const begin = () =>
        nounkit(['accounts', 'delete', 'test/crash/office', '--account', 'gone', '--yes', 'gone'], {
          env: { DATABASE_URL: databaseUrl },
        })
      let killed = 0
      for (let kill = 1; kill <= kills; kill++) {
        const child = begin()
        const enough = (all * kill * 0.8) / (kills + 1)
        await until(async () => (await deleted()) >= enough, { every: 1 })
        await child.kill('SIGKILL')
        const left = await rowsOfAccount(store, 'gone')
        if ((left.nounkit_audit_entries ?? 0) > 0) killed++
        expect(await rowsOfAccount(store, 'other')).toEqual(others)
        expect([left.buyers, left.invoices]).toEqual([had.buyers, had.invoices])
      }
      expect(killed).toBe(kills)
      const last = begin()
      expect((await last.ended).code, last.output).toBe(0)
      const { buyers = 0, invoices = 0, ...rest } = had
      expect(await rowsOfAccount(store, 'gone')).toEqual({ buyers, invoices })
      expect(await rowsOfAccount(store, 'other')).toEqual(others)
      expect(
        await store.all(`SELECT DISTINCT "person_id" FROM "invoices" WHERE "account_id" = 'gone'`, []),
      ).toEqual([[null]])
      expect(await readDeparture(store, 'gone')).toBe(null)
      // Each row was counted once, by whichever process deleted it.
      const { entries } = await readAuditPage({ store, model }, { account: '', limit: 10 })
      expect(entries.map(({ action }) => action)).toEqual(['account-deleted', 'account-deletion-begun'])
      // The words of a search are rows of the database's own on SQLite.
      const going = Object.fromEntries(Object.entries(rest).filter(([table]) => !table.includes('__search')))
      expect(entries[0]?.detail).toEqual({ account: 'gone', rows: going, kept: { buyers, invoices } })
    } finally {
      await store.close()
    }
  })
})
