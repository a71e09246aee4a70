import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../src/clock.ts'
import { compileApi } from '../../src/compile/compile.ts'
import type { Model } from '../../src/compile/model.ts'
import { type ApiDeclaration, api } from '../../src/declare/api.ts'
import {
  became,
  type FieldDeclarations,
  type StatesField,
  states,
  sum,
  was,
  writeOnly,
} from '../../src/declare/field.ts'
import { belongsTo, hasMany, type RelationDeclarations } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { decimal } from '../../src/kinds/decimal-field.ts'
import { resetStore } from '../../src/lifecycle/reset-store.ts'
import type { Question } from '../../src/migrate/decide/questions-to-people.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import type { Store } from '../../src/store/store.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { demandFit } from '../../src/transfer/demand-fit.ts'
import { walkedStores } from '../support/databases.ts'
import { type Data, followingStore, serving } from '../support/following.ts'
import { describeStores } from '../support/stores.ts'

const customers = resource('customers', { fields: { name: z.string() } })

const shop = (fields: FieldDeclarations, relations: RelationDeclarations = {}): ApiDeclaration =>
  api('shop', { resources: [customers, resource('orders', { fields, relations })] })

/** Orders and the things that belong to them, which sums may add up. */
const declared = (fields: FieldDeclarations, ofThings: FieldDeclarations = {}) =>
  api('shop', {
    resources: [
      resource('orders', {
        fields: { label: z.string(), ...fields },
        relations: { things: hasMany('things') },
      }),
      resource('things', {
        fields: { grams: z.int(), pieces: z.int(), price: decimal({ scale: 2 }), ...ofThings },
        relations: { order: belongsTo('orders', { optional: true }) },
      }),
    ],
  })

const startUnpublished = (store: Store, model: Model) =>
  migrateStore(store, model, { decider: { by: 'nobody' } })

describeStores('a store follows while nothing is published', ({ kind, url, open }) => {
  /** What is decided before any SQL is the same on both stores. */
  const walked = test.runIf(walkedStores.includes(kind))
  let databaseUrl = ''
  let store: Store
  beforeAll(async () => {
    databaseUrl = await url()
    store = await open(databaseUrl)
  })
  const started = async (first: ApiDeclaration, orders: readonly object[]) => {
    const { follow, create, list } = followingStore(store, databaseUrl)
    await resetStore(store, compileApi(first), { clock: systemClock, published: [] })
    const made = await create(first, 'orders', orders)
    const listed = async (declaration: ApiDeclaration, path = 'orders') => {
      expect((await migrateStore(store, compileApi(declaration))).steps).toEqual([])
      return list(declaration, path)
    }
    return { follow, create, made, listed }
  }

  test('a field becomes optional, one required with a default, one gets wider, one narrower: every row stays', async () => {
    const first = shop({
      note: z.string(),
      count: z.int().optional(),
      code: z.string().max(3),
      size: z.int(),
    })
    const { follow, listed } = await started(first, [
      { note: 'a', code: 'abc', size: 4 },
      { note: 'b', count: 2, code: 'x', size: 5 },
    ])
    const next = shop({
      note: z.string().optional(),
      count: z.int().default(7),
      code: z.string().max(9),
      size: z.int().max(5),
    })
    const { notes } = await follow(next)
    expect(notes).toEqual(['orders.note is optional now', 'orders.count is required now'])
    expect(await listed(next)).toMatchObject([
      { note: 'a', count: 7, code: 'abc', size: 4 },
      { note: 'b', count: 2, code: 'x', size: 5 },
    ])
    expect(await follow(next)).toMatchObject({ applied: false })
  })

  test('kinds change where every value can be cast, and back', async () => {
    const first = shop({
      a: z.int(),
      b: z.string(),
      c: z.int(),
      d: z.string(),
      e: z.boolean(),
      f: z.iso.date().optional(),
      g: z.string(),
      h: z.int(),
      i: z.string(),
    })
    const row = { a: 5, b: '17', c: 3, d: 'open', e: true, g: '2026-02-01T08:00:00.000Z', h: 1, i: '[1,2]' }
    const { follow, listed } = await started(first, [{ ...row, f: '2026-02-01' }])
    const next = shop({
      a: z.string(),
      b: z.int(),
      c: decimal({ scale: 2 }),
      d: z.enum(['open', 'paid']),
      e: z.string(),
      f: z.iso.datetime().optional(),
      g: z.iso.datetime(),
      h: z.boolean(),
      i: z.array(z.int()),
    })
    await follow(next)
    const there = { a: '5', b: 17, c: '3.00', d: 'open', e: 'true', g: row.g, h: true, i: [1, 2] }
    expect(await listed(next)).toMatchObject([{ ...there, f: '2026-02-01T00:00:00.000Z' }])
    await expect(follow(first)).rejects.toThrow(
      /1 row of orders has a value that orders\.f does not allow any more, such as "2026-02-01T00:00:00\.000Z": it would become null\.\nUse --accept-data-loss/,
    )
    expect(await listed(next)).toHaveLength(1)
    await follow(first, { acceptDataLoss: true })
    expect(await listed(first)).toMatchObject([{ ...row, f: null }])
  })

  test('values that do not fit are counted, and go only when that is accepted', async () => {
    const first = shop({ code: z.string(), size: z.int() })
    const rows = [
      { code: '1', size: 1 },
      { code: 'two', size: 20 },
      { code: 'three', size: 30 },
    ]
    const { follow, listed, made } = await started(first, rows)
    const next = shop({ code: z.int().optional(), size: z.int().max(10).default(9) })
    await expect(follow(next)).rejects.toThrow(
      /- 2 rows of orders have a value that orders\.code does not allow any more \("two" in 1 row, "three" in 1 row\): they would become null\.\n- 2 rows .* \(20 in 1 row, 30 in 1 row\): they would become 9\.\nUse --accept-data-loss to do it all the same, with --fill orders\.code=VALUE --fill orders\.size=VALUE for another value\.$/,
    )
    expect(await listed(first)).toMatchObject(made)
    await follow(next, { acceptDataLoss: true })
    expect(await listed(next)).toMatchObject([
      { code: 1, size: 1 },
      { code: null, size: 9 },
      { code: null, size: 9 },
    ])
  })

  test('a value for an optional field is only for rows and events whose value is gone, of the same kind or another', async () => {
    const declared = (fields: FieldDeclarations) =>
      api('shop', { resources: [resource('orders', { fields })], events: { keepDays: 30 } })
    const first = declared({ note: z.string().optional(), size: z.string().optional() })
    const { follow, listed } = await started(first, [
      { note: 'much too long', size: 'none' },
      { note: 'ok', size: '7' },
      {},
    ])
    const next = declared({ note: z.string().max(5).optional(), size: z.int().optional() })
    const fill = new Map([
      ['orders.note', 'x'],
      ['orders.size', '1'],
    ])
    expect((await follow(next, { fill, acceptDataLoss: true })).losses).toEqual([
      '1 row of orders had a value that orders.note does not allow any more, such as "much too long": it became "x".',
      '1 row of orders had a value that orders.size does not allow any more, such as "none": it became 1.',
    ])
    const rows = [
      { note: 'x', size: 1 },
      { note: 'ok', size: 7 },
      { note: null, size: null },
    ]
    expect(await listed(next)).toMatchObject(rows)
    expect((await listed(next, 'events')).map(({ data }) => data)).toMatchObject(rows)
  })

  walked(
    'a dry run that is refused says what would be lost as well, and additions that will be made',
    async () => {
      const first = shop({ a: z.string() })
      const { follow, made, listed } = await started(first, [{ a: 'A' }])
      const both =
        /- orders\.b is required, and 1 row has no value[^\n]*\n- orders\.a is no longer declared: its values in 1 row would be lost\.\nUse --accept-data-loss to do it all the same\.$/
      const next = shop({ b: z.int() })
      await expect(follow(next)).rejects.toThrow(both)
      await expect(follow(next, {}, true)).rejects.toThrow(both)
      // A new resource under the name that another one leaves is created: nothing is added to the old table.
      const plums = api('shop', {
        resources: [
          customers,
          resource('plums', { was: 'orders', fields: { a: z.string() } }),
          resource('orders', { fields: { n: z.int().optional() } }),
        ],
      })
      const { additions } = await follow(plums, {}, true)
      expect(additions.map(({ why, sql }) => [why, /^\w+ \w+/.exec(sql)?.[0]])).toEqual([
        ['table orders is new', 'CREATE TABLE'],
      ])
      await follow(plums)
      expect(await listed(plums, 'plums')).toMatchObject([{ id: made[0]?.id, a: 'A' }])
      expect(await listed(plums)).toEqual([])
    },
  )

  walked(
    'a store with values that the declaration does not allow any more is not served, exported or copied',
    async () => {
      const first = shop({
        minutes: decimal({ scale: 2 }),
        status: states('new', { new: ['open'], open: ['paid'] }),
        note: z.string().max(9),
      })
      const { listed, follow } = await started(first, [
        { minutes: '3.25', note: 'a' },
        { minutes: '3.50', note: 'b' },
      ])
      const start = (declaration: ApiDeclaration) => startUnpublished(store, compileApi(declaration))
      const demanded = (declaration: ApiDeclaration) => demandFit(store, compileApi(declaration))
      const next = shop({
        minutes: decimal({ scale: 1 }),
        status: states('open', { open: ['paid'] }),
        note: z.string().max(5),
      })
      const unfit = '1 row of orders has a value that orders.minutes does not allow any more, such as "3.25"'
      await expect(start(next)).rejects.toThrow(
        `Run nounkit migrate, which keeps the rows and says what it cannot keep:\n- ${unfit}.\n- 2 rows of orders have a value that orders.status does not allow any more, such as "new".`,
      )
      await expect(demanded(next)).rejects.toThrow(`${unfit}. Migrate it first: nounkit migrate`)
      // What every row fits is served, and what came before it is still known.
      const fitting = shop({
        minutes: decimal({ scale: 3 }),
        status: states('new', { new: ['open'], open: [] }),
        note: z.string().max(1),
      })
      await start(fitting)
      await demanded(fitting)
      await start(first)
      await expect(start(next)).rejects.toThrow(/1 row of orders has a value that orders\.minutes/)
      expect(await listed(first)).toMatchObject([{ minutes: '3.25' }, { minutes: '3.50' }])
      await follow(next, { acceptDataLoss: true, fill: new Map([['orders.minutes', '1.0']]) })
      await start(next)
      await demanded(next)
    },
  )

  walked('another idPrefix is refused while rows have ids of the one before', async () => {
    const prefixed = (idPrefix?: string) =>
      api('shop', {
        resources: [resource('orders', { fields: { size: z.int() }, ...(idPrefix && { idPrefix }) })],
      })
    const { follow, made, listed } = await started(prefixed(), [{ size: 1 }, { size: 2 }])
    const next = prefixed('ord_')
    const sentence = `2 rows of orders have an id such as ${made[0]?.id}, and ids begin with "ord_" now, so that nothing could refer to them. Declare idPrefix as it was, or delete all rows with nounkit reset.`
    await expect(follow(next, { acceptDataLoss: true })).rejects.toThrow(sentence)
    await expect(startUnpublished(store, compileApi(next))).rejects.toThrow(sentence)
    expect(await listed(prefixed())).toMatchObject(made)
    await resetStore(store, compileApi(next), { clock: systemClock, published: [] })
    await startUnpublished(store, compileApi(next))
    await follow(prefixed('o_'))
    await startUnpublished(store, compileApi(prefixed('o_')))
  })

  walked('a new required field takes its value from --fill, checked as a request’s value is', async () => {
    const first = shop({ code: z.string() })
    const { follow, listed } = await started(first, [{ code: 'a' }])
    const next = shop({ code: z.string(), note: z.string().min(2), size: z.int() })
    await expect(follow(next)).rejects.toThrow(
      /orders\.note is required, and 1 row has no value for it\. Make the field optional, give it a default, or use --fill orders\.note=VALUE\./,
    )
    const fill = (note: string, size: string) => ({
      fill: new Map([
        ['orders.note', note],
        ['orders.size', size],
      ]),
    })
    await expect(follow(next, fill('x', '4'))).rejects.toThrow(
      /nothing was changed:\n- --fill orders\.note=x: the field does not allow this value: [^\n]*$/,
    )
    await expect(follow(next, fill('none', 'four'))).rejects.toThrow('--fill orders.size=four: the field')
    const answers = ['x', 'none', 'four']
    const texts: string[] = []
    const ask = async ({ text }: Question) => {
      texts.push(text)
      return answers.shift() ?? null
    }
    await expect(follow(next, { ask })).rejects.toThrow(
      /^The store does not follow the declaration yet, and nothing was changed:\n- orders\.size is required/,
    )
    expect(texts).toEqual([
      'orders.note is required, and 1 row has no value for it. Which value?',
      expect.stringMatching(
        /^orders\.note cannot be "x": it must have at least \d characters\.\norders\.note is/,
      ),
      'orders.size is required, and 1 row has no value for it. Which value?',
      expect.stringMatching(/^orders\.size cannot be "four": it must be an integer\.\norders\.size is/),
    ])
    await follow(next, fill("it's none", '4'))
    expect(await listed(next)).toMatchObject([{ code: 'a', note: "it's none", size: 4 }])
  })

  walked(
    'a value that a narrower bound does not allow is shown before its replacement is asked for',
    async () => {
      const first = shop({ code: z.string().max(100).optional() })
      const { follow, listed } = await started(first, [{ code: 'abc' }, { code: 'a' }, {}])
      const next = shop({ code: z.string().max(2) })
      const faults =
        '1 row of orders has a value that orders.code does not allow any more, such as "abc". orders.code is required, and 1 row has no value for it.'
      const texts: string[] = []
      const answering = (...answers: string[]) => ({
        ask: async ({ text }: Question) => {
          texts.push(text)
          return answers.shift() ?? null
        },
      })
      // After a question without an answer no other one is asked, and the reason is said.
      const refused = await follow(next, answering()).catch((error: Error) => error.message)
      expect(refused).toBe(
        `The store does not follow the declaration yet, and nothing was changed:\n- ${faults} Make the field optional, give it a default, or use --fill orders.code=VALUE --accept-data-loss.`,
      )
      expect(texts).toEqual([`${faults} Which value instead?`])
      await follow(next, answering('x', 'yes'))
      expect(texts.at(-1)).toContain('such as "abc": it would become "x".')
      expect(await listed(next)).toMatchObject([{ code: 'x' }, { code: 'a' }, { code: 'x' }])
    },
  )

  walked(
    'states and listed values that are gone are asked for one by one, with those that are declared to choose from',
    async () => {
      const declared = (fields: FieldDeclarations) =>
        api('shop', { resources: [resource('orders', { fields })], events: { keepDays: 30 } })
      const first = declared({
        status: states('new', { new: ['out', 'lost'], out: ['lost'], lost: [] }),
        kind: z.enum(['hand', 'power', 'a', 'b']),
        size: z.enum(['s', 'm']).optional(),
      })
      const { follow, listed, made } = await started(first, [
        { kind: 'hand', size: 's' },
        { kind: 'power', size: 'm' },
        { kind: 'hand' },
      ])
      await serving(first, databaseUrl, async (call) => {
        for (const { id } of made.slice(1)) await call('PATCH', `orders/${id}`, { status: 'out' })
      })
      const next = declared({
        status: states('new', { new: ['lent', 'lost'], lent: ['lost'], lost: [] }),
        kind: z.enum(['a', 'b']),
        size: z.enum(['m', 'l']).optional(),
      })
      const gone = '3 rows of orders have a value that orders.kind does not allow any more'
      await expect(follow(next)).rejects.toThrow(
        `- ${gone} ("hand" in 2 rows, "power" in 1 row). Make the field optional, give it a default, or use --fill orders.kind=VALUE --accept-data-loss.`,
      )
      await expect(follow(next, { fill: new Map([['orders.kind', 'a']]) })).rejects.toThrow(
        /such as "out": they would become "new"\.[\s\S]*with --fill orders\.status=VALUE --fill orders\.size=VALUE for another value\.$/,
      )
      const answers: { [gone: string]: string } = { out: 'lent', hand: 'b', power: 'a', s: ' null ' }
      const asked: string[] = []
      const ask = async ({ kind, text, choices }: Question) => {
        const value = /such as "(\w+)"\. Which value instead\?$/.exec(text)?.[1] ?? ''
        asked.push(`${kind} ${value}: ${choices.map(({ says }) => says).join(', ')}`)
        // A value that was chosen is no loss. No value is one.
        if (kind === 'loss')
          expect(text).toBe(
            '1 row of orders has a value that orders.size does not allow any more, such as "s": it would become null.\nDo it all the same?',
          )
        return answers[value] ?? 'yes'
      }
      const { notes } = await follow(next, { ask })
      expect(notes).toContain(
        '1 row of orders had a value that orders.kind does not allow any more, such as "power": it became "a"',
      )
      expect(asked).toEqual([
        'fill out: new, lent, lost',
        'fill hand: a, b',
        'fill power: a, b',
        'fill s: m, l, no value',
        'loss : yes, lose it, no, change nothing',
      ])
      const rows = [
        { kind: 'b', status: 'new', size: null },
        { kind: 'a', status: 'lent', size: 'm' },
        { kind: 'b', status: 'lent', size: null },
      ]
      expect(await listed(next)).toMatchObject(rows)
      const events = (await listed(next, 'events')).map(({ data }) => data)
      expect(events).toMatchObject([...rows.map((row) => ({ ...row, status: 'new' })), ...rows.slice(1)])
    },
  )

  walked(
    'a state that is renamed by an answer, and a sum that is dropped, lose nothing: nobody is asked to lose it',
    async () => {
      const first = declared({
        status: states('new', { new: ['out'], out: [] }),
        weight: sum('things', 'grams'),
      })
      const { follow, listed } = await started(first, [{ label: 'a' }])
      const asked: string[] = []
      const { losses } = await follow(declared({ status: states('fresh', { fresh: ['out'], out: [] }) }), {
        ask: async ({ kind }) => {
          asked.push(kind)
          return 'fresh'
        },
      })
      expect([asked, losses]).toEqual([['fill'], []])
      expect(await listed(declared({ status: states('fresh', { fresh: ['out'], out: [] }) }))).toMatchObject([
        { status: 'fresh' },
      ])
    },
  )

  test('states that the declaration says became others are these in rows and events, without a question', async () => {
    const declared = (status: StatesField) =>
      api('shop', {
        resources: [resource('orders', { fields: { status } })],
        events: { keepDays: 30 },
      })
    const first = declared(states('open', { open: ['done'], done: ['gone'], gone: [] }))
    const { follow, listed, made } = await started(first, [{}, {}])
    await serving(first, databaseUrl, async (call) => {
      await call('PATCH', `orders/${made[1]?.id}`, { status: 'done' })
      await call('PATCH', `orders/${made[1]?.id}`, { status: 'gone' })
    })
    const next = declared(
      became(
        { open: 'placed', done: 'over' },
        states('placed', { placed: ['over'], over: ['lost'], lost: [] }),
      ),
    )
    const asked: string[] = []
    const { notes, losses } = await follow(next, {
      ask: async ({ text }) => {
        asked.push(text)
        return 'lost'
      },
    })
    // Only of the value that nothing is said of.
    expect([asked.length, asked[0], losses]).toEqual([1, expect.stringContaining('"gone"'), []])
    expect(notes.toSorted()).toEqual([
      '1 row of orders had a value that orders.status does not allow any more, such as "gone": it became "lost"',
      '1 row of orders had a value that orders.status does not allow any more, such as "open": it became "placed"',
    ])
    expect(await listed(next)).toMatchObject([{ status: 'placed' }, { status: 'lost' }])
    const events = (await listed(next, 'events')).map(({ data }) => (data as { status: string }).status)
    // No row has the value of the update in between.
    expect(events).toEqual(['placed', 'placed', 'over', 'lost'])
    // Nothing is left to be done.
    expect((await follow(next)).notes).toEqual([])
  })

  walked('the options that a refusal names are not refused in turn', async () => {
    const first = declared({ kind: z.enum(['a', 'b']), note: z.string() })
    const { follow, listed } = await started(first, [{ label: 'x', kind: 'a', note: 'n' }])
    const next = declared({ kind: z.enum(['b', 'c']) })
    const refusal = String(await follow(next, { optionsOf: 'nounkit migrate' }).catch((error) => error))
    const [, option, field = '', more] =
      /use nounkit migrate (--fill (\S+)=VALUE)(.*)\.$/m.exec(refusal) ?? []
    expect([option, field, more]).toEqual(['--fill orders.kind=VALUE', 'orders.kind', ' --accept-data-loss'])
    // Another loss besides is named with what allows it.
    expect(refusal).toMatch(/orders\.note.*would be lost\.\nUse nounkit migrate --accept-data-loss/)
    await follow(next, { fill: new Map([[field, 'c']]), acceptDataLoss: true })
    expect(await listed(next)).toMatchObject([{ kind: 'c' }])
  })

  walked('a rename is declared, or asked about, or refused with both ways', async () => {
    const first = shop({ note: z.string(), size: z.int() })
    const { follow, listed } = await started(first, [{ note: 'a', size: 1 }])
    const unsaid = shop({ remark: z.string(), size: z.int() })
    await expect(follow(unsaid)).rejects.toThrow(
      /orders\.note is no longer declared, and 1 row has a value in it; orders\.remark is new\. If it was renamed, declare that: remark: was\('note', …\)\. If it was dropped, use --accept-data-loss\./,
    )
    const asked: Question[] = []
    await follow(unsaid, {
      ask: async (question) => {
        asked.push(question)
        return 'remark'
      },
    })
    expect(asked).toMatchObject([
      {
        kind: 'rename',
        choices: [{ value: 'remark', says: 'renamed to orders.remark' }, { says: 'dropped' }],
      },
    ])
    expect(await listed(unsaid)).toMatchObject([{ remark: 'a', size: 1 }])
    const back = shop({ note: was('remark', z.string().optional()), length: was('size', z.string()) })
    await follow(back)
    expect(await listed(back)).toMatchObject([{ note: 'a', length: '1' }])
    // The old name is free for something new.
    const again = shop({ text: was('note', z.string()), note: z.int().default(3), length: z.string() })
    await follow(again)
    await follow(again)
    expect(await listed(again)).toMatchObject([{ text: 'a', note: 3, length: '1' }])
  })

  walked(
    'a declared rename is not served before it is done, and is done where the new name has no values yet',
    async () => {
      const first = shop({ note: z.string().optional(), size: z.int() })
      const { follow, listed } = await started(first, [{ note: 'a', size: 1 }, { size: 2 }])
      const start = (declaration: ApiDeclaration) => startUnpublished(store, compileApi(declaration))
      const next = shop({ remark: was('note', z.string().optional()), size: z.int() })
      await expect(start(next)).rejects.toThrow(
        'No row was changed. Run nounkit migrate, which keeps the rows and says what it cannot keep:\n- orders.remark was note.',
      )
      expect(await listed(first)).toMatchObject([{ note: 'a' }, { note: null }])
      // As a start without \`was\` leaves it: the new column is an addition, and the old one stays.
      await start(shop({ remark: z.string().optional(), size: z.int() }))
      await expect(start(next)).rejects.toThrow('- orders.remark was note.')
      await follow(next)
      expect(await listed(next)).toMatchObject([{ remark: 'a' }, { remark: null }])
      await start(next)
      // Where both have values, the old ones are a loss.
      await start(shop({ text: z.string().default('none'), size: z.int() }))
      const last = shop({ text: was('remark', z.string().default('none')), size: z.int() })
      await expect(follow(last)).rejects.toThrow(
        'orders.remark is no longer declared: its values in 1 row would be lost.',
      )
    },
  )

  walked('what is dropped is said with the number of rows, and done after a yes', async () => {
    const first = shop({ note: z.string().optional(), size: z.int() })
    const { follow, listed, create } = await started(first, [{ note: 'a', size: 1 }, { size: 2 }])
    await create(first, 'customers', [{ name: 'Ada' }])
    const next = api('shop', { resources: [resource('orders', { fields: { size: z.int() } })] })
    const sentence =
      'customers is no longer declared: its 1 row would be lost.\norders.note is no longer declared: its values in 1 row would be lost.'
    const texts: string[] = []
    const answering = (answer: string) => ({
      ask: async ({ text }: Question) => {
        texts.push(text)
        return answer
      },
    })
    await expect(follow(next, answering('no'))).rejects.toThrow(
      `yet, and nothing was changed:\n- ${sentence.replace('\n', '\n- ')}`,
    )
    expect(await listed(first, 'customers')).toHaveLength(1)
    await follow(next, answering('yes'))
    expect(texts).toEqual([`${sentence}\nDo it all the same?`, `${sentence}\nDo it all the same?`])
    expect(await listed(next)).toMatchObject([{ size: 1 }, { size: 2 }])
  })

  test('resources and relations are renamed with all that refers to them', async () => {
    const first = shop({ size: z.int() }, { customer: belongsTo('customers', { optional: true }) })
    const { follow, listed, create } = await started(first, [{ size: 1 }])
    const [ada] = await create(first, 'customers', [{ name: 'Ada' }])
    await create(first, 'orders', [{ size: 2, customer_id: ada?.id }])
    const next = api('shop', {
      resources: [
        resource('people', { was: 'customers', fields: { name: z.string() } }),
        resource('orders', {
          fields: { size: z.int(), status: states('open', { open: ['paid'] }) },
          relations: { payer: belongsTo('people', { optional: true, was: 'customer' }) },
          filter: ['status'],
          include: ['payer'],
        }),
      ],
    })
    await follow(next)
    expect(await listed(next, 'people')).toMatchObject([{ id: ada?.id, name: 'Ada' }])
    expect(await listed(next)).toMatchObject([
      { size: 1, payer_id: null, status: 'open' },
      { size: 2, payer_id: ada?.id, status: 'open' },
    ])
    const without = api('shop', { resources: next.resources.slice(0, 1) })
    await expect(follow(without)).rejects.toThrow('orders is no longer declared: its 2 rows would be lost.')
  })

  test('names that move on one after the other are all followed, with references and events', async () => {
    const optional = { optional: true } as const
    const first = api('shop', {
      resources: [
        resource('orders', {
          fields: { a: z.string(), b: z.string().optional() },
          relations: { boss: belongsTo('orders', optional) },
        }),
        resource('lines', { fields: { n: z.int() }, relations: { order: belongsTo('orders') } }),
        resource('notes', {
          fields: { text: z.string() },
          relations: { line: belongsTo('lines'), order: belongsTo('orders') },
        }),
      ],
      events: { keepDays: 30 },
    })
    const { follow, made, create, listed } = await started(first, [{ a: 'A', b: 'B' }, { a: 'A2' }])
    const [order] = made
    const [line] = await create(first, 'lines', [{ n: 1, order_id: order?.id }])
    const [note] = await create(first, 'notes', [{ text: 't', line_id: line?.id, order_id: order?.id }])
    await create(first, 'orders', [{ a: 'A3', boss_id: order?.id }])
    // Orders are lines now, lines are parts, and the names of fields and relations move on as well.
    const next = api('shop', {
      resources: [
        resource('lines', {
          was: 'orders',
          fields: { b: was('a', z.string()), c: was('b', z.string().optional()) },
          relations: { boss: belongsTo('lines', optional) },
        }),
        resource('parts', { was: 'lines', fields: { n: z.int() }, relations: { order: belongsTo('lines') } }),
        resource('notes', {
          fields: { text: z.string() },
          relations: {
            line: belongsTo('lines', { was: 'order' }),
            part: belongsTo('parts', { was: 'line' }),
          },
        }),
      ],
      events: { keepDays: 30 },
    })
    await expect(startUnpublished(store, compileApi(next))).rejects.toThrow(
      /\n- parts was lines\.\n- lines was orders\.\n- lines\.c was b\.\n- lines\.b was a\.\n/,
    )
    expect((await follow(next)).losses).toEqual([])
    await startUnpublished(store, compileApi(next))
    expect(await listed(next, 'lines')).toMatchObject([
      { id: order?.id, b: 'A', c: 'B', boss_id: null },
      { b: 'A2', c: null },
      { b: 'A3', boss_id: order?.id },
    ])
    expect(await listed(next, 'parts')).toMatchObject([{ id: line?.id, n: 1, order_id: order?.id }])
    expect(await listed(next, 'notes')).toMatchObject([
      { id: note?.id, line_id: order?.id, part_id: line?.id },
    ])
    expect((await listed(next, 'events')).map(({ type, data }) => [type, data])).toMatchObject([
      ['lines.created', { b: 'A', c: 'B' }],
      ['lines.created', { b: 'A2' }],
      ['parts.created', { n: 1 }],
      ['notes.created', { line_id: order?.id, part_id: line?.id }],
      ['lines.created', { b: 'A3' }],
    ])
    expect(await follow(next)).toMatchObject({ applied: false })
  })

  walked(
    'endpoints of webhooks and API keys follow the name of a resource, and those that name one that is gone are counted',
    async () => {
      const named = (name: string, more: Parameters<typeof api>[1]['resources'] = []) =>
        api('shop', {
          resources: [
            resource(name, { fields: { n: z.int() }, ...(name === 'tasks' && { was: 'orders' }) }),
            ...more,
          ],
          events: { keepDays: 30 },
        })
      const things = resource('things', { fields: { n: z.int() } })
      const own = resource('others', { fields: { n: z.int() }, scopes: { read: 'orders:write' } })
      const first = named('orders', [things])
      const { follow } = await started(first, [{ n: 1 }])
      const before = await testApi(first, { databaseUrl })
      const key = await before.key('acme', {
        name: 'limited',
        scopes: [
          'orders:read',
          'orders:write',
          'things:read',
          'webhook-endpoints:write',
          'webhook-endpoints:read',
        ],
      })
      const calling = async (served: TestApi, method: string, path: string, body?: object) => {
        const response = await served.fetch(`/v1/${path}`, {
          method,
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        })
        return { status: response.status, ...((await response.json()) as { data: Data }) }
      }
      const made = await calling(before, 'POST', 'webhook-endpoints', {
        url: 'https://receiver.example/hooks',
        event_types: ['orders.created', 'things.created', 'orders.deleted'],
      })
      expect(made.status).toBe(201)
      await before.close()
      const next = named('tasks', [own])
      expect((await follow(next)).notes).toEqual([
        'things is no longer declared',
        '1 webhook endpoint still has event types of things',
        '1 API key still has scopes of things',
        'tasks was orders',
      ])
      const after = await testApi(next, { databaseUrl })
      expect(await calling(after, 'GET', 'tasks')).toMatchObject({ status: 200, data: [{ n: 1 }] })
      // A scope that the declaration itself asks for is no name of a resource.
      expect(await calling(after, 'GET', 'others')).toMatchObject({ status: 200, data: [] })
      const at = `webhook-endpoints/${made.data.id}`
      expect((await calling(after, 'GET', at)).data.event_types).toEqual([
        'tasks.created',
        'things.created',
        'tasks.deleted',
      ])
      const types = ['tasks.created', 'tasks.deleted']
      expect(await calling(after, 'PATCH', at, { event_types: types })).toMatchObject({ status: 200 })
      await after.close()
      const [row] = await store.all('SELECT "told_to" FROM "webhook_endpoints"', [])
      expect(JSON.parse(String(row?.[0])).scopes).toContain('tasks:read')
    },
  )

  test('a resource that becomes shared loses its rows: optional references become null, and required ones are refused by a dry run as well', async () => {
    const declared = (shared: boolean, optional: boolean) =>
      api('shop', {
        resources: [
          resource('customers', { fields: { name: z.string() }, ...(shared && { shared }) }),
          resource('orders', {
            fields: { size: z.int() },
            relations: { customer: belongsTo('customers', { optional }) },
          }),
        ],
      })
    const first = declared(false, false)
    const { follow, create, listed } = await started(first, [])
    const [ada] = await create(first, 'customers', [{ name: 'Ada' }])
    await create(first, 'orders', [{ size: 1, customer_id: ada?.id }])
    const next = declared(true, false)
    const refused =
      /- 1 row of orders has a value that orders\.customer_id does not allow any more\. customers will have no rows that it could lead to: make the relation optional, or delete these rows first\.\n- customers is shared by all accounts now: its 1 row would be lost\.$/
    for (const dryRun of [true, false])
      await expect(follow(next, { acceptDataLoss: true }, dryRun)).rejects.toThrow(refused)
    const last = declared(true, true)
    await expect(follow(last)).rejects.toThrow(
      /: it would become null\.\nUse --accept-data-loss to do it all the same\.$/,
    )
    await expect(follow(last, { fill: new Map([['orders.customer_id', String(ada?.id)]]) })).rejects.toThrow(
      `--fill orders.customer_id=${ada?.id}: customers will have no rows that it could lead to.`,
    )
    expect((await follow(last, { acceptDataLoss: true })).losses).toEqual([
      'customers is shared by all accounts now: its 1 row was lost.',
      '1 row of orders had a value that orders.customer_id does not allow any more: it became null.',
    ])
    expect(await listed(last)).toMatchObject([{ size: 1, customer_id: null }])
    expect(await listed(last, 'customers')).toEqual([])
  })

  walked('two names change places in two steps, through a third', async () => {
    const first = shop({ a: z.string(), b: z.string() })
    const { follow, listed } = await started(first, [{ a: 'A', b: 'B' }])
    await follow(shop({ a: was('b', z.string()), x: was('a', z.string()) }))
    const last = shop({ a: was('b', z.string()), b: was('x', z.string()) })
    await follow(last)
    expect(await listed(last)).toMatchObject([{ a: 'B', b: 'A' }])
    expect(await follow(last)).toMatchObject({ applied: false })
  })

  test('events are told in the words of today, and a new sum counts the rows that are there', async () => {
    const lines = (fields: FieldDeclarations) =>
      resource('lines', {
        fields,
        relations: { order: belongsTo('orders', { onTargetDelete: 'cascade' }) },
        owner: 'order',
      })
    const orders = (fields: FieldDeclarations) =>
      resource('orders', { fields, relations: { lines: hasMany('lines') } })
    const declared = (resources: ApiDeclaration['resources']) =>
      api('shop', { resources, events: { keepDays: 30 } })
    const first = declared([orders({ note: z.string() }), lines({ price: z.string() })])
    const { follow, listed, create, made } = await started(first, [{ note: '7' }])
    await create(first, `orders/${made[0]?.id}/lines`, [{ price: '2' }, { price: '3' }])
    const next = declared([
      orders({ size: was('note', z.int()), total: sum('lines', 'price') }),
      lines({ price: z.int() }),
    ])
    await follow(next)
    expect(await listed(next)).toMatchObject([{ size: 7, total: 5 }])
    expect((await listed(next, 'events')).map(({ type, data }) => [type, data])).toMatchObject([
      ['orders.created', { size: 7 }],
      ['lines.created', { price: 2 }],
      ['lines.created', { price: 3 }],
    ])
  })

  test('events get the values that rows get', async () => {
    const declared = (fields: FieldDeclarations) =>
      api('shop', { resources: [resource('orders', { fields })], events: { keepDays: 30 } })
    const first = declared({ kind: z.enum(['a', 'b', 'c']), note: z.string().optional() })
    const { follow, made, listed } = await started(first, [{ kind: 'a' }, { kind: 'b' }])
    const datas = async (declaration: ApiDeclaration) =>
      (await listed(declaration, 'events')).map(({ data }) => data)
    const second = declared({
      kind: z.enum(['a', 'c']),
      note: z.string(),
      phone: z.string(),
      size: z.int().default(3),
      secret: writeOnly(z.string()),
    })
    const fill = new Map([
      ['orders.kind', 'c'],
      ['orders.note', 'none'],
      ['orders.phone', '112'],
      ['orders.secret', 'x'],
    ])
    await follow(second, { fill, acceptDataLoss: true })
    const filled = { note: 'none', phone: '112', size: 3 }
    const [one, two] = [
      { kind: 'a', ...filled },
      { kind: 'c', ...filled },
    ]
    expect(await datas(second)).toMatchObject([one, two])
    expect(await listed(second)).toMatchObject([one, two])
    expect(JSON.stringify(await store.all('SELECT "data" FROM "nounkit_events"', []))).not.toContain('secret')
    // Nobody is asked for a value that only events lack.
    await serving(second, databaseUrl, async (call) => {
      for (const { id } of made) await call('DELETE', `orders/${id}`)
    })
    const third = declared({ kind: z.enum(['a']), note: z.string(), size: z.int(), place: z.string() })
    await follow(third, { acceptDataLoss: true })
    const same = { note: 'none', size: 3 }
    expect(await datas(third)).toMatchObject([{ ...same, kind: 'a' }, same, { ...same, kind: 'a' }, same])
    // What is never shown is taken out of events.
    await follow(declared({ size: writeOnly(z.int()) }), { acceptDataLoss: true })
    expect(JSON.stringify(await store.all('SELECT "data" FROM "nounkit_events"', []))).not.toContain('size')
  })

  test('sums are computed however they come: by a start, another definition, another kind, in place of other values', async () => {
    const plain = declared({})
    const { follow, made, create, listed } = await started(plain, [{ label: 'a' }, { label: 'b' }])
    await create(plain, 'things', [
      { grams: 5, pieces: 2, price: '1.50', order_id: made[0]?.id },
      { grams: 7, pieces: 1, price: '0.25', order_id: made[0]?.id },
      { grams: 9, pieces: 1, price: '9.00' },
    ])
    const values = async (declaration: ApiDeclaration) =>
      (await listed(declaration)).map(({ w, price }) => (price === undefined ? w : [w, price]))
    const start = (declaration: ApiDeclaration) => startUnpublished(store, compileApi(declaration))

    const added = declared({ w: sum('things', 'grams'), price: sum('things', 'price') })
    await start(added)
    expect(await values(added)).toEqual([
      [12, '1.75'],
      [0, '0.00'],
    ])
    // It also adds up a column that is new itself, and once there is a value in place of the factor before.
    const others = declared(
      { w: sum('things', ['grams', 'pieces']), price: sum('things', ['price', 'boxes']) },
      { boxes: z.int().default(2) },
    )
    const { additions } = await follow(others)
    expect(additions.map(({ why }) => why)).toEqual([
      'things.boxes is new',
      'orders.w is the sum of grams * pieces of things now',
      'orders.price is the sum of price * boxes of things now',
    ])
    expect(await values(others)).toEqual([
      [17, '3.50'],
      [0, '0.00'],
    ])
    expect(await follow(others)).toMatchObject({ applied: false, additions: [] })
    const pieces = declared({ w: sum('things', 'pieces') })
    await follow(pieces, { acceptDataLoss: true })
    expect(await values(pieces)).toEqual([3, 0])
    await start(declared({ w: sum('things', 'grams') }))
    expect(await values(declared({ w: sum('things', 'grams') }))).toEqual([12, 0])
    const decimals = declared({ w: sum('things', 'price') })
    await expect(start(decimals)).rejects.toThrow('Run nounkit migrate, which keeps the rows')
    await follow(decimals)
    expect(await values(decimals)).toEqual(['1.75', '0.00'])

    // A field of its own takes the values, keeps them, and gives them up only when that is accepted.
    const own = declared({ w: z.int().optional() })
    await follow(own, { acceptDataLoss: true })
    await serving(own, databaseUrl, (call) => call('PATCH', `orders/${made[1]?.id}`, { w: 777 }))
    const sums = declared({ w: sum('things', 'grams') })
    const lost = 'orders.w is a sum now: its values in 1 row would be lost.'
    await expect(start(sums)).rejects.toThrow('Run nounkit migrate, which keeps the rows')
    await expect(follow(sums)).rejects.toThrow(lost)
    expect(await values(own)).toEqual([null, 777])
    expect(await follow(sums, { acceptDataLoss: true })).toMatchObject({
      notes: ['orders.w is required now', 'orders.w is a sum now'],
      losses: ['orders.w is a sum now: its values in 1 row were lost.'],
    })
    expect(await values(sums)).toEqual([12, 0])
    await follow(declared({ w: z.int() }))
    await serving(declared({ w: z.int() }), databaseUrl, (call) =>
      call('PATCH', `orders/${made[1]?.id}`, { w: 8 }),
    )
    await expect(start(sums)).rejects.toThrow(
      'orders.w is the sum of grams of things now, and has other values.',
    )
    await follow(sums, { acceptDataLoss: true })
    expect(await values(sums)).toEqual([12, 0])

    expect(await follow(sums)).toMatchObject({ applied: false })
  })

  test('a sum beyond what requests may lead to is refused with its row, and computed once the rows are changed', async () => {
    const plain = declared({})
    const { follow, made, create, listed } = await started(plain, [
      { label: 'a' },
      { label: 'b' },
      { label: 'c' },
    ])
    const most = Number.MAX_SAFE_INTEGER
    const [first, second, third] = made.map(({ id }) => ({ order_id: id }))
    const things = await create(plain, 'things', [
      { grams: most, pieces: 1100, price: '999999999999.99', ...first },
      { grams: 2, pieces: 1, price: '0.02', ...first },
      { grams: most - 1, pieces: 1, price: '999999999999.98', ...second },
      { grams: 1, pieces: 1, price: '0.01', ...second },
      { grams: -most, pieces: 1, price: '-999999999999.99', ...third },
      { grams: -1, pieces: 1, price: '-0.01', ...third },
      // What no order adds up may be of any size.
      { grams: most, pieces: 1100, price: '999999999999.99' },
    ])
    const start = (declaration: ApiDeclaration) => startUnpublished(store, compileApi(declaration))
    const advice =
      'Change or delete some of the rows of things that it adds up, or take the sum out of the declaration.'
    for (const [w, of, largest] of [
      [sum('things', 'grams'), 'grams', most],
      [sum('things', ['grams', 'pieces']), 'grams * pieces', most],
      [sum('things', 'price'), 'price', '999999999999.999999'],
      [sum('things', ['pieces', 'price']), 'pieces * price', '999999999999.999999'],
    ] as const) {
      const sums = declared({ w })
      const sentence = `orders.w is the sum of ${of} of things, and would be too large (beyond ${largest}) in 2 rows of orders, such as the one with the id ${made[0]?.id}. Nothing was changed. ${advice}`
      await expect(start(sums)).rejects.toThrow(sentence)
      await expect(follow(sums)).rejects.toThrow(sentence)
    }
    expect(await follow(plain)).toMatchObject({ applied: false, losses: [] })
    expect(await listed(plain)).toEqual(made)
    await serving(plain, databaseUrl, async (call) => {
      await call('PATCH', `things/${things[0]?.id}`, { pieces: 1 })
      for (const at of [1, 5]) await call('PATCH', `things/${things[at]?.id}`, { grams: 0, price: '0.00' })
    })
    const sums = declared({ grams: sum('things', ['grams', 'pieces']), price: sum('things', 'price') })
    await start(sums)
    expect(await listed(sums)).toMatchObject([
      { grams: most, price: '999999999999.99' },
      { grams: most, price: '999999999999.99' },
      { grams: -most, price: '-999999999999.99' },
    ])
    // It adds up a column that the same migration adds.
    const doubled = declared({ w: sum('things', ['grams', 'boxes']) }, { boxes: z.int().default(2) })
    await expect(start(doubled)).rejects.toThrow(
      /^orders\.w is .* in 3 rows of orders, .* (Nothing was changed|It was not computed)\. Change or delete/,
    )
  })

  walked(
    'a new unique that rows violate names one group, its values and ids, with and without other changes',
    async () => {
      const uniqueOrders = (fields: FieldDeclarations) =>
        api('shop', { resources: [customers, resource('orders', { fields, unique: [['code', 'price']] })] })
      const fields = { code: z.string().optional(), price: decimal({ scale: 2 }) }
      const rows = ['a', 'a', 'b', 'b', 'b', 'b', 'c', 'c', 'd', 'd', 'e', null, null]
      const { follow, made } = await started(
        shop(fields),
        rows.map((code) => ({ code, price: '1.50' })),
      )
      const ids = made.map(({ id }) => id)
      const shared = `rows of orders share values of code, price, in 4 groups, such as "a", "1.500000" (2 rows, such as ${ids[0]} and ${ids[1]} of the account "acme")`
      const told = (declaration: ApiDeclaration) => follow(declaration).catch((error: Error) => error.message)
      expect(await told(uniqueOrders(fields))).toBe(
        `The store does not fit the declaration. Nothing was changed. Change the rows that are named here, or change the declaration back, and try again:\n- values must be unique now, but ${shared}.`,
      )
      const renamed = { ...fields, note: z.string().default('-'), price: decimal({ scale: 3 }).optional() }
      expect(await told(uniqueOrders(renamed))).toMatch(
        /^The store does not fit the declaration\. Nothing was changed\. Change the rows .*\n- values must be unique now, but rows of orders share values of code, price, in 4 groups, such as "a", "1\.50+" /,
      )
    },
  )

  test('a reset deletes rows, events and what was imported, and keeps API keys', async () => {
    const notes = resource('notes', { fields: { text: z.string().max(40) }, search: ['text'] })
    const first = api('shop', { resources: [customers, notes], events: { keepDays: 30 } })
    await resetStore(store, compileApi(first), { clock: systemClock, published: [] })
    const { create, list } = followingStore(store, databaseUrl)
    await create(first, 'customers', [{ name: 'Ada' }])
    await create(first, 'notes', [{ text: 'left by Ada' }])
    expect(await list(first, 'events')).toHaveLength(2)
    await store.writeOne(`INSERT INTO "nounkit_meta" ("key", "value") VALUES ('import abc', '{}')`, [])
    const count = async (rows: string) => Number((await store.first(`SELECT count(*) FROM ${rows}`, []))?.[0])
    const keys = await count('"nounkit_api_keys"')
    await resetStore(store, compileApi(first), { clock: systemClock, published: [] })
    expect(await list(first, 'customers')).toEqual([])
    expect(await list(first, 'events')).toEqual([])
    await create(first, 'notes', [{ text: 'right of Ada' }])
    const found = await serving(first, databaseUrl, (call) => call('GET', 'notes?search=ada'))
    expect(found.list).toMatchObject([{ text: 'right of Ada' }])
    expect(await count(`"nounkit_meta" WHERE "key" LIKE 'import %'`)).toBe(0)
    expect(await count('"nounkit_api_keys"')).toBeGreaterThanOrEqual(keys)
  })

  walked('a row that followed has another entity tag', async () => {
    const first = shop({ size: z.int() })
    const { follow, made } = await started(first, [{ size: 1 }])
    const tag = (declaration: ApiDeclaration) =>
      serving(declaration, databaseUrl, async (call) => (await call('GET', `orders/${made[0]?.id}`)).etag)
    const before = await tag(first)
    const next = shop({ size: z.int().max(0).default(0) })
    await follow(next, { acceptDataLoss: true })
    expect(await tag(next)).not.toBe(before)
  })
})
