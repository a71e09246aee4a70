import { setTimeout as sleep } from 'node:timers/promises'
import { api, resource } from 'nounkit'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { EventLog } from '../../src/events/event-log.ts'
import { EventSignal } from '../../src/events/event-signal.ts'
import type { Store } from '../../src/store/store.ts'
import { emptyDatabase } from '../support/databases.ts'
import { serve } from '../support/serving.ts'
import { describeStores, openForTest } from '../support/stores.ts'
import { until } from '../support/until.ts'

const declaration = api('desk', {
  events: { keepDays: 30 },
  resources: [resource('notes', { fields: { text: z.string() } })],
})

describeStores('whoever follows an account', (store) => {
  test('is woken by events of another process, and not by those of other accounts', async () => {
    const url = await store.url()
    const [here, there] = [
      await serve(store.kind, url, { declaration }),
      await serve(store.kind, url, { declaration }),
    ]
    const { signal, log } = here.api.service.engine.events
    const woken = { acme: 0, globex: 0 }
    const ends = [signal.follow('acme', () => woken.acme++), signal.follow('globex', () => woken.globex++)]
    // The first look wakes everyone: events may have come between the beginning and the look.
    await until(() => woken.acme > 0 && woken.globex > 0)
    const { acme, globex } = woken
    const { id } = await there.make('/v1/notes', { text: 'hi' }, { as: 'acme' })
    await until(() => woken.acme > acme)
    expect((await log.after('acme', 0, 10)).events.map(({ rowId }) => rowId)).toEqual([id])
    const again = woken.acme
    await there.make('/v1/notes', { text: 'ho' }, { as: 'acme' })
    await until(() => woken.acme > again)
    expect(woken.globex).toBe(globex)
    for (const end of ends) end()
  })

  test('is not woken by events of another process that it has read', async () => {
    const url = await store.url()
    const [here, there] = [
      await serve(store.kind, url, { declaration }),
      await serve(store.kind, url, { declaration }),
    ]
    const { signal, log } = here.api.service.engine.events
    const woken = { reader: 0, other: 0 }
    const ends = [
      signal.follow(
        'acme',
        () => woken.reader++,
        () => Number.MAX_SAFE_INTEGER,
      ),
      signal.follow('acme', () => woken.other++),
    ]
    // A look may find an event before it has its position, which wakes both.
    await until(async () => {
      await there.make('/v1/notes', { text: 'hi' }, { as: 'acme' })
      await log.last('acme')
      return woken.reader > 0 && woken.reader < woken.other
    })
    for (const end of ends) end()
  })
})

test('where each account is asked for by itself, a store that answers slowly is asked less often', async () => {
  const opened = await openForTest(await emptyDatabase('postgres as on Citus'))
  const looks: { readonly begunAt: number; endedAt: number }[] = []
  const slow: Store = {
    ...opened,
    async all() {
      const look = { begunAt: performance.now(), endedAt: Number.POSITIVE_INFINITY }
      looks.push(look)
      await sleep(60)
      look.endedAt = performance.now()
      return []
    },
  }
  const signal = new EventSignal(new EventLog(slow))
  const end = signal.follow('acme', () => {})
  await until(() => looks.length === 4)
  end()
  await signal.stop()
  for (const [at, { begunAt, endedAt }] of looks.slice(0, -1).entries())
    expect((looks[at + 1]?.begunAt ?? 0) - endedAt).toBeGreaterThan(3 * Math.min(300, endedAt - begunAt))
})
