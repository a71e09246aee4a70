import { call } from '../answers.ts'
import { usageOf } from '../usage.ts'
import { fillEvents } from './fill-events.ts'
import type { Rate } from './measure.ts'
import { accountName, createOrder, type Served } from './served.ts'

/** One client reads all events of an account, page after page, three times: the pass in the middle. */
export async function readByCursor(served: Served, count: number): Promise<Rate> {
  const reader = { ...served.with, key: served.keys[1] ?? '' }
  await createOrder(reader)
  await call(reader, { method: 'GET', path: '/events' })
  await fillEvents(served.databaseUrl, accountName(1), count)
  const passes: Rate[] = []
  for (let pass = 0; pass < 3; pass++) {
    const startedAt = performance.now()
    const { cpuMicros: before } = usageOf(reader.pid)
    let [seen, cursor] = [0, '']
    for (let hasMore = true; hasMore; ) {
      const path = `/events?limit=100${cursor && `&cursor=${cursor}`}`
      const { text } = await call(reader, { method: 'GET', path })
      const { data, page } = JSON.parse(text)
      seen += data.length
      cursor = page.next_cursor
      hasMore = page.has_more
    }
    if (seen < count) throw new Error(`A reader saw ${seen} of ${count} events.`)
    passes.push({
      perSecond: (seen * 1_000) / (performance.now() - startedAt),
      cpuMicros: (usageOf(reader.pid).cpuMicros - before) / seen,
    })
  }
  return passes.toSorted((a, b) => a.perSecond - b.perSecond)[1] as Rate
}
