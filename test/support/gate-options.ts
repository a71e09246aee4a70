import { z } from 'zod'

/** Every option of a declaration that the law of the gate edits, with its values. The first value is the default. */
type Options = { readonly [option: string]: readonly unknown[] }

const fieldOptions = (resource: string, field: string, own: Options): Options =>
  Object.fromEntries(
    Object.entries({
      presence: ['required', 'optional', 'default', 'absent', 'nullable', 'other default'],
      mark: ['plain', 'readOnly', 'writeOnly', 'immutable'],
      words: ['', 'About it.'],
      ...own,
    }).map(([name, values]) => [`${resource}.${field}.${name}`, values]),
  )

const ofText: Options = {
  least: [0, 1, 2],
  most: [12, 8, 20, 300],
  pattern: [null, '^[a-z0-9]+$', '^[a-z0-9]*$'],
  format: [null, 'email', 'url', 'uuid'],
}
const ofCount: Options = {
  type: ['int', 'number'],
  least: [0, -5, 1, null],
  most: [100, 10, 1000, null],
  step: [null, 1, 2, 0.5, 0.1, 0.3],
}
const ofColour: Options = {
  mark: ['plain', 'readOnly', 'writeOnly', 'immutable', 'open', 'open readOnly'],
  values: [
    ['red', 'green'],
    ['red', 'green', 'blue'],
    ['green', 'red'],
    ['red', 'blue'],
  ],
}
const ofMoment: Options = { type: ['datetime', 'date'] }

const a = { a: z.int() }
const languages = z.enum(['de', 'en'])
const more = z.enum(['de', 'en', 'fr'])
const kindA = z.object({ kind: z.literal('a'), x: z.int() })
const kindB = z.object({ kind: z.literal('b'), y: z.int() })

/** Named, so that a failed case can be read. */
export const jsonShapes: { readonly [name: string]: z.ZodType } = {
  '{ a }': z.object(a),
  '{ a } in words': z.object({ a: z.int().describe('How many.') }),
  '{ a, b? }': z.object({ ...a, b: z.string().optional() }),
  '{ a, b }': z.object({ ...a, b: z.string() }),
  '{ a? }': z.object({ a: z.int().optional() }),
  '{ a max 9 }': z.object({ a: z.int().max(9) }),
  '{ a number }': z.object({ a: z.number() }),
  '{ a or null }': z.object({ a: z.int().nullable() }),
  '{ a int or text }': z.object({ a: z.union([z.int(), z.string()]) }),
  '{ a, others int }': z.object(a).catchall(z.int()),
  '{ a, others }': z.looseObject(a),
  '{ a: { b } or null }': z.object({ a: z.object({ b: z.int() }).nullable() }),
  '{ a: { b, c? } or null }': z.object({ a: z.object({ b: z.int(), c: z.int().optional() }).nullable() }),
  '{ a step 0.3 }': z.object({ a: z.number().multipleOf(0.3) }),
  '{ a step 0.1 }': z.object({ a: z.number().multipleOf(0.1) }),
  'record of two': z.record(languages, z.int()),
  'some of two': z.partialRecord(languages, z.int()),
  'some of three': z.partialRecord(more, z.int()),
  'record of text': z.record(z.string(), z.int()),
  'record of short text': z.record(z.string().max(3), z.int()),
  '{ a } or list': z.union([z.object(a), z.array(z.int())]),
  '{ a in words } or list': z.union([z.object({ a: z.int().describe('How many.') }), z.array(z.int())]),
  '{ a, b? } or list': z.union([z.object({ ...a, b: z.string().optional() }), z.array(z.int())]),
  '{ a } or { b } or list': z.union([z.object(a), z.object({ b: z.int() }), z.array(z.int())]),
  'kind a or b': z.discriminatedUnion('kind', [kindA, kindB]),
  'kind a with more or b': z.discriminatedUnion('kind', [kindA.extend({ more: z.int().optional() }), kindB]),
  'kind b or a': z.discriminatedUnion('kind', [kindB, kindA]),
  list: z.array(z.int()),
  'short list': z.array(z.int()).max(2),
  'list of { a }': z.array(z.object(a)),
  'list of { a, b? }': z.array(z.object({ ...a, b: z.string().optional() })),
  pair: z.tuple([z.int(), z.string()]),
}
const ofDoc: Options = { shape: Object.keys(jsonShapes) }

const resourceOptions = (name: string): Options =>
  Object.fromEntries(
    Object.entries({
      description: ['', 'What it is.'],
      shared: [false, true],
      idPrefix: [null, 'x_'],
      unique: [[], ['text'], [['text', 'count']]],
      filter: [[], ['text'], ['text', 'count', 'colour', 'created_at'], ['count']],
      sort: [[], ['text'], ['text', 'count', 'updated_at'], ['count']],
      methods: [
        ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        ['GET', 'POST', 'PATCH'],
        ['GET', 'POST', 'PUT'],
        ['GET'],
      ],
      idempotencyKey: ['optional', 'required', 'off', { mode: 'optional', body: 'reread' }],
      requireIfMatch: [false, true],
      count: [false, true],
      cacheControl: ['private, no-cache', 'private, max-age=5', 'no-store', 'public, max-age=60'],
      scopes: [
        {},
        { read: 'authenticated' },
        { GET: 'public' },
        { write: 'all:write' },
        { read: 'trees:read' },
      ],
      rate: [null, { perSecond: 50 }, { perSecond: 20, burst: 30 }],
      includeRelations: [null, 1, 2],
      includeDepth: [null, 1, 3],
      includeRows: [null, 2, 60, 200],
      pageDefault: [null, 2, 40],
      pageMax: [null, 3, 60, 200],
      bodyBytes: [null, 300, 2_000_000],
      countRows: [null, 1, 20_000],
      deleteOnlyWhile: [[], ['new'], ['new', 'open']],
    }).map(([option, values]) => [`${name}.${option}`, values]),
  )

export const gateOptions: Options = {
  ...fieldOptions('trees', 'text', ofText),
  ...fieldOptions('trees', 'count', ofCount),
  ...fieldOptions('trees', 'colour', ofColour),
  ...fieldOptions('trees', 'doc', ofDoc),
  'trees.stage': [
    null,
    ['new', { new: ['open'] }],
    ['new', { new: ['open'], open: ['new'] }],
    ['new', { new: ['open', 'gone'], open: ['gone'] }],
    ['open', { new: ['open'], open: ['new'] }],
  ],
  'trees.stage.words': ['', 'Where it stands.'],
  'trees.total': [null, ['leaves', 'count'], ['leaves', ['count', 'size']]],
  'trees.total.words': ['', 'All of them.'],
  ...fieldOptions('leaves', 'text', ofText),
  ...fieldOptions('leaves', 'count', {
    ...ofCount,
    type: ['int'],
    step: [null, 2],
    mark: ['plain', 'immutable'],
  }),
  ...fieldOptions('leaves', 'size', { presence: ['required', 'default'], mark: ['plain', 'writeOnly'] }),
  ...fieldOptions('leaves', 'flag', {}),
  ...fieldOptions('leaves', 'moment', ofMoment),
  ...fieldOptions('leaves', 'doc', ofDoc),
  ...resourceOptions('trees'),
  'trees.include': [['leaves'], [], ['leaves', 'guests'], ['leaves', 'leaves.host'], ['guests']],
  'trees.leaves.cap': [null, 2, 60, 300],
  'trees.leaves.words': ['', 'What grows on it.'],
  'trees.leaves.by': ['tree', 'host'],
  'trees.guests': [false, true],
  ...resourceOptions('leaves'),
  'leaves.include': [
    ['tree'],
    [],
    ['tree', 'host'],
    ['tree', 'tree.leaves'],
    ['tree', 'tree.guests', 'host'],
  ],
  'leaves.owner': [null, 'tree'],
  'leaves.tree.optional': [false, true],
  'leaves.tree.immutable': [false, true],
  'leaves.tree.onTargetDelete': ['refuse', 'cascade'],
  'leaves.tree.words': ['', 'What it grows on.'],
  'leaves.host': [false, true],
  'leaves.host.onTargetDelete': ['refuse', 'cascade'],
  'leaves.onlyWhile': [[], ['new', 'open'], ['new']],
  extras: [false, true],
  'api.title': ['', 'The wood'],
  'api.description': ['', 'All that grows.'],
  'api.unversioned': [null, 'v1'],
  'api.rate': [null, { perSecond: 50 }, { perSecond: 200, burst: 400 }],
  'api.rateStoreAway': ['open', 'closed'],
  'api.tokens': [
    null,
    {},
    { audience: 'other' },
    { claims: { account: 'tenant' } },
    { clockSkewSeconds: 60 },
  ],
  'api.cors': [null, ['https://one.example'], ['https://one.example', 'https://two.example'], '*'],
  'api.proxies': [[], ['10.0.0.0/8']],
  'api.rowsPerRequest': [5000, 300, 1000, 20_000],
  'api.jsonDepth': [32, 6, 64],
  'api.headerBytes': [16_384, 8192, 32_768],
  'api.idempotencyHours': [24, 12, 48],
  'api.requestsInFlight': [1000, 500],
  'api.pageMax': [100, 50, 200],
}
