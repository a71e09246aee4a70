import { anyOf, api, belongsTo, hasMany, readOnly, resource } from 'nounkit'
import { z } from 'zod'
import { seed } from './seed.ts'

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
    starts: z.iso.datetime().describe('The beginning of an hour.'),
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
  },
})

export const hour = 3_600_000

export default api('booking', {
  title: 'Rooms by the hour',
  resources: [rooms, bookings],
  accounts: 'one',
  events: { keepDays: 7 },
  tokens: { claims: { scopes: 'scope' } },
  scopes: { 'bookings:all': 'Change and cancel the bookings of everybody.' },
  seed,
})
