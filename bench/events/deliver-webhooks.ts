import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../answers.ts'
import { usageOf } from '../usage.ts'
import { fillEvents } from './fill-events.ts'
import type { Rate } from './measure.ts'
import { accountName, createOrder, type Served } from './served.ts'

const mostMs = 60_000

/** One process sends events that are waiting to a receiver on loopback, which accepts all. */
export async function deliverWebhooks(served: Served, count: number): Promise<Rate> {
  const times: number[] = []
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      times.push(performance.now())
      response.writeHead(204).end()
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  try {
    const sender = { ...served.with, key: served.keys[2] ?? '' }
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const body = { url, event_types: ['*'] }
    await call(sender, { method: 'POST', path: '/webhook-endpoints', body })
    await createOrder(sender)
    const deadline = performance.now() + mostMs
    while (times.length === 0 && performance.now() < deadline) await sleep(10)
    const { cpuMicros: before } = usageOf(sender.pid)
    await fillEvents(served.databaseUrl, accountName(2), count)
    while (times.length <= count && performance.now() < deadline) await sleep(50)
    // The first one came alone, before the others were there.
    const [, first = 0] = times
    return {
      perSecond: ((times.length - 2) * 1_000) / ((times.at(-1) ?? 0) - first),
      cpuMicros: (usageOf(sender.pid).cpuMicros - before) / (times.length - 1),
    }
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
}
