import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { storeKinds } from '../support/databases.ts'
import { staleWords } from '../support/search-index.ts'
import { dataOf, prepareShop, type ServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { nightly } from './nightly.ts'
import { inStore, settled } from './stored-rows.ts'

const kills = nightly ? 50 : 1
const model = compileApi(shop)

/** Creates, renames and deletes customers until the server is gone, and counts the calls that were answered. */
async function writeUntilGone(server: ServerProcess, lane: number, answered: () => void): Promise<void> {
  const ids: string[] = []
  for (let call = 0; ; call++) {
    const name = `Lane${lane} call${call} Zoë`
    const id = call % 4 === 0 ? undefined : ids[call % ids.length]
    const [method, path, body] =
      id === undefined
        ? ['POST', '/v2/customers', { name, email: `${crypto.randomUUID()}@example.com` }]
        : call % 4 === 3
          ? ['DELETE', `/v2/customers/${id}`, undefined]
          : ['PATCH', `/v2/customers/${id}`, { name }]
    const reply = await server.call(method, path, body ? { body } : {}).catch(() => null)
    if (!reply) return
    if (method === 'POST') ids.push(dataOf(reply).id)
    if (method === 'DELETE') ids.splice(ids.indexOf(String(id)), 1)
    answered()
  }
}

describe.each(storeKinds)('%s', (kind) => {
  test(`${kills} kills amid writes of searched rows leave words that are those of the rows, and searches that find them`, {
    timeout: nightly ? 600_000 : 180_000,
  }, async () => {
    const prepared = await prepareShop(kind)
    for (let kill = 0; kill < kills; kill++) {
      const server = await prepared.start()
      let answered = 0
      const lanes = [1, 2, 3, 4].map((lane) => writeUntilGone(server, lane, () => answered++))
      await until(() => answered >= 40, { every: 1 })
      await sleep(Math.random() * 100)
      await server.child.kill('SIGKILL')
      await Promise.all(lanes)
      await settled(prepared.databaseUrl)
      const held = await inStore(prepared.databaseUrl, (store) =>
        staleWords(model, store, prepared.databaseUrl),
      )
      expect(held).toEqual({ stale: [], waiting: 0 })
    }
    const again = await prepared.start()
    const counted = async (query: string) =>
      JSON.parse((await again.call('GET', `/v2/customers?${query}`)).text)
    const rows = await inStore(prepared.databaseUrl, async (store) =>
      store.all(
        `SELECT "id" FROM "customers" WHERE "account_id" = 'acme' AND "name" LIKE 'Lane%' ORDER BY "id"`,
        [],
      ),
    )
    const { data } = await counted('search=zoe+lane&limit=100')
    expect(data.map(({ id }: { id: string }) => id)).toEqual(rows.slice(0, 100).map(([id]) => id))
    expect(data.length).toBeGreaterThan(0)
  })
})
