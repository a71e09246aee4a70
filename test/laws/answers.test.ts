import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import {
  api,
  belongsTo,
  custom,
  hasMany,
  mapValues,
  needsScope,
  readOnly,
  removeField,
  renameField,
  renameRelation,
  renameResource,
  resource,
  version,
} from '../../src/index.ts'
import { keptByCode } from '../support/kept-by-code.ts'
import { type Answer, type Serving, serve } from '../support/serving.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores } from '../support/stores.ts'

// A noun whose code keeps its rows in an array is compared with one that is stored: the same requests get the same bytes, in every version.

const { rows: kept, ids, answers } = keptByCode()

const changes = {
  v2: [
    renameField('parcels', 'title', 'label', { why: 'Words.' }),
    mapValues('parcels', 'size', { s: 'small', l: 'large' }, { why: 'Words.' }),
  ],
  v1: [
    renameResource('boxes', 'parcels', { why: 'Words.' }),
    renameRelation('parcels', 'rack', 'shelf', { why: 'Words.' }),
    removeField('parcels', 'colour', { was: z.string().max(9).optional(), why: 'Grey.' }),
    custom('parcels', {
      fields: { memo: z.object({ text: z.string().max(30) }) },
      replaces: ['note'],
      up: ({ memo }) => ({ note: (memo as { text: string } | null)?.text ?? '' }),
      down: ({ note }) => ({ memo: { text: String(note) } }),
      samples: [{ older: { memo: { text: 'x' } }, newer: { note: 'x' } }],
      why: 'Flat.',
    }),
  ],
}

const fields = {
  label: z.string().min(1).max(8),
  note: z.string().max(30),
  size: z.enum(['small', 'large']),
  weight: z.int().max(9).optional(),
  secret: needsScope('secrets', z.string().max(5).optional()),
}
const times = { created_at: readOnly(z.iso.datetime()), updated_at: readOnly(z.iso.datetime()) }

const declared = (code: boolean) => {
  const shelves = resource('shelves', {
    fields: { name: z.string() },
    relations: { parcels: hasMany('parcels') },
    include: ['parcels'],
  })
  const common = {
    relations: { shelf: belongsTo(shelves) },
    filter: ['size', 'weight', 'shelf_id', 'secret'],
    sort: ['weight', 'label'],
    include: ['shelf'],
    limits: { pageMax: 3, pageDefault: 3 },
  } as const
  const parcels = code
    ? resource('parcels', {
        ...common,
        fields: { ...fields, ...times },
        rules: { read: ({ row, caller }) => row.label.isNot(caller.claim('hides')) },
        answers,
      })
    : resource('parcels', {
        ...common,
        fields,
        rules: { read: ({ row, caller }) => row.label.isNot(caller.claim('hides')) },
        methods: ['GET', 'POST'],
      })
  return api('depot', {
    resources: [shelves, parcels],
    scopes: { secrets: 'Know secrets.' },
    versions: [version('v3'), version('v2', { changes: changes.v2 }), version('v1', { changes: changes.v1 })],
  })
}

/** A request in the words of a version; `$shelf` and `$n` stand for ids. */
interface Asked {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: object
}

const text = fc.constantFrom('a', 'b', 'c', 'hidden')
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const words = {
  v3: { name: 'parcels', label: 'label', size: ['small', 'large', 'medium'], shelf: 'shelf' },
  v2: { name: 'parcels', label: 'title', size: ['s', 'l', 'small'], shelf: 'shelf' },
  v1: { name: 'boxes', label: 'title', size: ['s', 'l', 'x'], shelf: 'rack' },
} as const

const request: fc.Arbitrary<Asked> = fc.constantFrom('v1', 'v2', 'v3').chain((of) => {
  const said = words[of as keyof typeof words]
  const size = fc.constantFrom(...said.size)
  const create = fc
    .record({
      label: maybe(text),
      note: text,
      size,
      weight: maybe(fc.constantFrom(1, 2, 3, 10, null)),
      secret: maybe(text),
      colour: maybe(text),
      odd: fc.boolean(),
    })
    .map(({ label, note, colour, odd, ...rest }) => ({
      method: 'POST' as const,
      path: `/${of}/${said.name}`,
      body: {
        ...rest,
        [said.label]: label,
        ...(of === 'v1' ? { memo: { text: note }, colour } : { note }),
        [`${said.shelf}_id`]: odd ? '01980000-0000-7000-8000-000000000042' : '$shelf',
      },
    }))
  const query = fc
    .record({
      size: maybe(size),
      weight: maybe(fc.constantFrom('=1', '=null', '[gte]=2', '[lt]=3', '[in]=1,3,null', '[ne]=2')),
      secret: maybe(text),
      sort: maybe(fc.constantFrom('weight', '-weight', said.label, `-${said.label},weight`, '-id')),
      include: fc.boolean(),
      limit: maybe(fc.constantFrom(1, 2, 3)),
    })
    .map(({ size, weight, secret, sort, include, limit }) =>
      [
        ...(size ? [`filter[size]=${size}`] : []),
        ...(weight ? [`filter[weight]${weight}`] : []),
        ...(secret ? [`filter[secret]=${secret}`] : []),
        ...(sort ? [`sort=${sort}`] : []),
        ...(include ? [`include=${said.shelf}`] : []),
        ...(limit ? [`limit=${limit}`] : []),
      ].join('&'),
    )
  const list = query.map((asked) => ({ method: 'GET' as const, path: `/${of}/${said.name}?${asked}` }))
  const below = query.map((asked) => ({
    method: 'GET' as const,
    path: `/${of}/shelves/$shelf/${of === 'v1' ? 'parcels' : 'parcels'}?${asked.replace(/&?include=\w+/, '')}`,
  }))
  const one = fc.record({ n: fc.nat(5), include: fc.boolean() }).map(({ n, include }) => ({
    method: 'GET' as const,
    path: `/${of}/${said.name}/$${n}${include ? `?include=${said.shelf}` : ''}`,
  }))
  const shelves = fc.constant({ method: 'GET' as const, path: `/${of}/shelves?include=parcels` })
  return fc.oneof({ arbitrary: create, weight: 3 }, { arbitrary: list, weight: 3 }, below, one, shelves)
})

/** What must be the same. Cursors are sealed with what the code says of the next page, and entity tags of code are hashes of bodies. */
const seen = ({ status, text }: Answer) => [
  status,
  text
    .replaceAll(/"(next_cursor|next)":"[^"]*"/g, '"$1":"…"')
    .replaceAll(/"instance":"[^"]*"/g, '"instance":"…"'),
]

const shelf = '01980000-0000-7000-8000-000000000001'

describeStores('a noun whose code keeps an array', (store) => {
  const clock = setClock('2026-06-01T00:00:00Z')
  let both: readonly [stored: Serving, code: Serving] | undefined
  beforeAll(async () => {
    const start = async (code: boolean) =>
      serve(store.kind, await store.url(), { declaration: declared(code), clock })
    both = [await start(false), await start(true)]
  })

  test('answers the same requests with the same bytes as a stored one, in every version', async () => {
    if (!both) throw new Error('they are served only while a test runs')
    const servers = both
    let accounts = 0
    const scopes = ['parcels:read', 'parcels:write', 'shelves:read', 'shelves:write']
    const keysOf = async (account: string) =>
      Promise.all(
        servers.flatMap((served) =>
          [scopes, [...scopes, 'secrets']].map((some) =>
            served.api.key(account, { scopes: some, claims: { hides: 'hidden' } }),
          ),
        ),
      )
    const law = fc.asyncProperty(
      fc.array(fc.tuple(request, fc.boolean()), { minLength: 8, maxLength: 16 }),
      async (requests) => {
        kept.length = 0
        const account = `law-${store.kind}-${++accounts}`
        const keys = await keysOf(account)
        const shelfIds = await Promise.all(
          servers.map(async (served, at) => {
            const body = { name: 'top' }
            return (await served.make('/v3/shelves', body, { as: keys[at * 2] ?? null })).id
          }),
        )
        const made: string[] = []
        for (const [{ method, path, body }, knows] of requests) {
          clock.pass(1_000)
          const call = async (at: 0 | 1) => {
            const own = shelfIds[at] ?? ''
            const fill = (text: string) =>
              text.replaceAll('$shelf', own).replace(/\$(\d)/, (_, n) => made[Number(n)] ?? 'none')
            const answer = await servers[at].call(method, fill(path), {
              as: keys[at * 2 + Number(knows)] ?? null,
              ...(body ? { body: fill(JSON.stringify(body)) } : {}),
            })
            return { answer, same: seen(answer).map((part) => String(part).replaceAll(own, shelf)) }
          }
          const stored = await call(0)
          if (stored.answer.status === 201) {
            made.push(stored.answer.data.id)
            ids.splice(0, ids.length, stored.answer.data.id)
          }
          const code = await call(1)
          expect(code.same, `${method} ${path}`).toEqual(stored.same)
          if (stored.answer.status === 201)
            expect(code.answer.headers.get('location')).toBe(stored.answer.headers.get('location'))
        }
      },
    )
    await fc.assert(law, { numRuns: process.env.NOUNKIT_NIGHTLY ? 300 : 8 })
  })
})
