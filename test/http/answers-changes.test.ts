import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Change, ChangeOfKind } from '../../src/declare/change.ts'
import * as nounkit from '../../src/index.ts'
import { api, belongsTo, needsScope, readOnly, resource, version } from '../../src/index.ts'
import { linesOf } from '../compile/declarations.ts'
import { keptByCode } from '../support/kept-by-code.ts'
import { type Answer, type Serving, serve } from '../support/serving.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores } from '../support/stores.ts'

// Every kind of change, on a noun that code answers for and on a stored one: older versions of both answer with the same bytes.

type Options = { readonly [option: string]: unknown }

/** A change that holds for code. `v1` and `v2` are what each version asks. */
interface Held<C extends Change> {
  readonly change: C
  /** Further changes that show the same kind. */
  readonly more?: readonly Change[]
  /** Of the newest version, beside `plain`. */
  readonly fields?: Options
  readonly options?: Options
  /** The name in the older version, where it is another. */
  readonly older?: string
  readonly v1: Asked
  readonly v2: Asked
}
interface Asked {
  readonly creates: readonly object[]
  readonly queries?: readonly string[]
  readonly headers?: { readonly [name: string]: string }
}
/** A change that cannot be declared for code, because the older version would offer what only the store has. */
interface Refused<C extends Change> {
  readonly change: C
  readonly refused: RegExp
}

const why = 'Words.'
const times = { created_at: readOnly(z.iso.datetime()), updated_at: readOnly(z.iso.datetime()) }
const owners = resource('owners', { fields: { name: z.string() } })
const of = <K extends Change['kind']>(kind: K) => kind
const {
  renameResource,
  renameField,
  renameRelation,
  mapValues,
  changeType,
  removeField,
  addRequiredField,
  makeRequired,
  removeInclude,
  removeFilter,
  removeSort,
  removeSearch,
  removeCount,
  removeBulk,
  changeLimit,
  requireIdempotencyKey,
  requireScope,
  removeMethod,
  changeDefault,
  changeRule,
  changeFieldScope,
  custom,
} = nounkit

const label = (text: string) => ({ label: text })
const three = [label('b'), label('a'), label('c')]

/** By construction: a new kind of change needs a line here. */
const cases: { readonly [K in Change['kind']]: Held<ChangeOfKind<K>> | Refused<ChangeOfKind<K>> } = {
  'rename-resource': {
    change: renameResource('former', of('rename-resource'), { why }),
    older: 'former',
    v1: { creates: three },
    v2: { creates: three },
  },
  'rename-field': {
    change: renameField(of('rename-field'), 'title', 'label', { why }),
    v1: { creates: [{ title: 'x' }, { label: 'x' }], queries: ['sort=-title', 'filter[title]=x'] },
    v2: { creates: three, queries: ['sort=label'] },
  },
  'rename-relation': {
    change: renameRelation(of('rename-relation'), 'holder', 'owner', { why }),
    options: { include: ['owner'] },
    v1: { creates: [{ label: 'x', holder_id: '$owner' }], queries: ['include=holder', 'include=owner'] },
    v2: { creates: [{ label: 'y', owner_id: '$owner' }], queries: ['include=owner'] },
  },
  'map-values': {
    // Two of today's values are one of the older version.
    change: mapValues(
      of('map-values'),
      'size',
      { s: 'small', l: 'large' },
      { why, onlyInNewer: { huge: 'l' } },
    ),
    fields: { size: z.enum(['small', 'large', 'huge']).optional() },
    options: { filter: ['size'] },
    v1: {
      creates: [
        { label: 'x', size: 's' },
        { label: 'y', size: 'l' },
        { label: 'y', size: 'small' },
      ],
      queries: ['=l', '[ne]=l', '[in]=s,null', '=null', '[ne]=null', '[ne]=s', '=huge'].map(
        (rest) => `filter[size]${rest}`,
      ),
    },
    v2: {
      creates: [{ label: 'x', size: 'huge' }, { label: 'z' }],
      queries: ['filter[size]=large', 'filter[size][ne]=large', 'filter[size][in]=huge,null'],
    },
  },
  'change-type': {
    change: changeType(of('change-type'), 'open', { was: z.int(), codec: 'boolean-as-integer', why }),
    more: [
      changeType(of('change-type'), 'price', { was: z.string(), codec: 'cents-as-decimal-string', why }),
      changeType(of('change-type'), 'at', {
        was: z.int().optional(),
        codec: 'datetime-as-unix-seconds',
        why,
      }),
    ],
    fields: { open: z.boolean(), price: z.int(), at: z.iso.datetime().optional() },
    options: { filter: ['open'], sort: ['open', 'at'] },
    v1: {
      creates: [
        { label: 'x', open: 1, price: '12.50', at: 1_760_000_000 },
        { label: 'x', open: 2, price: '1.234' },
      ],
      queries: ['=1', '[ne]=1', '[gt]=0', '[gte]=0', '[lt]=1', '[lte]=7', '[in]=0,1', '=2', '=true']
        .map((rest) => `filter[open]${rest}`)
        .concat('sort=-open', 'sort=at'),
    },
    v2: {
      creates: [
        { label: 'y', open: false, price: 7 },
        { label: 'y', open: true, price: 8, at: '2026-01-01T00:00:00.500Z' },
      ],
      queries: ['filter[open]=false', 'sort=open'],
    },
  },
  'remove-field': {
    change: removeField(of('remove-field'), 'colour', { was: z.string().max(5).optional(), why }),
    v1: { creates: [{ label: 'x', colour: 'red' }, { label: 'x', colour: 'too long' }, label('y')] },
    v2: { creates: [label('x'), { label: 'x', colour: 'red' }] },
  },
  'add-required-field': {
    change: addRequiredField(of('add-required-field'), 'tone', { whenAbsent: 'low', why }),
    fields: { tone: z.string() },
    v1: { creates: [label('x'), { label: 'x', tone: 'high' }] },
    v2: { creates: [label('x'), { label: 'x', tone: 'high' }] },
  },
  'make-required': {
    change: makeRequired(of('make-required'), 'tone', { whenAbsent: 'low', why }),
    fields: { tone: z.string() },
    v1: { creates: [label('x'), { label: 'x', tone: 'high' }, { label: 'x', tone: null }] },
    v2: { creates: [label('x'), { label: 'x', tone: 'high' }] },
  },
  'remove-include': {
    change: removeInclude(of('remove-include'), 'owner', { why }),
    v1: { creates: [{ label: 'x', owner_id: '$owner' }, label('y')], queries: ['include=owner'] },
    v2: { creates: three, queries: ['include=owner'] },
  },
  'remove-filter': {
    change: removeFilter(of('remove-filter'), 'weight', { why }),
    v1: { creates: [{ label: 'x', weight: 3 }], queries: ['filter[weight][gte]=2', 'filter[weight]=null'] },
    v2: { creates: [{ label: 'x', weight: 1 }], queries: ['filter[weight][gte]=2'] },
  },
  'remove-sort': {
    change: removeSort(of('remove-sort'), 'weight', { why }),
    v1: { creates: [{ label: 'x', weight: 3 }, label('y')], queries: ['sort=-weight', 'sort=weight'] },
    v2: { creates: [{ label: 'x', weight: 1 }], queries: ['sort=weight'] },
  },
  'remove-search': {
    change: removeSearch(of('remove-search'), 'label', { why }),
    refused: /it searches remove-search, which is answered by code/,
  },
  'remove-count': {
    change: removeCount(of('remove-count'), { why }),
    refused: /it counts remove-count, which is answered by code/,
  },
  'remove-bulk': {
    change: removeBulk(of('remove-bulk'), { why }),
    refused: /it takes lists of remove-bulk, which is answered by code/,
  },
  'change-limit': {
    change: changeLimit(of('change-limit'), 'pageMax', { was: 5, why }),
    v1: { creates: three, queries: ['limit=5', 'limit=6'] },
    v2: { creates: three, queries: ['limit=3', 'limit=4'] },
  },
  'require-idempotency-key': {
    change: requireIdempotencyKey(of('require-idempotency-key'), { why }),
    options: { idempotencyKey: 'required' },
    v1: { creates: three },
    v2: { creates: three },
  },
  'require-scope': {
    change: requireScope(of('require-scope'), 'POST', { was: 'require-scope:write', why }),
    options: { scopes: { POST: 'special' } },
    v1: { creates: three },
    v2: { creates: three },
  },
  'remove-method': {
    change: removeMethod(of('remove-method'), 'POST', { why }),
    options: { methods: ['GET'] },
    v1: { creates: three },
    v2: { creates: three },
  },
  'change-default': {
    change: changeDefault(of('change-default'), 'tone', { was: 'low', why }),
    fields: { tone: z.string().default('high') },
    v1: { creates: [label('x'), { label: 'x', tone: 'mid' }] },
    v2: { creates: [label('x'), { label: 'x', tone: 'mid' }] },
  },
  'change-rule': {
    change: changeRule(of('change-rule'), 'read', { why }),
    options: {
      rules: { read: ({ row }: never) => (row as { label: { isNot(it: string): never } }).label.isNot('b') },
    },
    v1: { creates: three },
    v2: { creates: three },
  },
  'change-field-scope': {
    change: changeFieldScope(of('change-field-scope'), 'hidden', { why }),
    fields: { hidden: needsScope('secrets', z.string().optional()) },
    v1: { creates: [{ label: 'x', hidden: 'y' }, label('x')] },
    v2: { creates: [{ label: 'x', hidden: 'y' }, label('x')] },
  },
  custom: {
    change: custom(of('custom'), {
      fields: { memo: z.object({ text: z.string().max(20) }) },
      replaces: ['note'],
      up: ({ memo }) => ({ note: (memo as { text: string }).text }),
      down: ({ note }) => ({ memo: { text: String(note) } }),
      samples: [{ older: { memo: { text: 'x' } }, newer: { note: 'x' } }],
      why,
    }),
    fields: { note: z.string().max(20) },
    v1: {
      creates: [
        { label: 'x', memo: { text: 'one' } },
        { label: 'x', memo: 'one' },
      ],
    },
    v2: { creates: [{ label: 'x', note: 'two' }] },
  },
}

const kinds = Object.keys(cases) as Change['kind'][]
const isHeld = (one: Held<Change> | Refused<Change>): one is Held<Change> => !('refused' in one)
const caseOf = (kind: Change['kind']) => cases[kind] as Held<Change> | Refused<Change>
const held = kinds.filter((kind) => isHeld(caseOf(kind)))

const code = keptByCode()

const nounOf = (kind: Change['kind'], isCode: boolean) => {
  const { fields = {}, options = {} } = caseOf(kind) as Partial<Held<Change>>
  return resource(kind, {
    nameIsPluralBecause: 'it is the name of a kind of change',
    methods: ['GET', 'POST'],
    filter: ['label'],
    sort: ['label'],
    limits: { pageMax: 3, pageDefault: 3 },
    relations: { owner: belongsTo(owners, { optional: true }) },
    ...options,
    fields: {
      label: z.string().max(8),
      weight: z.int().optional(),
      ...fields,
      ...(isCode ? times : {}),
    },
    ...(isCode ? { answers: code.answers } : {}),
  } as never)
}

const declared = (isCode: boolean, of: readonly Change['kind'][]) =>
  api('changed', {
    resources: [owners, ...of.map((kind) => nounOf(kind, isCode))],
    scopes: { secrets: 'Know secrets.', special: 'Make what is special.' },
    versions: [
      version('v2'),
      version('v1', {
        changes: of.flatMap((kind) => {
          const { change, more = [] } = caseOf(kind) as Held<Change>
          return [change, ...more]
        }),
      }),
    ],
  } as never)

describe('what only the store has', () => {
  test.each(kinds.filter((kind) => !isHeld(caseOf(kind))))('%s is refused, with the noun', (kind) => {
    const { refused } = caseOf(kind) as Refused<Change>
    expect(linesOf(declared(true, [kind])).join('\n')).toMatch(refused)
    expect(linesOf(declared(false, [kind]))).toEqual([])
  })

  test('values that code cannot be asked for, paths through relations, and includes without a list', () => {
    const quotes = resource('quotes', {
      fields: { price: z.int(), size: z.enum(['small', 'large']), at: z.iso.datetime() },
      relations: { owner: belongsTo('owners') },
      filter: ['price', 'at'],
      sort: ['price', 'size'],
      answers: { list: () => ({ rows: [] }) },
    })
    const notes = resource('notes', {
      fields: { text: z.string() },
      relations: { owner: belongsTo('owners'), quote: belongsTo(quotes), lone: belongsTo('lones') },
    })
    const lones = resource('lones', {
      nameIsPluralBecause: 'of the test',
      fields: { text: z.string() },
      answers: { get: () => null },
    })
    const lines = linesOf(
      api('odd', {
        resources: [resource('owners', { fields: { name: z.string() } }), quotes, notes, lones],
        versions: [
          version('v2'),
          version('v1', {
            changes: [
              changeType('quotes', 'price', { was: z.string(), codec: 'cents-as-decimal-string', why }),
              changeType('quotes', 'at', { was: z.int(), codec: 'datetime-as-unix-seconds', why }),
              mapValues('quotes', 'size', { s: 'small', l: 'large' }, { why }),
              removeFilter('notes', 'quote.price' as never, { why }),
              removeFilter('quotes', 'owner.name' as never, { why }),
              removeInclude('notes', 'lone', { why }),
            ],
          }),
        ],
      }),
    )
    expect(lines.map((line) => line.replace(/^versions\.v1: /, '').split(/[:,] /)[0])).toEqual([
      'its filter "owner.name" of quotes leads through relations',
      'it filters quotes by "price"',
      'it filters quotes by "at"',
      'it sorts quotes by "price"',
      'it sorts quotes by "size"',
      'its filter "quote.price" of notes leads through relations',
      'its include "lone" of notes leads to lones',
    ])
  })
})

describeStores('older versions of a noun whose code keeps an array', (store) => {
  const clock = setClock('2026-06-01T00:00:00Z')
  let both: readonly [stored: Serving, code: Serving] | undefined
  beforeAll(async () => {
    const start = async (isCode: boolean) =>
      serve(store.kind, await store.url(), { declaration: declared(isCode, held), clock })
    both = [await start(false), await start(true)]
  })

  test.each(held)('after %s they answer as those of a stored one', async (kind) => {
    if (!both) throw new Error('they are served only while a test runs')
    const [stored, coded] = both
    const { older = kind, v1, v2 } = caseOf(kind) as Held<Change>
    const account = `${kind}-${store.kind}`
    const scopes = ['*']
    const limited = [`${kind}:read`, `${kind}:write`, 'owners:read']
    const made = await Promise.all(
      [stored, coded].map(async (served) => ({
        served,
        owner: (await served.make('/v2/owners', { name: 'ada' }, { as: account })).id,
        keys: await Promise.all([scopes, limited].map((some) => served.api.key(account, { scopes: some }))),
      })),
    )
    const seen = ({ status, text }: Answer, owner: string) => [
      status,
      text.replaceAll(owner, '$owner').replaceAll(/"(next_cursor|next|instance)":"[^"]*"/g, '"$1":"…"'),
    ]
    let created = 0
    const same = async (key: number, method: string, path: string, body?: object) => {
      clock.pass(1_000)
      const answers: unknown[] = []
      for (const { served, owner, keys } of made) {
        const answer = await served.call(method, path, {
          as: keys[key] ?? null,
          ...(body ? { body: JSON.stringify(body).replaceAll('$owner', owner) } : {}),
        })
        if (served === stored) code.ids.splice(0, code.ids.length)
        if (served === stored && answer.status === 201) {
          code.ids.push(answer.data.id)
          created++
        }
        answers.push(seen(answer, owner))
      }
      expect(answers[1], `${method} ${path} ${JSON.stringify(body)}`).toEqual(answers[0])
      return answers[0] as readonly [number, string]
    }
    const statuses = new Set<string>()
    for (const key of /scope/.test(kind) ? [0, 1] : [0])
      for (const [prefix, name, { creates, queries = [] }] of [
        ['v1', older, v1],
        ['v2', kind, v2],
      ] as const) {
        for (const body of creates)
          statuses.add(`${prefix} ${(await same(key, 'POST', `/${prefix}/${name}`, body))[0]}`)
        for (const query of ['', ...queries])
          for (const each of ['v1', 'v2'] as const)
            await same(key, 'GET', `/${each}/${each === 'v1' ? older : kind}?${query}`)
        for (const id of code.ids) await same(key, 'GET', `/${prefix}/${name}/${id}`)
      }
    // A test in which nothing is made shows little.
    expect([...statuses]).toContain('v1 201')
    expect(created).toBeGreaterThan(0)
  })
})
