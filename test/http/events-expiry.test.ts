import { api, resource } from 'nounkit'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { sweepEvents } from '../../src/events/sweep-events.ts'
import { rememberSwept } from '../../src/plan/event-sweeps.ts'
import { writeAlone } from '../../src/store/run-statement.ts'
import { dayMs } from '../../src/times.ts'
import { StreamReader } from '../support/event-source.ts'
import { describeServing } from '../support/serving.ts'
import { setClock } from '../support/set-clock.ts'

const clock = setClock('2026-03-01T00:00:00Z')
const declaration = api('desk', {
  events: { keepDays: 10 },
  resources: [resource('notes', { fields: { text: z.string() } })],
})

describeServing(
  'old events',
  (served) => {
    const sweep = () => {
      const { store, engine } = served.api.service
      return sweepEvents(store, engine.events.log, clock, 10, new AbortController().signal)
    }
    const make = (as: string, text: string) => served.make('/v1/notes', { text }, { as })
    const textsAfter = async (as: string, cursor: string | null) => {
      const { rows, page } = await served.get(`/v1/events${cursor ? `?cursor=${cursor}` : ''}`, { as })
      return { texts: rows.map(({ data }) => (data as { text: string }).text), cursor: page.next_cursor }
    }

    test('are deleted, and a cursor before them is 410 with the oldest one that still works', async () => {
      await make('one', 'a')
      const early = await textsAfter('one', null)
      await make('one', 'b')
      clock.pass(9 * dayMs)
      await make('one', 'c')
      await sweep()
      expect((await textsAfter('one', early.cursor)).texts).toEqual(['b', 'c'])
      clock.pass(2 * dayMs)
      await sweep()
      const gone = await served.get(`/v1/events?cursor=${early.cursor}`, { as: 'one' })
      expect(gone.refusal).toEqual([410, 'events-expired'])
      const oldest = String(gone.problem.oldest_cursor)
      expect((await textsAfter('one', oldest)).texts).toEqual(['c'])
      expect((await textsAfter('one', null)).texts).toEqual(['c'])
    })

    test('that were all seen leave the cursor as it is, however old it gets', async () => {
      await make('two', 'a')
      const { cursor } = await textsAfter('two', null)
      const fresh = await textsAfter('two-and-a-half', null)
      clock.pass(100 * dayMs)
      await sweep()
      expect((await textsAfter('two', cursor)).texts).toEqual([])
      expect((await textsAfter('two-and-a-half', fresh.cursor)).texts).toEqual([])
      await make('two', 'b')
      expect((await textsAfter('two', cursor)).texts).toEqual(['b'])
      expect((await textsAfter('two', null)).texts).toEqual(['b'])
    })

    test('go in small parts, also those that nobody has read', async () => {
      await Promise.all(Array.from({ length: 600 }, (_, at) => make('three', String(at))))
      await sweep()
      expect((await textsAfter('three', null)).texts).toHaveLength(25)
      clock.pass(11 * dayMs)
      await sweep()
      expect((await textsAfter('three', null)).texts).toEqual([])
    })

    test('that are all gone do not keep a stream from beginning', async () => {
      await make('four', 'a')
      clock.pass(11 * dayMs)
      await sweep()
      const response = await served.api.fetch('/v1/events', {
        headers: { authorization: `Bearer ${await served.key('four')}`, accept: 'text/event-stream' },
      })
      const stream = await new StreamReader(response).opened()
      await make('four', 'b')
      const [event] = await stream.take(1)
      expect(JSON.parse(event?.data ?? '').data.text).toBe('b')
      await stream.cancel()
    })

    test('a clock that was ahead while they were deleted hides nothing that follows', async () => {
      await make('five', 'a')
      const { cursor } = await textsAfter('five', null)
      clock.pass(365 * dayMs)
      await make('five', 'b')
      clock.pass(11 * dayMs)
      await sweep()
      const gone = await served.get(`/v1/events?cursor=${cursor}`, { as: 'five' })
      const oldest = String(gone.problem.oldest_cursor)
      clock.pass(-376 * dayMs)
      await make('five', 'c')
      expect((await textsAfter('five', oldest)).texts).toEqual(['c'])
    })

    test('a sweep that another process has overtaken does not hide that more were deleted', async () => {
      await make('six', 'a')
      const { cursor } = await textsAfter('six', null)
      await make('six', 'b')
      clock.pass(11 * dayMs)
      await sweep()
      const { store } = served.api.service
      await writeAlone(store, rememberSwept(store.dialect, 'six', 1))
      const late = await served.get(`/v1/events?cursor=${cursor}`, { as: 'six' })
      expect(late.refusal).toEqual([410, 'events-expired'])
    })
  },
  { declaration, clock },
)
