import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { api, belongsTo, hasMany, job, resource, states } from 'nounkit'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { accountParts } from '../../src/accounts/account-parts.ts'
import { deleteAccount } from '../../src/accounts/delete-account.ts'
import { exportAccount } from '../../src/accounts/export-account.ts'
import { listAccounts } from '../../src/accounts/list-accounts.ts'
import { readAuditPage } from '../../src/audit/audit-page.ts'
import { systemClock } from '../../src/clock.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { readGeneration } from '../../src/migrate/record/store-generation.ts'
import { wantedTables } from '../../src/migrate/wanted/wanted-tables.ts'
import { checkFile } from '../../src/transfer/import-file.ts'
import { ImportMark } from '../../src/transfer/import-mark.ts'
import { Importer } from '../../src/transfer/importer.ts'
import { openSource } from '../../src/transfer/source-file.ts'
import { actorOfCommand } from '../../src/write/actor.ts'
import { rowsOfAccount } from '../support/rows-of-account.ts'
import { describeServing, type Serving } from '../support/serving.ts'

/** Rows that refer to rows of their own kind, to each other in a circle, and to rows that stay. */
const people = resource('people', {
  fields: { name: z.string() },
  relations: {
    boss: belongsTo('people', { optional: true }),
    desk: belongsTo('desks', { optional: true }),
    invoices: hasMany('invoices'),
  },
  search: ['name'],
})
const desks = resource('desks', {
  fields: { room: z.string() },
  relations: { person: belongsTo('people', { optional: true }) },
})
const notes = resource('notes', {
  fields: { text: z.string() },
  relations: { person: belongsTo('people', { onTargetDelete: 'cascade' }) },
  hooks: {
    async afterCreate(note, { later }) {
      if (note.text === 'later') await later('remind', { text: 'x' })
    },
  },
})
const buyers = resource('buyers', { fields: { name: z.string() }, keepOnAccountDeletion: true })
const invoices = resource('invoices', {
  fields: { state: states('open', { open: ['paid'] }), total: z.int() },
  relations: { buyer: belongsTo('buyers'), person: belongsTo('people', { optional: true }) },
  keepOnAccountDeletion: true,
})
const words = resource('words', { fields: { text: z.string() }, shared: true })

const declaration = api('office', {
  audit: true,
  events: { keepDays: 30 },
  resources: [people, desks, notes, buyers, invoices, words],
  jobs: { remind: job(z.object({ text: z.string() }), async () => {}) },
})

let accounts = 0
const newAccount = (): string => `office-${++accounts}`

/** Something of everything that an account can have. */
async function filled(served: Serving, as: string): Promise<void> {
  const [boss, desk] = [
    await served.make('/v1/people', { name: 'Ada' }, { as }),
    await served.make('/v1/desks', { room: '1' }, { as, headers: { 'Idempotency-Key': 'desk' } }),
  ]
  const person = await served.make('/v1/people', { name: 'Bob', boss_id: boss.id, desk_id: desk.id }, { as })
  await served.call('PATCH', `/v1/desks/${desk.id}`, { as, body: { person_id: person.id } })
  await served.call('PATCH', `/v1/people/${boss.id}`, { as, body: { boss_id: person.id } })
  await served.make('/v1/notes', { text: 'later', person_id: person.id }, { as })
  const buyer = await served.make('/v1/buyers', { name: 'Eve' }, { as })
  await served.make('/v1/invoices', { total: 5, buyer_id: buyer.id, person_id: person.id }, { as })
  const hook = { url: 'https://example.com/hook', event_types: ['*'] }
  await served.make('/v1/webhook-endpoints', hook, { as })
  await served.get('/v1/events', { as })
  await served.api.service.lifecycle.beat()
}

const deletionOf = (served: Serving) => ({
  store: served.store,
  model: served.api.service.model,
  clock: systemClock,
  operator: 'grace',
  refusedEverywhere: () => served.api.service.lifecycle.beat(),
})

const rowsOf = ({ store }: Serving, account: string) => rowsOfAccount(store, account)

describeServing(
  'an account',
  (served) => {
    test('is deleted as a whole, but for what is declared to stay, and no other account loses a row', async () => {
      const [gone, other] = [newAccount(), newAccount()]
      await filled(served, gone)
      await filled(served, other)
      const [had, others] = [await rowsOf(served, gone), await rowsOf(served, other)]
      const { model } = served.api.service
      const known = wantedTables(model).flatMap(({ name, columns }) =>
        columns.some((column) => column.name === 'account_id') ? [name] : [],
      )
      expect(
        Object.keys(had).filter((table) => !known.includes(table) && !/^fts_|_numbers$|search/.test(table)),
      ).toEqual([])
      expect(Object.keys(had)).toEqual(
        expect.arrayContaining([
          'people',
          'nounkit_api_keys',
          'nounkit_idempotency',
          'nounkit_jobs',
          'nounkit_usage',
          'nounkit_audit_entries',
          'webhook_endpoints',
          'webhook_secrets',
          'nounkit_events',
        ]),
      )
      const deleted = await deleteAccount(deletionOf(served), gone)
      expect(deleted).toMatchObject({
        isDone: true,
        kept: { buyers: 1, invoices: 1 },
        rows: { people: 2, desks: 1, notes: 1 },
      })
      expect(await rowsOf(served, gone)).toEqual({ buyers: 1, invoices: 1 })
      expect(await rowsOf(served, other)).toEqual(others)
      const [[person] = []] = await served.store.all(
        `SELECT "person_id" FROM "invoices" WHERE "account_id" = '${gone}'`,
        [],
      )
      expect(person).toBe(null)
      const acts = await readAuditPage({ store: served.store, model }, { account: '', limit: 2 })
      expect(acts.entries).toMatchObject([
        {
          action: 'account-deleted',
          operator: 'grace',
          detail: { account: gone, rows: { people: 2 }, kept: { invoices: 1 } },
        },
        { action: 'account-deletion-begun', operator: 'grace', detail: { account: gone } },
      ])
    })

    test('is refused while it is being deleted, and its deletion goes on after it was ended half-way', async () => {
      const account = newAccount()
      const as = await served.key(account)
      await filled(served, account)
      const ending = new AbortController()
      const first = await deleteAccount(
        { ...deletionOf(served), signal: ending.signal, progress: () => ending.abort() },
        account,
      )
      expect(first.isDone).toBe(false)
      const half = await rowsOf(served, account)
      expect(half.people).toBe(2)
      const caller = {
        account,
        consumer: { id: 'token:app', name: 'app', kind: 'external' as const },
        scopes: new Set(['*']),
        subject: null,
        claims: {},
      }
      const refused = await served.api.service.engine.handle({
        method: 'GET',
        path: '/v1/people',
        query: '',
        headers: {},
        readBody: () => new Uint8Array(0),
        address: '127.0.0.1',
        id: 'request-1',
        origin: '',
        caller,
      })
      expect([refused.status, String(refused.body)]).toEqual([
        401,
        expect.stringContaining(`The account ${account} is being deleted.`),
      ])
      expect((await served.get('/v1/people', { as })).status).toBe(401)
      const listed = (await listAccounts(served.store, served.api.service.model)).find(
        (one) => one.account === account,
      )
      expect(listed?.isBeingDeleted).toBe(true)
      const whole = await deleteAccount(deletionOf(served), account)
      expect(whole).toMatchObject({ isDone: true, rows: { people: 2, nounkit_api_keys: 1 } })
      expect(await rowsOf(served, account)).toEqual({ buyers: 1, invoices: 1 })
      await served.api.service.lifecycle.beat()
      const again = await served.api.key(account)
      expect((await served.get('/v1/people', { as: again })).rows).toEqual([])
    })

    test('two that delete it at once do not both go on', async () => {
      const account = newAccount()
      await filled(served, account)
      const both = await Promise.allSettled([1, 2].map(() => deleteAccount(deletionOf(served), account)))
      expect(both.some(({ status }) => status === 'fulfilled')).toBe(true)
      expect(await rowsOf(served, account)).toEqual({ buyers: 1, invoices: 1 })
    })

    test('is listed with its rows, about how many bytes, and its last use', async () => {
      const account = newAccount()
      await filled(served, account)
      const all = await listAccounts(served.store, served.api.service.model)
      const one = all.find((figures) => figures.account === account)
      expect(one).toMatchObject({ rows: 6, isBeingDeleted: false })
      expect(one?.bytes).toBeGreaterThan(500)
      expect(Math.abs(Date.now() - (one?.lastUsed ?? 0))).toBeLessThan(120_000)
      expect(all.map((figures) => figures.account)).not.toContain('')
    })

    test('is exported as a file that an import reads, and exports byte for byte the same then', async () => {
      const [account, copy] = [newAccount(), newAccount()]
      await filled(served, account)
      const { model } = served.api.service
      const { store } = served
      const textOf = async (name: string): Promise<string> => {
        let text = ''
        await exportAccount({ store, model }, name, (more) => {
          text += more
        })
        return text
      }
      const text = await textOf(account)
      expect(text.trim().split('\n')).toHaveLength(6)
      const path = join(mkdtempSync(join(tmpdir(), 'nounkit-account-')), 'account.jsonl')
      writeFileSync(path, text)
      const what = {
        file: openSource(path, 'account.jsonl', (message: string) => new Error(message)),
        target: { model, format: 'jsonl' as const, resource: null, account: copy, now: Date.now },
        writer: served.api.service.engine.writer,
        actor: actorOfCommand(null),
        mark: new ImportMark(store, path),
        from: 1,
        generation: await readGeneration(store),
        progress: () => {},
        warn: () => {},
      }
      const checked = await checkFile(what, null)
      expect(checked.mistakes.count).toBe(0)
      await new Importer(what, checked, null).run()
      expect(await textOf(copy)).toBe(text)
    })
  },
  { declaration },
)

test('what stays must be whole without what goes', () => {
  const items = resource('items', {
    fields: { price: z.int() },
    relations: { bill: belongsTo('bills') },
    keepOnAccountDeletion: true,
  })
  const bills = resource('bills', { fields: { text: z.string() }, relations: { items: hasMany('items') } })
  expect(() => compileApi(api('books', { resources: [items, bills] }))).toThrow(
    /items\.keepOnAccountDeletion/,
  )
  const kept = { ...bills, keepOnAccountDeletion: true }
  expect(() => compileApi(api('books', { resources: [items, kept] }))).not.toThrow()
})

test('every table with an account is deleted from or kept', () => {
  const model = compileApi(declaration)
  const { parts, kept } = accountParts(model)
  const covered = new Set([
    ...parts.flatMap((part) => (part.kind === 'rows' ? [part.table.name] : [])),
    ...kept.map(({ table }) => table),
  ])
  const all = wantedTables(model).flatMap(({ name, columns }) =>
    columns.some((column) => column.name === 'account_id') ? [name] : [],
  )
  expect([...covered].toSorted()).toEqual(all.toSorted())
})
