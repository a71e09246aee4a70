import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { nounkit } from '../support/child.ts'
import { temporaryFolder } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { type Reply, type ServerProcess, startServer } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { accountPerWorker, type Cluster, keyOf, silence, startCluster, wake } from './cluster.ts'
import { StatementLog, spread } from './statement-log.ts'

/** Everything that lists can do. `searched` are the fields of orders that can be searched. */
const source = (searched: string) => `
import { api, belongsTo, hasMany, resource, states, sum } from 'nounkit'
import { z } from 'zod'

const customers = resource('customers', {
  fields: { name: z.string(), email: z.email() },
  search: ['name', 'email'], filter: ['email'], sort: ['name'], count: true, bulk: true, unique: ['email'], audit: true,
})
const orders = resource('orders', {
  fields: { status: z.enum(['draft', 'paid', 'shipped']).default('draft'), total: z.int(), note: z.string().default('') },
  relations: { customer: belongsTo(customers), taggings: hasMany('taggings'), tags: hasMany('tags', { through: 'taggings' }) },
  filter: ['status', 'total', 'customer.email', 'customer.name'], sort: ['total'], include: ['customer', 'tags'],
  count: true, bulk: true, ${searched}
})
const tags = resource('tags', { fields: { name: z.string() }, filter: ['name'], sort: ['name'] })
const taggings = resource('taggings', { fields: {}, relations: { order: belongsTo(orders), tag: belongsTo(tags) } })
const shelves = resource('shelves', {
  fields: { room: z.string(), pages: sum('books', 'pages'), state: states('open', { open: ['closed'] }) },
  relations: { books: hasMany('books') }, bulk: true,
  rules: { read: ({ row }) => row.room.isNot('hidden'), create: () => true },
})
const books = resource('books', {
  fields: { pages: z.int(), code: z.string().max(20) }, relations: { shelf: belongsTo(shelves) },
  bulk: true, unique: ['code'], onlyWhile: { shelf: { state: ['open'] } },
  rules: { create: ({ row }) => row.shelf.room.is('a') },
})
const orderTotals = resource('order-totals', { totals: { of: 'orders', by: ['status', 'customer_id'], sums: ['total'] } })

export default api('trade', { resources: [customers, orders, tags, taggings, shelves, books, orderTotals], events: { keepDays: 1 } })
`
const folder = declarationFolder(source(''))
const application = 'lists'

let cluster: Cluster
let log: StatementLog
let server: ServerProcess
/** One of an account on each worker, in their order. */
let keys: readonly string[]

beforeAll(async () => {
  cluster = await startCluster({ api: folder })
  const { url } = cluster.coordinator
  keys = await Promise.all((await accountPerWorker(cluster)).map((account) => keyOf(url, account)))
  log = await StatementLog.start(cluster.coordinator, application)
  server = await startServer(`${url}?application_name=${application}`, { api: folder })
})

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies of all kinds
  readonly body: any
}
type Send = (method: string, path: string, body?: object, idempotencyKey?: string) => Promise<Answer>

const sender =
  (to: ServerProcess, key: string): Send =>
  async (method, path, body, idempotencyKey) => {
    const given = { key, ...(body && { body }), ...(idempotencyKey && { idempotencyKey }) }
    const { status, text } = await to.call(method, `/v1${path}`, given)
    return { status, body: text === '' ? null : JSON.parse(text) }
  }

const people = ['Ada Lovelace', 'Åsa Löf', 'Bo Adamson'].map((name, at) => ({
  name,
  email: `p${at}@lists.example`,
}))

/** All that lists can do, in one account. Each answer that is kept is the same on every store, but for ids, times and cursors. */
async function useLists(send: Send): Promise<readonly Answer[]> {
  const kept: Answer[] = []
  const ask = async (...[method, path, ...more]: Parameters<Send>) => {
    const answer = await send(method, path, ...more)
    kept.push(answer)
    return answer
  }
  // Many at once, and again under the same key.
  const made = await ask('POST', '/customers', { data: people }, 'people')
  expect(made.status).toBe(201)
  expect(await send('POST', '/customers', { data: people }, 'people')).toEqual(made)
  const [ada, asa] = made.body.data
  const mistaken = [
    { name: 'Cy', email: 'x' },
    { name: 'Di', email: 'p0@lists.example' },
  ]
  expect((await ask('POST', '/customers', { data: mistaken })).status).toBe(422)
  const taken = [
    { name: 'Cy', email: 'cy@lists.example' },
    { name: 'Di', email: 'p0@lists.example' },
  ]
  expect((await ask('POST', '/customers', { data: taken })).status).toBe(409)
  const lines = Array.from({ length: 30 }, (_, at) => ({
    customer_id: at % 3 === 0 ? asa.id : ada.id,
    status: at % 2 === 0 ? 'paid' : 'draft',
    total: at,
    note: `Note ${at}`,
  }))
  const orders = (await ask('POST', '/orders', { data: lines }, 'lines')).body.data
  expect(await send('POST', '/orders', { data: lines }, 'lines')).toMatchObject({
    status: 201,
    body: { data: orders },
  })

  // A search, right after the write, and after a change.
  const named = async (search: string) =>
    (await ask('GET', `/customers?sort=name&count=true&search=${encodeURIComponent(search)}`)).body
  const names = ({ data }: Answer['body']) => data.map(({ name }: { name: string }) => name)
  expect(names(await named('ada'))).toEqual(['Ada Lovelace', 'Bo Adamson'])
  expect(names(await named('ASA lof'))).toEqual(['Åsa Löf'])
  expect((await named('p0 lists')).page.total).toBe(1)
  await ask('PATCH', `/customers/${ada.id}`, { name: 'Augusta King' })
  expect(names(await named('ada'))).toEqual(['Bo Adamson'])
  expect(names(await named('king aug'))).toEqual(['Augusta King'])

  // Pages of a list with filters through a to-one, alternatives, a count and includes.
  const query =
    'filter[customer.email]=p1@lists.example&filter[or][0][status]=paid&filter[or][1][total][gte]=20&sort=-total&include=customer'
  const first = (await ask('GET', `/orders?${query}&count=true&limit=4`)).body
  expect(first.data.map(({ total }: { total: number }) => total)).toEqual([27, 24, 21, 18])
  expect(first.page).toMatchObject({ total: 7, total_is_exact: true, has_more: true })
  const rest = (await ask('GET', `/orders?${query}&limit=4&cursor=${first.page.next_cursor}`)).body
  expect(rest.data.map(({ total }: { total: number }) => total)).toEqual([12, 6, 0])

  // Totals.
  const totals = (await ask('GET', '/order-totals?by=status&filter[total][lt]=10&sort=-count,status')).body
  expect(totals.data).toEqual([
    { status: 'draft', count: 5, total: 25 },
    { status: 'paid', count: 5, total: 20 },
  ])
  await ask('GET', '/order-totals?by=customer_id,status&filter[customer.name]=Augusta%20King')

  // Many-to-many.
  const [order] = orders
  for (const name of ['red', 'green', 'blue']) {
    const tag = (await ask('POST', '/tags', { name })).body.data
    await ask('POST', '/taggings', { order_id: order.id, tag_id: tag.id })
  }
  const far = (await ask('GET', `/orders/${order.id}/tags?sort=name&limit=2`)).body
  expect(names(far)).toEqual(['blue', 'green'])
  expect(names((await ask('GET', `/orders/${order.id}/tags?filter[name][ne]=red`)).body)).toHaveLength(2)
  expect((await ask('GET', '/orders?limit=1&include=tags')).body.data[0].tags.data).toHaveLength(3)

  // Rows that rules judge, of owners with sums and states.
  const rooms = ['a', 'a', 'b', 'hidden'].map((room) => ({ room }))
  const [one, two, other, hidden] = (await ask('POST', '/shelves', { data: rooms })).body.data
  const booksOn = (...on: readonly { readonly id: string }[]) => ({
    data: on.map(({ id }, at) => ({ shelf_id: id, pages: 3, code: `code ${at}` })),
  })
  const statuses: number[] = []
  for (const list of [booksOn(one, two, other), booksOn(one, hidden), booksOn(one, two), booksOn(two, one)])
    statuses.push((await ask('POST', '/books', list)).status)
  expect(statuses).toEqual([403, 422, 201, 409])
  expect((await ask('GET', `/shelves/${two.id}`)).body.data.pages).toBe(3)
  await ask('PATCH', `/shelves/${two.id}`, { state: 'closed' })
  expect((await ask('POST', '/books', booksOn(one, two))).status).toBe(409)
  return kept
}

/** Without what is another on each store: ids by the order in which they appear, no times, no cursors. */
function comparable(answers: readonly Answer[]): string {
  const ids = new Map<string, string>()
  return JSON.stringify(answers, null, 1)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}/g, (id) => {
      if (!ids.has(id)) ids.set(id, `id ${ids.size}`)
      return ids.get(id) ?? ''
    })
    .replaceAll(/"(created_at|updated_at|next_cursor|instance)": "[^"]*"/g, '"$1": ""')
    .replaceAll(/cursor=[^"&]*/g, 'cursor=')
}

test('lists of accounts on all nodes say what SQLite says, and each statement of theirs is one task on one node', async ({
  task,
}) => {
  log.skip()
  const answers = await Promise.all(keys.map((key) => useLists(sender(server, key))))
  const file = `sqlite:${join(temporaryFolder(), 'lists.db')}`
  const single = await startServer(file, { api: folder })
  const expected = comparable(await useLists(sender(single, await keyOf(file, 'acme'))))
  for (const one of answers) expect(comparable(one)).toBe(expected)
  const observed = log.read()
  const ofRows = /"(customers|orders|tags|taggings|shelves|books|nounkit_(idempotency|audit_entries))/
  const ofLists = observed.filter(({ text }) => ofRows.test(text) && !filler.test(text))
  task.meta.figure = `${answers.flat().length} answers, ${ofLists.length} statements`
  expect(ofLists.length).toBeGreaterThan(answers.flat().length)
  expect(spread(ofLists)).toEqual([])
})

/** Accounts with rows that lack the words of a search are looked for on all nodes, once a minute. */
const filler = /SELECT DISTINCT t\."account_id"/

/** Lists and a list of new rows, of one account. */
const requests = (turn: string) =>
  [
    ['GET', '/customers?search=king&count=true'],
    ['GET', '/orders?filter[customer.email]=p1@lists.example&count=true&limit=2'],
    ['GET', '/order-totals?by=status'],
    [
      'POST',
      '/customers',
      { data: [1, 2].map((at) => ({ name: 'While', email: `${turn}-${at}@away.example` })) },
      turn,
    ],
  ] as const

test('while the node of an account is away its lists are 503, and those of the others go on; a list of rows is made once', async ({
  task,
}) => {
  const all = (at: number, turn: string): Promise<Reply[]> =>
    Promise.all(
      requests(turn).map(([method, path, body, idempotencyKey]) =>
        server.call(method, `/v1${path}`, {
          key: keys[at] ?? '',
          ...(body && { body }),
          ...(idempotencyKey && { idempotencyKey }),
        }),
      ),
    )
  const [away, ...others] = keys.map((_, at) => at) as [number, ...number[]]
  const node = cluster.workers[away]
  if (!node) throw new Error('There is no worker.')
  silence(node)
  const refused = all(away, 'first')
  let longest = 0
  for (let turn = 0; turn < 5; turn++)
    for (const at of others) {
      const begunAt = performance.now()
      const statuses = (await all(at, `turn-${turn}`)).map(({ status }) => status)
      longest = Math.max(longest, performance.now() - begunAt)
      expect(statuses).toEqual([200, 200, 200, 201])
    }
  for (const { status, headers, text } of await refused) {
    expect(status, text).toBe(503)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  }
  task.meta.figure = `four requests of another account took at most ${longest.toFixed(0)} ms`
  expect(longest).toBeLessThan(3_000)
  wake(node)
  await until(async () => (await all(away, 'first')).every(({ status }) => status < 300), {
    what: 'the accounts of the worker',
  })
  const send = sender(server, keys[away] ?? '')
  expect((await send('GET', '/customers?search=while&count=true')).body.page.total).toBe(2)
}, 120_000)

test('a search that is added finds the rows of all accounts, while the older process serves', async ({
  task,
}) => {
  const { url } = cluster.coordinator
  const searching = declarationFolder(source("search: ['note'],"))
  const migrated = nounkit(['migrate', searching], { env: { DATABASE_URL: url } })
  expect(await migrated.ended, migrated.output).toEqual({ code: 0, signal: null })
  const newer = await startServer(url, { api: searching })
  const begunAt = performance.now()
  const counted = async (key: string) =>
    (await sender(newer, key)('GET', '/orders?search=note&count=true')).body.page?.total
  for (const key of keys) {
    const [customer] = (await sender(server, key)('GET', '/customers?limit=1')).body.data
    const late = { customer_id: customer.id, total: 1, note: 'Note of the older process' }
    expect((await sender(server, key)('POST', '/orders', late)).status).toBe(201)
    await until(async () => (await counted(key)) === 31, { what: 'the words of all notes' })
  }
  task.meta.figure = `filled in ${Math.round(performance.now() - begunAt)} ms`
}, 180_000)
