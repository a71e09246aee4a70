import { beforeAll, expect, test } from 'vitest'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { endEndpoints, endThoseOfEndedKeys, stillRests } from '../../src/webhooks/end-endpoints.ts'
import { testWebhooks } from '../support/hooks-api.ts'
import { type Serving, serve } from '../support/serving.ts'
import { accountPerWorker, type Cluster, kill, startCluster } from './cluster.ts'

let cluster: Cluster
let served: Serving
let accounts: readonly string[]
const path = '/v2/webhook-endpoints'
const body = { url: 'https://receiver.example/hooks', event_types: ['*'] }

beforeAll(async () => {
  cluster = await startCluster()
  accounts = await accountPerWorker(cluster)
  const webhooks = { ...testWebhooks, lookEveryMs: 3_600_000 }
  served = await serve('postgres', cluster.coordinator.url, { webhooks })
})

const made = async (account: string, name: string) => {
  const as = await served.api.key(account, { name })
  const { id, owner } = await served.make(path, body, { as })
  return { at: `${path}/${id}`, consumer: (owner as { consumer: string }).consumer }
}

test('endpoints end with their keys, which are rows of another table on another shard', async () => {
  for (const account of accounts) {
    const [ending, other] = [await made(account, 'till'), await made(account, 'other')]
    await new KeyRing(served.store).revoke(account, 'till')
    const along = await made(account, 'along')
    const ended = await new KeyRing(served.store).revoke(account, 'along', async (tx, keys) => {
      expect(await endEndpoints(tx, account, { keys }, Date.now())).toBe(1)
    })
    expect(ended).toBe(1)
    expect(await stillRests(served.store, account, ending.consumer, Date.now())).toBe(false)
    expect(await stillRests(served.store, account, other.consumer, Date.now())).toBe(true)
    await endThoseOfEndedKeys(served.store, Date.now())
    const state = async (at: string) => (await served.get(at, { as: account })).data
    expect(await state(ending.at)).toMatchObject({ active: false, disabled_reason: 'key-ended' })
    expect(await state(along.at)).toMatchObject({ active: false, disabled_reason: 'key-ended' })
    expect(await state(other.at)).toMatchObject({ active: true })
  }
})

test('while a worker is away, keys of the accounts on others are found', async () => {
  const [away = '', there = ''] = accounts
  const [lost, kept] = [await made(away, 'lost'), await made(there, 'kept')]
  const [worker] = cluster.workers
  if (!worker) throw new Error('no worker')
  await kill(worker)
  expect(await stillRests(served.store, there, kept.consumer, Date.now())).toBe(true)
  await expect(stillRests(served.store, away, lost.consumer, Date.now())).rejects.toThrow()
})
