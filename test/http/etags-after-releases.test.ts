import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import * as change from '../../src/declare/change.ts'
import { states } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { answersOf, type Releases, releasesOn } from '../support/releases.ts'
import { describeWalked } from '../support/stores.ts'

const age = z.string().optional()
const clientFields = { full_name: z.string(), fax: z.string().optional(), age, address: z.string() }
const ticketFields = { status: states('open', { open: ['shut'] }), subject: z.string() }

/** The first version alone, with more fields where they are given. */
const oneVersion = (more: { readonly client?: z.ZodType; readonly ticket?: z.ZodType } = {}) =>
  api('desk', {
    resources: [
      resource('clients', {
        fields: { ...clientFields, ...(more.client && { phone: more.client }) },
        relations: { tickets: hasMany('tickets', { cap: 1 }), visits: hasMany('visits') },
        include: ['tickets'],
      }),
      resource('tickets', {
        fields: { ...ticketFields, ...(more.ticket && { urgent: more.ticket }) },
        relations: { client: belongsTo('clients') },
        include: ['client'],
      }),
      resource('visits', {
        fields: { place: z.string() },
        relations: { client: belongsTo('clients'), ticket: belongsTo('tickets') },
        include: ['client', 'client.tickets', 'ticket', 'ticket.client'],
      }),
    ],
    versions: [version('v1')],
  })

/** Every kind of change of rows, and code per row that keeps what it is given. */
const changes = [
  change.renameResource('clients', 'customers'),
  change.renameResource('tickets', 'cases'),
  change.renameField('customers', 'full_name', 'name'),
  change.renameField('cases', 'status', 'state'),
  change.renameRelation('customers', 'tickets', 'cases'),
  change.renameRelation('cases', 'client', 'customer'),
  change.renameRelation('visits', 'client', 'visitor'),
  change.renameRelation('visits', 'ticket', 'case'),
  change.mapValues(
    'cases',
    'state',
    { open: 'new', shut: 'done' },
    { onlyInNewer: { lost: 'shut' }, why: 'w' },
  ),
  change.changeType('customers', 'age', { was: age, codec: 'integer-as-string' }),
  change.removeField('customers', 'fax', { was: z.string().optional() }),
  change.custom('cases', {
    fields: { subject: z.string() },
    replaces: ['subject'],
    up: ({ subject }) => ({ subject }),
    down: ({ subject }) => ({ subject }),
    samples: [{ older: { subject: 'a' }, newer: { subject: 'a' } }],
  }),
]
const customerFields = {
  name: z.string(),
  age: z.int().optional(),
  address: z.string(),
  country: z.string().default('DE'),
}
const caseFields = {
  state: states('new', { new: ['done', 'lost'] }),
  subject: z.string(),
  note: z.string().optional(),
}

/** Two versions, with the head's fields, relations and resources in this order or in the reverse. */
const twoVersions = (order: 'declared' | 'reversed' = 'declared') => {
  const inOrder = <T extends object>(all: T): T =>
    order === 'declared' ? all : (Object.fromEntries(Object.entries(all).reverse()) as T)
  const resources = [
    resource('customers', {
      fields: inOrder(customerFields),
      relations: inOrder({ cases: hasMany('cases', { cap: 1 }), visits: hasMany('visits') }),
      include: ['cases'],
    }),
    resource('cases', {
      fields: inOrder(caseFields),
      relations: { customer: belongsTo('customers') },
      include: ['customer'],
    }),
    resource('visits', {
      fields: { place: z.string() },
      relations: inOrder({ visitor: belongsTo('customers'), case: belongsTo('cases') }),
      include: ['visitor', 'visitor.cases', 'case', 'case.customer'],
    }),
  ]
  return api('desk', {
    resources: order === 'declared' ? resources : resources.reverse(),
    versions: [version('v2'), version('v1', { changes })],
  })
}

/** The head grows by an optional field and one with a default. */
const grown = oneVersion({ client: z.string().optional(), ticket: z.boolean().default(false) })

async function filled({ serving }: Releases) {
  const clientsMade = []
  for (const full_name of ['Ada', 'Bob']) {
    const fields = { full_name, fax: '1', age: '30', address: 'Am Ring 1, Ulm' }
    clientsMade.push(await serving.make('/v1/clients', fields))
  }
  const ticketsMade = []
  for (const { id } of clientsMade)
    for (const subject of ['a', 'b'])
      ticketsMade.push(await serving.make('/v1/tickets', { subject, client_id: id }))
  await serving.call('PATCH', `/v1/tickets/${ticketsMade[0]?.id}`, { body: { status: 'shut' } })
  const [client, ticket] = [clientsMade[0]?.id, ticketsMade[0]?.id]
  const visit = await serving.make('/v1/visits', { place: 'Ulm', client_id: client, ticket_id: ticket })
  const included = ['client', 'ticket', 'client,ticket.client', 'client.tickets', 'client.tickets,ticket']
  return [
    ...clientsMade.flatMap(({ id }) => [`/v1/clients/${id}`, `/v1/clients/${id}?include=tickets`]),
    ...ticketsMade.flatMap(({ id }) => [`/v1/tickets/${id}`, `/v1/tickets/${id}?include=client`]),
    ...included.map((paths) => `/v1/visits/${visit.id}?include=${paths}`),
  ]
}

describeWalked('an ETag', (store) => {
  test('and the body it stands for are the same before and after a newer version is released', async () => {
    const releases = await releasesOn(store, oneVersion())
    const paths = await filled(releases)
    const before = await answersOf(releases, paths)
    expect(new Set(before.map(({ status }) => status))).toEqual(new Set([200]))
    await releases.next(oneVersion())
    expect(await answersOf(releases, paths)).toEqual(before)
    await releases.next(twoVersions())
    expect(await answersOf(releases, paths)).toEqual(before)
    await releases.next(twoVersions('reversed'))
    expect(await answersOf(releases, paths)).toEqual(before)
    for (const { path, etag } of before) {
      const again = await releases.serving.get(path, { headers: { 'If-None-Match': etag } })
      expect([again.status, again.etag]).toEqual([304, etag])
    }
  })

  test('is another one once the version shows more of an unchanged row', async () => {
    const releases = await releasesOn(store, oneVersion())
    const paths = await filled(releases)
    const before = await answersOf(releases, paths)
    await releases.next(grown)
    for (const { path, etag } of before) {
      const now = await releases.serving.get(path, { headers: { 'If-None-Match': etag } })
      expect([path, now.status]).toEqual([path, 200])
      expect(now.text).toMatch(/"phone":null|"urgent":false/)
      expect(now.etag).not.toBe(etag)
    }
  })

  test('of an older shape still lets a write through, as a bare version does', async () => {
    const releases = await releasesOn(store, oneVersion())
    const [path = '', embedded = ''] = await filled(releases)
    const { etag } = await releases.serving.get(path)
    const include = await releases.serving.get(embedded)
    await releases.next(grown)
    const patch = (tag: string, address: string) =>
      releases.serving.call('PATCH', path, { body: { address }, headers: { 'If-Match': tag } })
    const first = await patch(etag, 'B')
    expect([first.status, first.rowVersion]).toEqual([200, 2])
    expect((await patch(include.etag, 'C')).refusal).toEqual([412, 'precondition-failed'])
    expect((await patch('"2"', 'C')).status).toBe(200)
    expect((await patch(etag, 'D')).etag).toBe((await releases.serving.get(path)).etag)
  })

  test('is one and the same from POST, GET, HEAD, PUT and PATCH, and each version has its own', async () => {
    const releases = await releasesOn(store, twoVersions())
    const { serving } = releases
    const sent = { full_name: 'Ada', age: '30', address: 'A' }
    const made = await serving.call('POST', '/v1/clients', { body: sent })
    const path = `/v1/clients/${made.data.id}`
    expect((await serving.get(path)).etag).toBe(made.etag)
    expect((await serving.call('HEAD', path)).etag).toBe(made.etag)
    for (const [method, body] of [
      ['PATCH', {}],
      ['PUT', sent],
      ['PATCH', { age: '31' }],
      ['PUT', sent],
    ] as const) {
      const written = await serving.call(method, path, { body })
      expect([method, written.status]).toEqual([method, 200])
      expect(written.etag).toBe((await serving.get(path)).etag)
    }
    const head = await serving.get(`/v2/customers/${made.data.id}`)
    expect(head.rowVersion).toBe(3)
    expect(head.etag).not.toBe((await serving.get(path)).etag)
  })

  test('of a replay is the one that was stored, whatever is released since', async () => {
    const releases = await releasesOn(store, oneVersion())
    const post = () =>
      releases.serving.call('POST', '/v1/clients', {
        body: { full_name: 'Ada', age: '1', address: 'A' },
        headers: { 'Idempotency-Key': 'ada' },
      })
    const first = await post()
    expect(first.etag).toBe((await releases.serving.get(`/v1/clients/${first.data.id}`)).etag)
    await releases.next(grown)
    const replay = await post()
    expect([replay.headers.get('idempotent-replayed'), replay.etag, replay.text]).toEqual([
      'true',
      first.etag,
      first.text,
    ])
  })
})
