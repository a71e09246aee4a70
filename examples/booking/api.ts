import { anyOf, api, belongsTo, hasMany, immutable, job, readOnly, resource } from 'nounkit'
import { z } from 'zod'
import { seed } from './seed.ts'

export const hour = 3_600_000

const rooms = resource('rooms', {
  description: 'What can be booked.',
  fields: {
    name: z.string().min(1).max(60).describe('As it stands on the door.'),
    seats: z.int().min(1).max(500).describe('How many people fit in.'),
  },
  relations: { bookings: hasMany('bookings', { description: 'The hours that are taken.' }) },
  unique: ['name'],
  sort: ['name'],
})

const bookings = resource('bookings', {
  description: 'An hour in a room.',
  fields: {
    // Whoever wants another hour cancels this one and books that.
    starts: immutable(z.iso.datetime().describe('The beginning of an hour.')),
    title: z.string().trim().min(1).max(80).describe('What others see.'),
    // Nobody says these: they come from the token of the person who books.
    booked_by: readOnly(z.string().max(100).default('').describe('The subject of who booked it.')),
    booked_by_name: readOnly(z.string().max(100).default('').describe('The name of who booked it.')),
  },
  relations: { room: belongsTo(rooms, { immutable: true, description: 'Which room.' }) },
  // The database keeps two people out of one hour, however fast they click.
  unique: [['room_id', 'starts']],
  filter: ['room_id', 'starts', 'booked_by'],
  sort: ['starts'],
  include: ['room'],
  rules: {
    update: ({ row, caller }) => anyOf(caller.has('bookings:all'), row.booked_by.is(caller.subject)),
  },
  problems: {
    'not-an-hour': {
      status: 422,
      title: 'A booking is one whole hour',
      description: 'The time does not begin an hour, or is over.',
      fix: 'Send an hour that has not ended, such as 2026-11-20T14:00:00Z.',
    },
  },
  hooks: {
    beforeCreate({ starts }, { caller, now, reject }) {
      const begin = Date.parse(starts)
      if (begin % hour !== 0 || begin + hour <= Date.parse(now))
        reject({ code: 'not-an-hour', detail: `${starts} does not begin an hour to come.`, field: 'starts' })
      return { booked_by: caller.subject ?? '', booked_by_name: String(caller.claims.name ?? '') }
    },
    // In the transaction of the booking: both are committed, or neither.
    async afterCreate({ id, starts }, { later }) {
      await later('remind', { booking_id: id }, { at: new Date(Date.parse(starts) - hour) })
    },
  },
})

const freeHours = resource('free-hours', {
  description: 'The hours of today and tonight that nobody has booked. No table has them: they are computed.',
  fields: { starts: z.iso.datetime().describe('The beginning of the hour.') },
  relations: { room: belongsTo(rooms, { description: 'Which room.' }) },
  answers: {
    async list({ limit = 1_000, after = '0' }, { list, now }) {
      const first = Math.ceil(Date.parse(now) / hour) * hour
      const taken = await list(bookings, { starts: { gte: text(first), lt: text(first + 12 * hour) } })
      const isTaken = new Set(taken.map(({ room_id, starts }) => `${room_id} ${Date.parse(starts)}`))
      const found = (await list(rooms, {}, { orderBy: 'name' }))
        .flatMap(({ id }) => hoursFrom(first).map((at) => ({ room_id: id, at })))
        .filter(({ room_id, at }) => !isTaken.has(`${room_id} ${at}`))
      const rows = found.slice(Number(after), Number(after) + limit).map(({ room_id, at }) => ({
        id: `${room_id}_${at / hour}`,
        room_id,
        starts: text(at),
      }))
      const end = Number(after) + rows.length
      return { rows, next: end < found.length ? String(end) : null }
    },
  },
})

const text = (time: number) => new Date(time).toISOString()
const hoursFrom = (first: number) => Array.from({ length: 12 }, (_, at) => first + at * hour)

const notices = resource('notices', {
  description: 'What somebody is told. Jobs write them: tokens of people have no scope for it.',
  fields: { to: z.string().max(100), text: z.string().max(200) },
  rules: { read: ({ row, caller }) => anyOf(caller.has('bookings:all'), row.to.is(caller.subject)) },
})

/** Run an hour ahead, or at once where that is over. */
const remind = job(z.object({ booking_id: z.string() }), async ({ booking_id }, { as, find, id }) => {
  const booking = await find(bookings, booking_id)
  if (!booking) return
  const text = `${booking.title} begins soon.`
  // The key is the same for every attempt: however often the job is run, there is one notice.
  await as().notices.create({ to: booking.booked_by, text }, { idempotencyKey: id })
})

export default api('booking', {
  title: 'Rooms by the hour',
  resources: [rooms, bookings, freeHours, notices],
  jobs: { remind },
  accounts: 'one',
  events: { keepDays: 7 },
  tokens: { claims: { scopes: 'scope' } },
  scopes: { 'bookings:all': 'Change and cancel the bookings of everybody.' },
  seed,
})
