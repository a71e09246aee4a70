import { beforeAll, expect, test } from 'vitest'
import { minuteMs } from '../../src/times.ts'
import { EndpointMarks } from '../../src/webhooks/endpoint-marks.ts'
import { emptyDatabase } from '../support/databases.ts'
import { testWebhooks } from '../support/hooks-api.ts'
import { type Serving, serve } from '../support/serving.ts'
import { setClock } from '../support/set-clock.ts'

let served: Serving
let here: EndpointMarks
let there: EndpointMarks
const everyMs = 1_000
const clock = setClock('2026-03-01T00:00:00Z')
// The process itself looks once, when it starts.
const time = clock.now() + 2 * everyMs

beforeAll(async () => {
  const webhooks = { ...testWebhooks, lookEveryMs: 3_600_000 }
  served = await serve('postgres', await emptyDatabase('postgres as on Citus'), { webhooks, clock })
  here = new EndpointMarks(served.store)
  there = new EndpointMarks(served.store)
})

/** Sorted: which of the two comes first depends on who looked when it started. */
const turns = async (now: number) =>
  [await here.turn(now, everyMs), await there.turn(now, everyMs)].toSorted()

test('on a cluster nobody looks for work while there are no endpoints, and else one process at a time', async () => {
  expect(await turns(time)).toContain('ours')
  await here.review(time)
  expect(await turns(time + everyMs)).toEqual(['nobody', 'nobody'])

  const { id } = await served.make('/v2/webhook-endpoints', {
    url: 'https://receiver.example/hooks',
    event_types: ['*'],
  })
  expect(await turns(time + 2 * everyMs)).toEqual(['another', 'ours'])
  expect(await turns(time + 2 * everyMs + 100)).toEqual(['another', 'another'])
  await here.review(time + 2 * minuteMs)
  expect(await turns(time + 2 * minuteMs)).toEqual(['another', 'ours'])

  await served.call('DELETE', `/v2/webhook-endpoints/${id}`)
  // An endpoint may be about to be committed.
  await here.review(time + everyMs)
  expect(await turns(time + 3 * minuteMs)).toEqual(['another', 'ours'])
  await here.review(time + 3 * minuteMs)
  expect(await turns(time + 4 * minuteMs)).toEqual(['nobody', 'nobody'])
})

test('an endpoint of a process that sets no mark is found by the housekeeping', async () => {
  await served.make('/v2/webhook-endpoints', { url: 'https://receiver.example/hooks', event_types: ['*'] })
  await served.store.writeOne(`UPDATE "nounkit_marks" SET "at" = 0 WHERE "id" = 'webhook endpoints'`, [])
  expect(await here.turn(time, everyMs)).toBe('nobody')
  await here.review(time)
  expect(await here.turn(time + minuteMs, everyMs)).toBe('ours')
})
