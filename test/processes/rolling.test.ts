import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { declarationFolder, librarySource } from '../support/declaration-folder.ts'
import { dataOf, newKey, type ServerProcess, startServer } from '../support/server-process.ts'

const newFields = `pages: z.int().min(1).optional(), language: z.string().max(20).default('en'),`

describe.each(storeKinds)('%s', (kind) => {
  test('a deploy rolls: the old process serves while the new one migrates, both write the same table afterwards, and the new one replays what the old one answered', async () => {
    const databaseUrl = await emptyDatabase(kind)
    const old = await startServer(databaseUrl, { api: declarationFolder(librarySource()) })
    const key = await newKey(databaseUrl)
    const create = (server: ServerProcess, body: object) => server.call('POST', '/v1/books', { key, body })

    const keyed = { key, idempotencyKey: 'rolled', body: { title: 'Once' } }
    const first = await old.call('POST', '/v1/books', keyed)

    let over = false
    const statuses = new Set<number>()
    const traffic = async (): Promise<void> => {
      while (!over) {
        statuses.add((await create(old, { title: 'Before, during, after' })).status)
        statuses.add((await old.call('GET', '/v1/books?limit=5', { key })).status)
        await sleep(5)
      }
    }
    const served = traffic()
    const next = await startServer(databaseUrl, {
      api: declarationFolder(librarySource({ fields: newFields, more: `limits: { pageMax: 50 }` })),
    })
    const fromNew = await create(next, { title: 'New', pages: 12 })
    await sleep(100)
    over = true
    await served
    expect([...statuses].sort()).toEqual([200, 201])

    const made = dataOf(fromNew)
    expect(made).toMatchObject({ title: 'New', pages: 12, language: 'en' })
    const seenByOld = await old.call('GET', `/v1/books/${made.id}`, { key })
    expect(Object.keys(dataOf(seenByOld))).toEqual(['id', 'title', 'created_at', 'updated_at'])
    const fromOld = dataOf(await create(old, { title: 'Old' }))
    const seenByNew = await next.call('GET', `/v1/books/${fromOld.id}`, { key })
    expect(dataOf(seenByNew)).toMatchObject({ title: 'Old', pages: null, language: 'en' })
    // Writes of the old process leave columns unchanged that it does not know.
    const renamed = await old.call('PATCH', `/v1/books/${made.id}`, { key, body: { title: 'Renamed' } })
    expect(renamed.status).toBe(200)
    const after = await next.call('GET', `/v1/books/${made.id}`, { key })
    expect(dataOf(after)).toMatchObject({ title: 'Renamed', pages: 12 })

    const replayed = await next.call('POST', '/v1/books', keyed)
    expect([replayed.status, replayed.text]).toEqual([201, first.text])
    expect(replayed.headers['idempotent-replayed']).toBe('true')
  })
})
