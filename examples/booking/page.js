// @ts-check
import { client, isProblem } from '/nounkit/nounkit-client.js'

/** @type {import('nounkit/client').Client<typeof import('./api.ts').default>} */
const api = client({ url: `${location.origin}/api`, token })
const [entry, who, rooms, told] = ['entry', 'who', 'rooms', 'told'].map((id) => document.getElementById(id))

/** A token lives for minutes; the session of the login gives the next one. */
let held = { token: '', until: 0 }
async function token() {
  if (Date.now() < held.until) return held.token
  const answer = await fetch('/auth/token')
  if (!answer.ok) return ''
  const { token } = await answer.json()
  held = { token, until: Date.now() + 5 * 60_000 }
  return token
}

const tell = (text) => {
  told.textContent = text
}

/** Made of texts and elements, so that nothing of what people typed becomes markup. */
const element = (name, attributes, ...children) => {
  const made = Object.assign(document.createElement(name), attributes)
  made.append(...children)
  return made
}

async function show(me) {
  const [all, taken, free] = await Promise.all([
    api.rooms.list({ sort: ['name'] }),
    api.bookings.list({ filter: { starts: { gte: new Date() } }, limit: 100 }),
    api.freeHours.list({ limit: 100 }),
  ])
  const lines = [
    ...taken.data.map((booking) => ({ ...booking, booking })),
    ...free.data.map((hour) => ({ ...hour, booking: null })),
  ].sort((a, b) => a.starts.localeCompare(b.starts))
  rooms.replaceChildren(
    ...all.data.map((room) => {
      const heading = element('h2', {}, `${room.name}, ${room.seats} seats`)
      const own = lines.filter(({ room_id }) => room_id === room.id)
      return element(
        'article',
        { className: 'room' },
        heading,
        element('ol', {}, ...own.map((line) => lineOf(line, room, me))),
      )
    }),
  )
}

function lineOf({ starts, booking }, room, me) {
  const time = element(
    'time',
    { dateTime: starts },
    new Date(starts).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }),
  )
  if (!booking) {
    const book = () => attempt(() => api.bookings.create({ room_id: room.id, starts, title: 'Meeting' }))
    return element('li', {}, time, element('span', {}, 'free'), button('Book', `Book ${room.name}`, book))
  }
  const isOwn = booking.booked_by === me.id
  const cancel = () => attempt(() => api.bookings.delete(booking))
  const text = element('span', {}, `${booking.title} (${booking.booked_by_name})`)
  return element(
    'li',
    { className: isOwn ? 'own' : '' },
    time,
    text,
    ...(isOwn ? [button('Cancel', `Cancel ${booking.title}`, cancel)] : []),
  )
}

const button = (text, ariaLabel, onclick) => element('button', { type: 'button', ariaLabel, onclick }, text)

/** What others do meanwhile is seen in the page soon, but not always soon enough. */
async function attempt(call) {
  try {
    await call()
    tell('')
  } catch (error) {
    tell(isProblem(error, 'unique-conflict') ? 'Somebody else was faster.' : error.message)
  }
}

/** Shows the rooms, and again after everything that happens, whoever did it. */
async function follow(me) {
  const events = api.events.follow()
  // Follows before it looks, so that nothing happens unseen between the two.
  let next = events.next()
  await show(me)
  for (let event = await next; !event.done; event = await next) {
    next = events.next()
    if (event.value.type === 'notices.created') tell(event.value.data.text)
    else await show(me)
  }
}

async function enter() {
  const session = await (await fetch('/auth/get-session')).json()
  entry.hidden = session !== null
  who.hidden = session === null
  if (!session) return
  who.querySelector('b').textContent = session.user.name
  await follow(session.user)
}

const send = (path, body = {}) =>
  fetch(`/auth/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

entry.addEventListener('submit', async (event) => {
  event.preventDefault()
  const { name, ...login } = Object.fromEntries(new FormData(entry))
  const answer = await (name ? send('sign-up/email', { name, ...login }) : send('sign-in/email', login))
  if (answer.ok) return location.reload()
  tell((await answer.json()).message ?? 'That did not work.')
})
who.querySelector('button').addEventListener('click', async () => {
  await send('sign-out')
  location.reload()
})

enter().catch((error) => tell(error.message))
