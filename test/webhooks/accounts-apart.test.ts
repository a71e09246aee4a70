import { expect, test } from 'vitest'
import { whenOver } from '../support/clean-up.ts'
import { emptyDatabase } from '../support/databases.ts'
import { hooksApi, testWebhooks } from '../support/hooks-api.ts'
import { startReceiver } from '../support/receiver.ts'
import { serve } from '../support/serving.ts'
import { openForTest } from '../support/stores.ts'
import { until } from '../support/until.ts'

test('on a cluster, an account whose rows cannot be written holds up the webhook deliveries of no other', async () => {
  const url = await emptyDatabase('postgres as on Citus')
  const served = await serve('postgres', `${url}?lock_timeout=60000&statement_timeout=60000`, {
    declaration: hooksApi,
    webhooks: testWebhooks,
  })
  const outside = await openForTest(url)
  const receiver = await startReceiver()
  whenOver(receiver.close)
  // The first call, which is for the account that is held, is answered once its delivery is locked.
  const [called, locked, over] = [0, 1, 2].map(() => Promise.withResolvers<void>())
  receiver.answer(async (response) => {
    const isFirst = receiver.received.length === 1
    if (isFirst) {
      called?.resolve()
      await locked?.promise
    }
    response.writeHead(204).end()
  })
  const endpoint = { url: receiver.url, event_types: ['*'] }
  await served.make('/v2/webhook-endpoints', endpoint, { as: 'held' })
  await served.make('/v2/notes', { text: 'one' }, { as: 'held' })
  await called?.promise
  const holder = outside.transaction(async (tx) => {
    await tx.all(`SELECT 1 FROM "webhook_deliveries" WHERE "account_id" = 'held' FOR UPDATE`, [])
    locked?.resolve()
    await over?.promise
  })
  const { id } = await served.make('/v2/webhook-endpoints', endpoint, { as: 'other' })
  await served.make('/v2/notes', { text: 'two' }, { as: 'other' })
  const statuses = async (path: string, as: string) =>
    (await served.get(`${path}/deliveries`, { as })).rows.map(({ status }) => status)
  const delivered = async () =>
    (await statuses(`/v2/webhook-endpoints/${id}`, 'other')).join() === 'delivered'
  await until(delivered, { within: 20_000, what: 'the delivery of the other account' })
  over?.resolve()
  await holder
  expect(receiver.received).toHaveLength(2)
})
