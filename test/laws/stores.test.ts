import { expect, test } from 'vitest'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { type Known, type RandomCall, randomCalls } from '../support/random-calls.ts'
import { type Answer, type Serving, serve } from '../support/serving.ts'

/** One store's side of the sequence: its server, and the ids it gave to the rows both have. */
interface Side {
  readonly served: Serving
  readonly ids: Map<string, string[]>
  readonly names: Map<string, string>
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Replaces ids by the order in which they were first seen, and removes cursors and hashes: the rest must be the same. */
function masked(side: Side, answer: Answer): string {
  const headers = Object.fromEntries(answer.headers)
  const text = JSON.stringify([answer.status, headers, answer.text])
  return text
    .replace(/(cursor=|next_cursor\\":\\")[\w-]+/g, '$1…')
    .replace(/"\\"(\d+\.[\w-]{8})\.[\w-]+\\""/g, '"$1.…"')
    .replace(uuid, (id) => {
      const name = side.names.get(id) ?? `id-${side.names.size}`
      side.names.set(id, name)
      return name
    })
}

const idOf = (side: Side, { resource, at }: Known): string => side.ids.get(resource)?.[at] ?? 'none'

function ask(side: Side, { method, path, ids, options }: RandomCall): Promise<Answer> {
  let at = 0
  const url = path.replaceAll('{}', () => idOf(side, ids[at++] as Known))
  const isKnown = (value: unknown): value is Known =>
    typeof value === 'object' && value !== null && 'resource' in value
  const body = Object.entries(options.body ?? {}).map(([field, value]) => [
    field,
    isKnown(value) ? idOf(side, value) : value,
  ])
  return side.served.call(method, url, {
    ...options,
    ...(options.body ? { body: Object.fromEntries(body) } : {}),
  })
}

const resourceOf = (path: string): string => {
  const last = path.split('/').at(-1) ?? ''
  return last === 'items' ? 'order-items' : last
}

test('one long random sequence of calls gets the same answers from every store', async () => {
  let now = Date.UTC(2026, 7, 1)
  const sides: Side[] = []
  for (const kind of storeKinds) {
    const served = await serve(kind, await emptyDatabase(kind), { clock: { now: () => now } })
    sides.push({ served, ids: new Map(), names: new Map() })
  }
  const calls = randomCalls(20_260_801, (resource) => sides[0]?.ids.get(resource)?.length ?? 0)
  const statuses = new Map<number, number>()
  for (let at = 0; at < 300; at++) {
    now += 1_500
    const call = calls.next()
    const answers = await Promise.all(sides.map((side) => ask(side, call)))
    const shown = answers.map((answer, side) => masked(sides[side] as Side, answer))
    const said = `call ${at}: ${JSON.stringify(call)}`
    for (const other of shown) expect(other, said).toBe(shown[0])
    const status = answers[0]?.status ?? 0
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    expect(status, said).toBeLessThan(500)
    if (status !== 201 || answers[0]?.headers.has('idempotent-replayed')) continue
    const resource = resourceOf(call.path)
    for (const [side, answer] of answers.entries()) {
      const ids = sides[side]?.ids
      ids?.set(resource, [...(ids.get(resource) ?? []), answer.data.id])
    }
  }
  // The sequence is only worth something if it goes everywhere.
  expect([...statuses.keys()].sort()).toEqual(
    expect.arrayContaining([200, 201, 204, 400, 404, 405, 409, 412, 422, 428]),
  )
  expect(statuses.get(201)).toBeGreaterThan(40)
})
