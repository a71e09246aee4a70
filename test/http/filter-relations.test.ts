import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  api,
  belongsTo,
  changeType,
  mapValues,
  needsScope,
  renameField,
  renameRelation,
  resource,
  states,
  version,
} from '../../src/index.ts'
import { describeServing, type Row } from '../support/serving.ts'
import { newCustomer, newOrder } from '../support/shop-rows.ts'

const ids = (rows: readonly Row[]) => rows.map((row) => row.id)

describeServing('orders by the address of their customer', (served) => {
  test('are found with every operator, with sort, pages, includes and a count, also below an owner', async () => {
    const [ada, bo] = [await newCustomer(served), await newCustomer(served)]
    const [first, second, third] = [
      await newOrder(served, { customer_id: ada.id }),
      await newOrder(served, { customer_id: bo.id }),
      await newOrder(served, { customer_id: ada.id }),
    ]
    const [mail, other] = [String(ada.email), String(bo.email)].map(encodeURIComponent)
    const found = async (query: string) => ids((await served.get(`/v2/orders?${query}`)).rows)
    expect(await found(`filter[customer.email]=${mail}`)).toEqual([first.id, third.id])
    expect(await found(`filter[customer.email][in]=${mail},${other}&sort=-created_at`)).toEqual(
      [first.id, second.id, third.id].reverse(),
    )
    expect(
      await found(`filter[customer.email][gte]=${mail}&filter[customer.email][lte]=${mail}`),
    ).toHaveLength(2)
    expect(await found(`filter[customer.email]=${mail}&filter[status]=paid`)).toEqual([])
    expect(await found(`filter[customer.email][ne]=${mail}&filter[customer_id]=${ada.id}`)).toEqual([])
    expect(await found(`filter[customer.email][ne]=${mail}&filter[customer_id]=${bo.id}`)).toEqual([
      second.id,
    ])
    const page = await served.get(
      `/v2/orders?filter[customer.email]=${mail}&limit=1&include=customer&count=true&sort=-created_at`,
    )
    expect(page.page).toMatchObject({ has_more: true, total: 2, total_is_exact: true })
    expect(page.rows.map(({ id, customer }) => [id, (customer as Row).id])).toEqual([[third.id, ada.id]])
    const rest = `/v2/orders?filter[customer.email]=${mail}&sort=-created_at&cursor=${page.page.next_cursor}`
    expect(ids((await served.get(rest)).rows)).toEqual([first.id])
    expect((await served.get(rest.replace(`${mail}`, `${other}`))).refusal).toEqual([400, 'bad-cursor'])
    const below = `/v2/customers/${bo.id}/orders?filter[customer.email]`
    expect(ids((await served.get(`${below}=${other}`)).rows)).toEqual([second.id])
    expect((await served.get(`${below}=${mail}`)).rows).toEqual([])
    expect((await served.get(`/v2/orders?filter[customer.email]=${mail}`, { as: 'globex' })).rows).toEqual([])
  })

  test('are found in the words of an older version', async () => {
    const ada = await newCustomer(served)
    const order = await newOrder(served, { customer_id: ada.id })
    const mail = encodeURIComponent(String(ada.email))
    expect(ids((await served.get(`/v1/orders?filter[client.email]=${mail}`)).rows)).toEqual([order.id])
    const newer = await served.get(`/v1/orders?filter[customer.email]=${mail}`)
    expect([newer.refusal, newer.text.includes('client.email')]).toEqual([[400, 'bad-query'], true])
  })

  test('are refused by another field, with what to write instead', async () => {
    const errorsOf = async (query: string) => (await served.get(`/v2/orders?${query}`)).problem.errors
    expect(await errorsOf('filter[customer.emial]=x')).toMatchObject([
      { detail: 'is not offered; did you mean filter[customer.email]?', code: 'unknown' },
    ])
    expect(await errorsOf('filter[customer.name]=x')).toMatchObject([
      { allowed: ['status', 'customer_id', 'customer.email', 'total', 'created_at'] },
    ])
    expect(await errorsOf('customer.email=x')).toMatchObject([
      { detail: expect.stringContaining('filter[customer.email]') },
    ])
    expect(await errorsOf('filter[customer.email][like]=x')).toMatchObject([{ code: 'operator' }])
  })

  test('need the scope of their customers, too', async () => {
    const key = (name: string, scopes: readonly string[]) =>
      served.api.key('acme', { name: `${served.kind} ${name}`, scopes })
    const [orders, both] = [
      await key('o', ['orders:read']),
      await key('b', ['orders:read', 'customers:read']),
    ]
    const path = '/v2/orders?filter[customer.email]=a@example.com'
    const refused = await served.get(path, { as: orders })
    expect(refused.refusal).toEqual([403, 'scope-missing'])
    expect(refused.text).toContain('customers:read')
    expect((await served.get(path, { as: both })).status).toBe(200)
    const unknown = await served.get('/v2/orders?filter[nothing]=1', { as: orders })
    expect(unknown.text).not.toContain('customer.email')
  })
})

const towns = resource('towns', {
  shared: true,
  fields: { name: z.string(), size: z.int().optional() },
  scopes: { read: 'authenticated' },
})
const people = resource('people', {
  nameIsPluralBecause: 'the plural of person',
  fields: {
    nick: z.string(),
    born: z.iso.datetime().optional(),
    age: z.int().optional(),
    mood: z.enum(['fine', 'bad']),
    secret: needsScope('people:secrets', z.string().optional()),
    team: z.string(),
  },
  relations: { town: belongsTo(towns, { optional: true }), friend: belongsTo('people', { optional: true }) },
  filter: ['town.name', 'friend.nick', 'friend.town.name'],
  rules: { read: ({ row, caller }) => row.team.is(caller.claim('team')) },
})
const notes = resource('notes', {
  fields: { text: z.string() },
  relations: { writer: belongsTo(people), reader: belongsTo(people, { optional: true }) },
  filter: [
    'writer.nick',
    'writer.age',
    'writer.mood',
    'writer.secret',
    'writer.town.name',
    'writer.id',
    'reader.nick',
    'reader.age',
    'reader.town.size',
    'reader.friend_id',
  ],
  count: true,
})
const declaration = api('people', {
  resources: [towns, people, notes],
  scopes: { 'people:secrets': 'Read secrets.' },
})

describeServing(
  'a filter through relations',
  (served) => {
    const keys = new Map<string, string>()
    const made = new Map<string, Row>()
    beforeAll(async () => {
      const key = (name: string, team: string, scopes: readonly string[]) =>
        served.api.key('acme', { name: `${served.kind} ${name}`, scopes, claims: { team } })
      keys.set('red', await key('red', 'red', ['*', 'towns:write']))
      keys.set('blue', await key('blue', 'blue', ['*']))
      keys.set('plain', await key('plain', 'red', ['notes:read', 'people:read']))
      const make = async (name: string, path: string, body: object, as = 'red') => {
        made.set(name, await served.make(path, body, { as: keys.get(as) ?? '' }))
      }
      const id = (name: string) => made.get(name)?.id
      await make('Ulm', '/v1/towns', { name: 'Ulm', size: 3 })
      await make('Bonn', '/v1/towns', { name: 'Bonn' })
      await make('ada', '/v1/people', { nick: 'ada', age: 36, mood: 'fine', team: 'red', town_id: id('Ulm') })
      await make('bo', '/v1/people', { nick: 'bo', mood: 'bad', team: 'red', friend_id: id('ada') })
      await make(
        'cy',
        '/v1/people',
        { nick: 'cy', age: 50, mood: 'fine', team: 'blue', town_id: id('Bonn') },
        'blue',
      )
      await make('1', '/v1/notes', { text: '1', writer_id: id('ada') })
      await make('2', '/v1/notes', { text: '2', writer_id: id('ada'), reader_id: id('bo') })
      await make('3', '/v1/notes', { text: '3', writer_id: id('bo'), reader_id: id('ada') })
      await make('4', '/v1/notes', { text: '4', writer_id: id('cy'), reader_id: id('cy') }, 'blue')
    })
    const found = async (query: string, as = 'red', path = '/v1/notes') => {
      const answer = await served.get(`${path}?${query}${path === '/v1/notes' ? '&count=true' : ''}`, {
        as: keys.get(as) ?? '',
      })
      expect(answer.status, answer.text).toBe(200)
      if (path === '/v1/notes') expect(answer.page.total).toBe(answer.rows.length)
      return answer.rows.map((row) => row.text ?? row.nick).join('')
    }

    test.each([
      ['writer.nick]=ada', '12'],
      ['writer.nick][ne]=ada', '3'],
      ['writer.nick][in]=ada,bo,cy', '123'],
      ['writer.nick][gt]=ada', '3'],
      ['writer.age]=36', '12'],
      ['writer.age]=null', '3'],
      ['writer.age][ne]=36', '3'],
      ['writer.age][ne]=null', '12'],
      ['writer.age][in]=36,null', '123'],
      ['writer.age][lt]=40', '12'],
      ['writer.mood]=fine', '12'],
      ['writer.town.name]=Ulm', '12'],
      ['writer.town.name][ne]=Ulm', '3'],
      ['writer.town.name]=null', '3'],
      ['writer.town.name][ne]=null', '12'],
      ['reader.nick]=ada', '3'],
      ['reader.nick]=null', '1'],
      ['reader.nick][ne]=ada', '12'],
      ['reader.nick][in]=bo,null', '12'],
      ['reader.age]=null', '12'],
      ['reader.age][gte]=36', '3'],
      ['reader.town.size]=3', '3'],
      ['reader.town.size]=null', '12'],
      ['reader.town.size][ne]=3', '12'],
      ['reader.friend_id]=null', '13'],
    ])(
      'finds the rows whose related row meets the condition; what no relation leads to is unset: %s',
      async (query, texts) => {
        expect(await found(`filter[${query}`)).toBe(texts)
      },
    )

    test('finds nothing by a row that the caller may not read, under ne and null too', async () => {
      for (const query of ['=cy', '[ne]=cy', '[ne]=nobody', '[gt]=a', '[in]=cy,bo'])
        expect(await found(`filter[writer.nick]${query}`, 'red')).not.toContain('4')
      expect(await found('filter[writer.nick][ne]=nobody', 'blue')).toBe('4')
      expect(await found('filter[writer.town.name]=null', 'blue')).toBe('')
      expect(await found('filter[reader.nick]=null', 'blue')).toBe('1')
      expect(await found('filter[reader.nick][ne]=x', 'blue')).toBe('14')
      expect(await found('filter[friend.nick]=ada', 'red', '/v1/people')).toBe('bo')
      expect(await found('filter[friend.town.name]=Ulm', 'red', '/v1/people')).toBe('bo')
      expect(await found('filter[friend.nick][ne]=ada', 'red', '/v1/people')).toBe('ada')
      expect(await found('filter[town.name]=Bonn', 'blue', '/v1/people')).toBe('cy')
    })

    test('is bound to the claims that decide which related rows there are', async () => {
      const first = await served.get('/v1/notes?filter[writer.nick][ne]=x&limit=1', {
        as: keys.get('red') ?? '',
      })
      const next = `/v1/notes?filter[writer.nick][ne]=x&cursor=${first.page.next_cursor}`
      expect((await served.get(next, { as: keys.get('plain') ?? '' })).status).toBe(200)
      expect((await served.get(next, { as: keys.get('blue') ?? '' })).refusal).toEqual([400, 'bad-cursor'])
    })

    test('by a field that needs a scope is 403 without it, and it is not told', async () => {
      const path = '/v1/notes?filter[writer.secret]=x'
      const refused = await served.get(path, { as: keys.get('plain') ?? '' })
      expect(refused.refusal).toEqual([403, 'scope-missing'])
      expect(refused.text).toContain('people:secrets')
      expect((await served.get(path, { as: keys.get('red') ?? '' })).status).toBe(200)
      const other = await served.get('/v1/notes?filter[nothing]=x', { as: keys.get('plain') ?? '' })
      expect(other.problem.errors?.[0]?.allowed).toContain('writer.nick')
      expect(other.text).not.toContain('secret')
    })

    test('is read with the kind of the field', async () => {
      const refused = async (query: string) =>
        (await served.get(`/v1/notes?filter[${query}`, { as: keys.get('red') ?? '' })).problem.errors?.[0]
          ?.detail
      expect(await refused('writer.age]=x')).toBe(
        'has a value that is not an integer between -(2^53 - 1) and 2^53 - 1',
      )
      expect(await refused('writer.mood]=good')).toBe('has a value that is not one of fine, bad')
      expect(await refused('writer.mood][gt]=fine')).toContain(
        'compares, but writer.mood can only be tested with',
      )
      expect(await refused('writer.id]=')).toBe('is empty; leave it out instead')
    })
  },
  { declaration },
)

const released = {
  people: resource('people', {
    nameIsPluralBecause: 'the plural of person',
    fields: {
      nick: z.string(),
      cents: z.int(),
      stage: states('new', { new: ['old', 'gone'] }),
    },
  }),
  notes: resource('notes', {
    fields: {},
    relations: { writer: belongsTo('people') },
    filter: ['writer.nick', 'writer.cents', 'writer.stage'],
    sort: ['created_at'],
  }),
}

describe('in an older version', () => {
  describeServing(
    'a filter through relations',
    (served) => {
      test('has its names, its values and its forms', async () => {
        const person = await served.make('/v2/people', { nick: 'ada', cents: 250 })
        await served.call('PATCH', `/v2/people/${person.id}`, { body: { stage: 'gone' } })
        const note = await served.make('/v2/notes', { writer_id: person.id })
        const found = async (query: string) => ids((await served.get(`/v1/notes?filter[${query}`)).rows)
        expect(await found('author.name]=ada')).toEqual([note.id])
        expect(await found('author.price]=2.50')).toEqual([note.id])
        expect(await found('author.price][gt]=2.49')).toEqual([note.id])
        expect(await found('author.price][ne]=2.50')).toEqual([])
        expect(await found('author.stage]=old')).toEqual([note.id])
        expect(await found('author.stage][ne]=old')).toEqual([])
        expect((await served.get('/v1/notes?filter[writer.nick]=ada')).status).toBe(400)
      })
    },
    {
      declaration: api('released', {
        resources: [released.people, released.notes],
        versions: [
          version('v2', { published: '2026-02-01' }),
          version('v1', {
            published: '2026-01-01',
            changes: [
              renameRelation('notes', 'author', 'writer'),
              renameField('people', 'name', 'nick'),
              renameField('people', 'price', 'cents'),
              changeType('people', 'cents', {
                was: z.string().regex(/^\d{1,9}\.\d\d$/),
                codec: 'cents-as-decimal-string',
              }),
              mapValues('people', 'stage', {}, { onlyInNewer: { gone: 'old' }, why: 'One end was enough.' }),
            ],
          }),
        ],
      }),
    },
  )
})
