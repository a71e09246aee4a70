import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import {
  api,
  belongsTo,
  hasMany,
  needsScope,
  renameField,
  renameResource,
  resource,
  sum,
  version,
  writeOnly,
} from 'nounkit'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { readAuditPage } from '../../src/audit/audit-page.ts'
import { sweepAudit } from '../../src/audit/sweep-audit.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { dayMs } from '../../src/times.ts'
import { describeServing, type Row, type Serving } from '../support/serving.ts'
import { setClock } from '../support/set-clock.ts'

const carts = resource('carts', {
  fields: {
    label: z.string().max(40),
    price: needsScope('carts:finance', z.int().default(0)),
    pin: writeOnly(z.string().optional()),
    weight: sum('parcels', 'grams'),
  },
  relations: { parcels: hasMany('parcels') },
  bulk: true,
})
const parcels = resource('parcels', {
  fields: { grams: z.int() },
  relations: { cart: belongsTo('carts', { onTargetDelete: 'cascade' }) },
  problems: { unlucky: { status: 409, title: 'An unlucky number' } },
  hooks: {
    async afterCreate(parcel, { create, reject }) {
      if (parcel.grams === 666) reject({ code: 'unlucky', detail: 'No.' })
      if (parcel.grams === 7) await create(labels, { text: 'seven' })
    },
  },
})
const labels = resource('labels', { fields: { text: z.string() } })
const drafts = resource('drafts', { fields: { text: z.string() }, audit: false })
const words = resource('words', { fields: { text: z.string() }, shared: true })
const loans = resource('loans', {
  fields: { member: z.string(), note: z.string().default('') },
  rules: {
    read: ({ row, caller }) => row.member.is(caller.claim('member')),
    create: () => true,
    update: () => true,
  },
})

const declaration = api('depot', {
  audit: { keepDays: 90 },
  events: { keepDays: 30 },
  scopes: { 'carts:finance': 'See prices.' },
  resources: [carts, parcels, labels, drafts, words, loans],
  versions: [
    version('v2', { published: '2026-01-01' }),
    version('v1', {
      published: '2025-01-01',
      changes: [
        renameResource('trolleys', 'carts', { why: 'A shorter word.' }),
        renameField('carts', 'name', 'label'),
      ],
    }),
  ],
})

let accounts = 0
const newAccount = (): string => `audit-${++accounts}`

const entriesOf = async (served: Serving, as: string, query = '', v = 'v2'): Promise<readonly Row[]> => {
  const answer = await served.get(`/${v}/audit-entries${query}`, { as })
  expect(answer.status, answer.text).toBe(200)
  return answer.rows
}
/** Oldest first, without the entries of keys. */
const changesOf = async (served: Serving, as: string, query = '', v = 'v2'): Promise<readonly Row[]> =>
  (await entriesOf(served, as, query, v)).filter(({ resource }) => resource !== null).toReversed()
const whatOf = async (served: Serving, as: string): Promise<readonly string[]> =>
  (await changesOf(served, as)).map(({ resource, action }) => `${resource}.${action}`)

describeServing(
  'the audit',
  (served) => {
    test('has for each change who, by which request, when, and the row before and after', async () => {
      const account = newAccount()
      const as = await served.api.key(account, {
        name: 'till',
        subject: 'mia',
        scopes: ['*', 'carts:finance'],
      })
      const made = await served.call('POST', '/v2/carts', { as, body: { label: 'one', price: 3 } })
      const cart = made.data
      const path = `/v2/carts/${cart.id}`
      const changed = await served.call('PATCH', path, { as, body: { label: 'two' } })
      const gone = await served.call('DELETE', path, { as })
      const entries = await changesOf(served, as)
      const [key] = await new KeyRing(served.store).list(account)
      const who = { consumer: key?.id, subject: 'mia', operator: null }
      const of = { resource: 'carts', row_id: cart.id, detail: null, withheld: null, ...who }
      const id = (answer: typeof made) => answer.headers.get('x-request-id')
      expect(entries).toEqual([
        expect.objectContaining({
          ...of,
          action: 'created',
          request_id: id(made),
          changed: null,
          before: null,
          after: cart,
        }),
        expect.objectContaining({
          ...of,
          action: 'updated',
          request_id: id(changed),
          changed: ['label'],
          before: cart,
          after: changed.data,
        }),
        expect.objectContaining({
          ...of,
          action: 'deleted',
          request_id: id(gone),
          changed: null,
          before: changed.data,
          after: null,
        }),
      ])
      const [first] = await entriesOf(served, as)
      const one = await served.get(`/v2/audit-entries/${first?.id}`, { as })
      expect(one.data).toEqual(first)
      expect(one.etag).not.toBe('')
    })

    test('has an entry, and the log an event, for each row of a list that came five times at once under one key', async () => {
      const as = newAccount()
      const body = { data: Array.from({ length: 70 }, (_, at) => ({ label: `row ${at}` })) }
      const send = () => served.call('POST', '/v2/carts', { as, body, headers: { 'Idempotency-Key': 'all' } })
      const { counters } = served.api.service.store
      const before = counters.statements
      const answers = await Promise.all([send(), send(), send(), send(), send()])
      // Fewer than rows, with all that the service does meanwhile.
      expect(counters.statements - before).toBeLessThan(60)
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
      const made = (answers[0].json as { data: readonly Row[] }).data
      const labels = body.data.map(({ label }) => label)
      expect(made.map(({ label }) => label)).toEqual(labels)
      const told = await served.get('/v2/events?limit=100', { as })
      expect(told.rows.map(({ data }) => data)).toEqual(made)
      const entries = await changesOf(served, as, '?limit=100')
      expect(entries.map(({ after }) => (after as Row).label)).toEqual(labels)
      expect((await served.get('/v2/carts?limit=100', { as })).rows).toEqual(made)
    })

    test('has every way in which rows change: lists, keys, sums, hooks, cascades, shared rows', async () => {
      const as = newAccount()
      const headers = { 'Idempotency-Key': 'once' }
      const list = { data: [{ label: 'a' }, { label: 'b' }] }
      await served.call('POST', '/v2/carts', { as, body: list })
      expect(await whatOf(served, as)).toEqual(['carts.created', 'carts.created'])
      const cart = await served.make('/v2/carts', { label: 'c' }, { as, headers })
      await served.make('/v2/parcels', { cart_id: cart.id, grams: 7 }, { as })
      expect((await whatOf(served, as)).slice(2).toSorted()).toEqual([
        'carts.created',
        'carts.updated',
        'labels.created',
        'parcels.created',
      ])
      await served.call('DELETE', `/v2/carts/${cart.id}`, { as })
      await served.make('/v2/words', { text: 'new' }, { as })
      expect((await whatOf(served, as)).slice(6).toSorted()).toEqual([
        'carts.deleted',
        'parcels.deleted',
        'words.created',
      ])
      const [updated] = await changesOf(served, as, '?filter[action]=updated')
      expect(updated).toMatchObject({ changed: ['weight'], before: { weight: 0 }, after: { weight: 7 } })
    })

    test('has nothing of what was refused, replayed, undone, changed nothing, or is left out', async () => {
      const as = newAccount()
      const headers = { 'Idempotency-Key': 'once' }
      const cart = await served.make('/v2/carts', { label: 'one' }, { as, headers })
      await served.make('/v2/carts', { label: 'one' }, { as, headers })
      await served.call('PATCH', `/v2/carts/${cart.id}`, { as, body: { label: 'one' } })
      await served.call('PATCH', `/v2/carts/${cart.id}`, { as, body: { label: 5 } })
      await served.call('POST', '/v2/parcels', { as, body: { cart_id: cart.id, grams: 666 } })
      await served.make('/v2/drafts', { text: 'left out' }, { as })
      expect(await whatOf(served, as)).toEqual(['carts.created'])
    })

    test('never has a write-only value, and marks a field whose scope the reader lacks', async () => {
      const account = newAccount()
      const plain = await served.api.key(account, { scopes: ['audit:read', 'carts:read'] })
      const cart = await served.make(
        '/v2/carts',
        { label: 'a', pin: 'tell-nobody', price: 4711 },
        { as: account },
      )
      const path = `/v2/carts/${cart.id}`
      await served.call('PATCH', path, { as: account, body: { pin: 'tell-no-one' } })
      await served.call('PATCH', path, { as: account, body: { price: 4712 } })
      const all = await changesOf(served, plain)
      expect(all.map(({ changed, withheld }) => [changed, withheld])).toEqual([
        [null, ['price']],
        [['pin'], ['price', 'pin']],
        [['price'], ['price']],
      ])
      // As a value: an id may have these digits, too.
      expect(JSON.stringify(all)).not.toMatch(/tell-no|[:,["]471\d[,\]}"]/)
      expect((await changesOf(served, account)).at(-1)).toMatchObject({
        before: { price: 4711 },
        after: { price: 4712 },
        withheld: null,
      })
      const stored = await served.store.all(
        'SELECT "data", "before", "unseen" FROM "nounkit_audit_entries"',
        [],
      )
      expect(JSON.stringify(stored)).not.toContain('tell-no')
    })

    test('shows only rows that the reader may read, before and after the change', async () => {
      const account = newAccount()
      const key = (member: string) => served.api.key(account, { claims: { member } })
      const [ada, bob] = [await key('ada'), await key('bob')]
      const loan = await served.make('/v2/loans', { member: 'ada', note: 'private' }, { as: ada })
      await served.call('PATCH', `/v2/loans/${loan.id}`, { as: ada, body: { member: 'bob', note: '' } })
      expect((await changesOf(served, ada)).map(({ action }) => action)).toEqual(['created'])
      expect(await changesOf(served, bob)).toEqual([])
      const noCarts = await served.api.key(account, { scopes: ['audit:read', 'labels:read'] })
      await served.make('/v2/carts', { label: 'a' }, { as: account })
      await served.make('/v2/labels', { text: 'a' }, { as: account })
      expect((await changesOf(served, noCarts)).map(({ resource }) => resource)).toEqual(['labels'])
    })

    test('is told in the words of the version that is asked', async () => {
      const as = newAccount()
      const cart = await served.make('/v2/carts', { label: 'one' }, { as })
      await served.call('PATCH', `/v2/carts/${cart.id}`, { as, body: { label: 'two' } })
      const [made, changed] = await changesOf(served, as, '?filter[resource]=trolleys', 'v1')
      expect(made).toMatchObject({ resource: 'trolleys', after: { name: 'one' } })
      expect(changed).toMatchObject({ changed: ['name'], before: { name: 'one' }, after: { name: 'two' } })
      expect(await changesOf(served, as, '?filter[resource]=carts')).toHaveLength(2)
      const unknown = await served.get('/v1/audit-entries?filter[resource]=carts', { as })
      expect(unknown.status).toBe(400)
    })

    test('is filtered by resource, row, action, actor and time, and read in pages', async () => {
      const account = newAccount()
      const as = await served.api.key(account, { name: 'till', subject: 'mia' })
      const ids: string[] = []
      for (let at = 0; at < 5; at++) ids.push((await served.make('/v2/labels', { text: `${at}` }, { as })).id)
      await served.make('/v2/carts', { label: 'a' }, { as: account })
      const [key] = (await new KeyRing(served.store).list(account)).filter(({ name }) => name === 'till')
      const rowsOf = async (query: string) => (await changesOf(served, as, query)).map(({ row_id }) => row_id)
      expect(await rowsOf('?filter[resource]=labels')).toEqual(ids)
      expect(await rowsOf(`?filter[row_id]=${ids[2]}`)).toEqual([ids[2]])
      expect(await rowsOf(`?filter[row_id][in]=${ids[2]},${ids[4]}&filter[action]=created`)).toEqual([
        ids[2],
        ids[4],
      ])
      expect(await rowsOf(`?filter[consumer]=${key?.id}`)).toEqual(ids)
      expect(await rowsOf('?filter[subject]=mia')).toEqual(ids)
      expect(await rowsOf('?filter[subject]=ada')).toEqual([])
      expect(await rowsOf('?filter[operator]=mia')).toEqual([])
      const acts = await entriesOf(served, as, '?filter[resource]=null')
      expect(acts.map(({ action }) => action)).toEqual(['key-created', 'key-created'])
      const [, , third] = await changesOf(served, as, '?filter[resource]=labels')
      const time = String(third?.created_at)
      expect(await rowsOf(`?filter[created_at][gt]=${time}&filter[resource]=labels`)).not.toContain(ids[0])
      expect(await rowsOf(`?filter[created_at]=${time}`)).toContain(ids[2])
      expect(await rowsOf('?filter[created_at][lt]=2020-01-01T00:00:00Z')).toEqual([])
      for (const order of ['', '&sort=id']) {
        const seen: unknown[] = []
        let path = `/v2/audit-entries?limit=2&filter[resource]=labels${order}`
        for (;;) {
          const answer = await served.get(path, { as })
          seen.push(...answer.rows.map(({ row_id }) => row_id))
          const next = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
          expect(next !== undefined).toBe(answer.page.has_more)
          if (!next) break
          path = next
        }
        expect(seen).toEqual(order === '' ? ids.toReversed() : ids)
      }
      const other = await served.get('/v2/audit-entries?limit=2', { as })
      const cursor = other.page.next_cursor
      expect(
        (await served.get(`/v2/audit-entries?limit=2&cursor=${cursor}`, { as: newAccount() })).status,
      ).toBe(400)
    })

    test('needs the scope audit:read, and nobody can write to it', async () => {
      const account = newAccount()
      const as = await served.api.key(account, { scopes: ['carts:read', 'carts:write'] })
      const refused = await served.get('/v2/audit-entries', { as })
      expect(refused.refusal).toEqual([403, 'scope-missing'])
      const cart = await served.make('/v2/carts', { label: 'a' }, { as: account })
      const [entry] = await entriesOf(served, account, `?filter[row_id]=${cart.id}`)
      for (const [method, path] of [
        ['POST', '/v2/audit-entries'],
        ['PUT', `/v2/audit-entries/${entry?.id}`],
        ['PATCH', `/v2/audit-entries/${entry?.id}`],
        ['DELETE', `/v2/audit-entries/${entry?.id}`],
      ] as const)
        expect((await served.call(method, path, { as: account, body: {} })).status).toBe(405)
      expect((await served.get(`/v2/audit-entries/${entry?.id}`, { as: newAccount() })).status).toBe(404)
    })

    test('has what is done to keys, without the secret', async () => {
      const account = newAccount()
      const ring = new KeyRing(served.store, undefined, 'grace')
      const { secret } = await ring.create({ account, name: 'till', scopes: ['*'] })
      const rotated = await ring.rotate(account, 'till', { overlapMs: 0 })
      await ring.revoke(account, 'till')
      await ring.revoke(account, 'till')
      const acts = (await entriesOf(served, account, '?filter[operator]=grace')).toReversed()
      expect(acts.map(({ action, detail }) => [action, (detail as { name: string }).name])).toEqual([
        ['key-created', 'till'],
        ['key-rotated', 'till'],
        ['key-revoked', 'till'],
      ])
      for (const word of [secret, rotated.secret]) expect(JSON.stringify(acts)).not.toContain(word)
    })

    test('has changes of webhook endpoints and their secrets, and no secret', async () => {
      const as = newAccount()
      const body = { url: 'https://example.com/hook', event_types: ['*'] }
      const endpoint = await served.make('/v2/webhook-endpoints', body, { as })
      await served.make(`/v2/webhook-endpoints/${endpoint.id}/secrets`, {}, { as })
      const entries = await changesOf(served, as)
      expect(new Set(entries.map(({ resource }) => resource))).toEqual(
        new Set(['webhook-endpoints', 'webhook-secrets']),
      )
      const stored = await served.store.all(
        `SELECT "data", "before" FROM "nounkit_audit_entries" WHERE "account_id" = '${as}'`,
        [],
      )
      expect(JSON.stringify(stored)).not.toMatch(/whsec_|sealed/)
      expect(String(endpoint.secret)).toMatch(/^whsec_/)
    })

    test('is read by an operator, with every field, and an operator is named', async () => {
      const account = newAccount()
      const caller = {
        account,
        consumer: { id: 'console', name: 'console', kind: 'internal' as const },
        scopes: new Set(['*']),
        subject: null,
        claims: {},
        operator: 'grace',
      }
      const { engine, model } = served.api.service
      const made = await engine.handle({
        method: 'POST',
        path: '/v2/drafts',
        query: '',
        headers: { 'content-type': 'application/json' },
        readBody: () => Buffer.from('{"text":"by an operator"}'),
        address: '127.0.0.1',
        id: 'request-1',
        origin: '',
        caller,
      })
      expect(made.status).toBe(201)
      await served.make('/v2/carts', { label: 'a', price: 5 }, { as: account })
      const reader = { store: served.store, model }
      const page = await readAuditPage(reader, { account, limit: 10 })
      expect(page.entries.find(({ resource }) => resource === 'carts')?.after).toMatchObject({ price: 5 })
      // No audit is declared for drafts: what an operator does is recorded all the same.
      const stored = await served.store.all(
        `SELECT "operator", "request_id", "row_id" FROM "nounkit_audit_entries" WHERE "account_id" = '${account}' AND "resource" = 'drafts'`,
        [],
      )
      expect(stored.map((row) => row.slice(0, 2))).toEqual([['grace', 'request-1']])
      const byOperator = await readAuditPage(reader, { account, operator: 'grace', limit: 10 })
      expect(byOperator.entries.map(({ resource }) => resource)).toEqual(['drafts'])
    })

    test('is what the OpenAPI documents of all versions say, examples too', async () => {
      const as = newAccount()
      const cart = await served.make('/v2/carts', { label: 'one' }, { as })
      await served.call('PATCH', `/v2/carts/${cart.id}`, { as, body: { label: 'two' } })
      await served.call('DELETE', `/v2/carts/${cart.id}`, { as })
      for (const v of ['v1', 'v2']) {
        const document = (await (await served.api.fetch(`/${v}/openapi.json`)).json()) as {
          paths: { [path: string]: { get?: { responses: object } } }
          components: { schemas: { [name: string]: { examples?: readonly object[] } } }
        }
        expect(Object.keys(document.paths)).toEqual(
          expect.arrayContaining(['/audit-entries', '/audit-entries/{id}']),
        )
        const ajv = new Ajv2020({ strict: false })
        addFormats.default(ajv)
        ajv.addSchema({ $id: 'document', ...document })
        const name = Object.keys(document.components.schemas).find((one) => /^AuditEntry$/i.test(one)) ?? ''
        const holds = ajv.compile({ $ref: `document#/components/schemas/${name}` })
        const rows = [
          ...(await entriesOf(served, as, '', v)),
          ...(document.components.schemas[name]?.examples ?? []),
        ]
        expect(rows.length).toBeGreaterThan(4)
        for (const row of rows) expect([holds(row), holds.errors]).toEqual([true, null])
      }
    })

    test('goes after its time, and not before', async () => {
      const account = newAccount()
      await served.make('/v2/carts', { label: 'a' }, { as: account })
      const count = async () =>
        Number(
          (
            await served.store.first(
              `SELECT count(*) FROM "nounkit_audit_entries" WHERE "account_id" = '${account}'`,
              [],
            )
          )?.[0],
        )
      const signal = new AbortController().signal
      const in90Days = Date.now() + 90 * dayMs
      await sweepAudit(served.store, { now: () => in90Days - 60_000 }, 90, signal)
      expect(await count()).toBe(2)
      await sweepAudit(served.store, { now: () => in90Days + 60_000 }, 90, signal)
      expect(await count()).toBe(0)
    })
  },
  { declaration },
)

const plain = { ...declaration, audit: undefined, versions: [version('v1', { published: '2025-01-01' })] }
const { audit: _, ...silent } = plain

describeServing(
  'an API without an audit',
  (served) => {
    test('has no such collection', async () => {
      await served.make('/v1/carts', { label: 'a' })
      expect((await served.get('/v1/audit-entries')).status).toBe(404)
      const [[count] = []] = await served.store.all(
        'SELECT count(*) FROM "nounkit_audit_entries" WHERE "resource" IS NOT NULL',
        [],
      )
      expect(Number(count)).toBe(0)
    })
  },
  { declaration: silent },
)

const clock = setClock('2026-05-02T12:00:00Z')
describeServing(
  'the audit of a service whose clock is set back',
  (served) => {
    test('is found by the times that it shows', async () => {
      const as = newAccount()
      clock.set('2026-05-02T12:00:00Z')
      await served.make('/v2/carts', { label: 'late' }, { as })
      clock.set('2026-05-02T11:00:00Z')
      for (const label of ['a', 'b']) await served.make('/v2/carts', { label }, { as })
      const labels = async (query: string) =>
        (await changesOf(served, as, query)).map(({ after }) => Object(after).label)
      expect(await labels('?filter[created_at]=2026-05-02T11:00:00Z')).toEqual(['a', 'b'])
      expect(await labels('?filter[created_at][lt]=2026-05-02T11:30:00Z')).toEqual(['a', 'b'])
      expect(await labels('?filter[created_at][gt]=2026-05-02T11:30:00Z')).toEqual(['late'])
    })
  },
  { declaration, clock },
)

const model = compileApi(silent)
const frozen = new Map([['v1', contractOf(model, model.head)]])
const withAudit = {
  ...declaration,
  versions: [
    version('v2', { published: '2026-01-01' }),
    version('v1', { published: '2025-01-01', changes: [] }),
  ],
}

describeServing(
  'a version that was published without the audit',
  (served) => {
    test('hides it', async () => {
      const as = newAccount()
      await served.make('/v1/carts', { label: 'a' }, { as })
      expect((await served.get('/v1/audit-entries', { as })).status).toBe(404)
      expect(await whatOf(served, as)).toEqual(['carts.created'])
    })
  },
  { declaration: withAudit, contracts: frozen },
)
