import type shop from '../../examples/shop/api.ts'
import { client, ProblemError } from '../../src/client/nounkit-client.ts'

// Run by Bun, with the URL of the shop and a key: it prints what the test expects.

const [, , url = '', key] = process.argv
let sent = 0
const counted = (target: string, init: RequestInit) => {
  if (init.method === 'POST') sent++
  return fetch(target, init)
}
const api = client<typeof shop>({ url, key, version: 'v2', fetch: counted })
const made = await api.customers.create({ name: 'Ada', email: 'ada@bun.example' })
const rows: string[] = []
await api.customers.update(made, { name: 'Eve' })
for await (const { name } of api.customers.list({ filter: { email: made.email } })) rows.push(made.name, name)
const late = await api.customers.update(made, { name: 'late' }).catch((error: unknown) => error)
// After its first event, which is that it was created.
const filter = { resource_id: made.id }
const { page } = await api.events.list({ filter, limit: 1 })
const seen: string[] = []
for await (const event of api.events.follow({ filter, from: page.next_cursor ?? '' })) {
  seen.push(event.type, `${event.changed}`)
  break
}
console.log(`${rows} ${sent} ${seen} ${late instanceof ProblemError ? late.status : 'not refused'}`)
process.exit()
