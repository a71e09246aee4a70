import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { addRequiredField, changeType } from '../../src/declare/change.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { describeServing } from '../support/serving.ts'

const events = resource('events', {
  fields: {
    at: z.iso.datetime({ offset: true }),
    day: z.iso.date().optional(),
    noted_at: z.iso.datetime({ offset: true }),
  },
  filter: ['at', 'day', 'noted_at'],
  sort: ['at'],
})
const declaration = api('times', {
  resources: [events],
  versions: [
    version('v2'),
    version('v1', {
      changes: [
        changeType('events', 'at', {
          was: z.int(),
          codec: 'datetime-as-unix-seconds',
          why: 'For the test.',
        }),
        addRequiredField('events', 'noted_at', { whenAbsent: '2026-06-01T02:00:00+02:00' }),
      ],
    }),
  ],
})

const first = { text: '0001-01-01T00:00:00.000Z', seconds: -62135596800 }
const last = { text: '9999-12-31T23:59:59.999Z', seconds: 253402300799 }
const noted_at = '2026-06-01T00:00:00.000Z'

describeServing(
  'times reach from the year 0001 to the year 9999',
  (served) => {
    test.each([first, last])('$text is stored, shown and found', async ({ text, seconds }) => {
      const { id } = await served.make('/v2/events', { at: text, day: text.slice(0, 10), noted_at })
      expect((await served.get(`/v2/events/${id}`)).data).toMatchObject({ at: text, day: text.slice(0, 10) })
      expect((await served.get(`/v1/events/${id}`)).data.at).toBe(seconds)
      for (const query of [
        `/v1/events?filter[at]=${seconds}`,
        `/v2/events?filter[at]=${text}`,
        `/v2/events?filter[day]=${text.slice(0, 10)}`,
      ])
        expect((await served.get(query)).rows.map((row) => row.id)).toContain(id)
      const made = await served.make('/v1/events', { at: seconds })
      expect(made.at).toBe(seconds)
    })

    test.each([first.seconds - 1, last.seconds + 1, -62167219201, 8.64e12, -8.64e12, 9007199254740991])(
      'unix seconds %d lie outside',
      async (at) => {
        const post = await served.call('POST', '/v1/events', { body: { at } })
        expect([post.status, post.faults], post.text).toEqual([422, ['#/at']])
        const { id } = await served.make('/v1/events', { at: 0 })
        for (const method of ['PUT', 'PATCH']) {
          const answer = await served.call(method, `/v1/events/${id}`, { body: { at } })
          expect([answer.status, answer.faults]).toEqual([422, ['#/at']])
        }
        for (const name of ['filter[at]', 'filter[at][gt]', 'filter[at][in]']) {
          const answer = await served.get(`/v1/events?${name}=${at}`)
          expect([answer.status, answer.faults]).toEqual([400, [name]])
          expect(answer.problem.detail).toContain('0001 to 9999')
        }
      },
    )

    test.each(['0000-01-01T00:00:00Z', '0001-01-01T00:59:59+01:00', '9999-12-31T23:30:00-01:00'])(
      '%s lies outside',
      async (at) => {
        const post = await served.call('POST', '/v2/events', { body: { at, noted_at } })
        expect([post.status, post.faults], post.text).toEqual([422, ['#/at']])
        const { id } = await served.make('/v2/events', { at: first.text, noted_at })
        const patched = await served.call('PATCH', `/v2/events/${id}`, { body: { at } })
        expect([patched.status, patched.faults]).toEqual([422, ['#/at']])
        const found = await served.get(`/v2/events?filter[at][lt]=${encodeURIComponent(at)}`)
        expect([found.status, found.faults]).toEqual([400, ['filter[at][lt]']])
      },
    )

    test('a date of the year 0000 lies outside', async () => {
      const post = await served.call('POST', '/v2/events', {
        body: { at: first.text, noted_at, day: '0000-12-31' },
      })
      expect([post.status, post.faults]).toEqual([422, ['#/day']])
      expect((await served.get('/v2/events?filter[day]=0000-12-31')).status).toBe(400)
    })

    test('a time that a change gives for what an older version does not send is stored in UTC', async () => {
      const { id } = await served.make('/v1/events', { at: 0 })
      expect((await served.get(`/v2/events/${id}`)).data.noted_at).toBe(noted_at)
      const found = await served.get(`/v2/events?filter[noted_at]=${noted_at}`)
      expect(found.rows.map((row) => row.id)).toContain(id)
    })
  },
  { declaration },
)
