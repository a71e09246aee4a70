// `npm test` runs this. Rows are in a throwaway SQLite file; each client is a person who has logged in.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isProblem } from 'nounkit/client'
import { testApi } from 'nounkit/testing'
import declaration, { hour } from './api.ts'

const api = await testApi(declaration)
after(() => api.close())
const scopes = ['rooms:read', 'bookings:read', 'bookings:write']
const person = (subject: string) => api.client({ subject, scopes, claims: { name: subject } })
const [ada, bob] = [await person('Ada'), await person('Bob')]

const room = await (await api.client()).rooms.create({ name: 'Attic', seats: 3 })
const next = (hours: number) => new Date(Math.ceil(Date.now() / hour + hours) * hour).toISOString()

test('a booking is of who made it: others see it, and cannot take it away', async () => {
  const made = await ada.bookings.create({ room_id: room.id, starts: next(1), title: 'Choir' })
  assert.deepEqual([made.booked_by, made.booked_by_name], ['Ada', 'Ada'])
  assert.equal((await bob.bookings.get(made.id)).title, 'Choir')
  await assert.rejects(bob.bookings.delete(made), (error) => isProblem(error, 'not-permitted'))
  await ada.bookings.delete(made)
})

test('of two people who book the same hour one gets it', async () => {
  const both = await Promise.allSettled(
    [ada, bob].map((one) => one.bookings.create({ room_id: room.id, starts: next(2), title: 'Yoga' })),
  )
  const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  assert.equal(refused.length, 1)
  assert.ok(isProblem(refused[0], 'unique-conflict'))
})

test('a booking is a whole hour to come', async () => {
  for (const starts of [next(-3), next(3).replace('00:00.', '30:00.')])
    await assert.rejects(ada.bookings.create({ room_id: room.id, starts, title: 'Chess' }), (error) =>
      isProblem<typeof declaration>(error, 'not-an-hour'),
    )
})

test('a booking stays at its hour', async () => {
  const made = await ada.bookings.create({ room_id: room.id, starts: next(4), title: 'Chess' })
  await assert.rejects(ada.bookings.update(made, { starts: next(-9) } as never), (error) =>
    isProblem(error, 'validation-failed'),
  )
  assert.equal((await ada.bookings.update(made, { title: 'Go' })).title, 'Go')
})
