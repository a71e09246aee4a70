import { api, resource } from 'nounkit'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'
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
