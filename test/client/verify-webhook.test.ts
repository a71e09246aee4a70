import { expect, test } from 'vitest'
import type shop from '../../examples/shop/api.ts'
import { verifyWebhook } from '../../src/client/nounkit-client.ts'
import { newSecret, signedHeaders } from '../../src/webhooks/signature.ts'

const body = '{"data":{"id":"1","type":"customers.created","data":{"name":"Zoë"}}}'
const seconds = () => Math.floor(Date.now() / 1_000)
const [secret, old] = [newSecret(), newSecret()]

test('gives the event of a call that the service signed, from any kind of headers and body', async () => {
  const headers = signedHeaders('event-1', seconds(), body, [secret])
  const titled = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
  )
  for (const given of [headers, new Headers(headers), titled]) {
    const event = await verifyWebhook<typeof shop>(secret, given, body)
    if (event.type !== 'customers.created') throw new Error(event.type)
    expect(event.data.name).toBe('Zoë')
  }
  expect(await verifyWebhook(secret, headers, new TextEncoder().encode(body))).toMatchObject({ id: '1' })
  // While a secret is being replaced, both sign.
  const both = signedHeaders('event-1', seconds(), body, [old, secret])
  for (const one of [secret, old]) expect(await verifyWebhook(one, both, body)).toMatchObject({ id: '1' })
})

test('refuses every other call', async () => {
  const signed = signedHeaders('event-1', seconds(), body, [secret])
  const wrong = 'The signature of the webhook is wrong'
  const late = 'The timestamp of the webhook is more than 5 minutes off'
  const refused = (headers: Parameters<typeof verifyWebhook>[1], why: string, text = body, by = secret) =>
    expect(verifyWebhook(by, headers, text)).rejects.toThrow(why)
  await refused(signed, wrong, body.replace('Zoë', 'Zoe'))
  await refused({ ...signed, 'webhook-id': 'event-2' }, wrong)
  await refused(signed, wrong, body, old)
  await refused({ ...signed, 'webhook-signature': 'v1,' }, wrong)
  await refused({ ...signed, 'webhook-signature': 'v1,%%% v2,abc' }, wrong)
  await refused({ ...signed, 'webhook-signature': `v1a,${signed['webhook-signature']?.slice(3)}` }, wrong)
  for (const off of [-310, 310])
    await refused(signedHeaders('event-1', seconds() + off, body, [secret]), late)
  await refused({ ...signed, 'webhook-timestamp': 'soon' }, late)
  await refused({}, 'This is no call of a webhook')
  await refused(signed, 'needs the body as it came', JSON.parse(body))
})
