import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import * as change from '../../src/declare/change.ts'
import { states } from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { type Releases, releasesOn } from '../support/releases.ts'
import { describeWalked } from '../support/stores.ts'

const fields = {
  status: states('open', { open: ['paid'] }),
  price: z.string().optional(),
  due: z.int().optional(),
  note: z.string().optional(),
}
const one = api('desk', {
  resources: [
    resource('orders', {
      fields,
      sort: ['status', 'price', 'due', 'note'],
      filter: ['status', 'price', 'due'],
    }),
  ],
  versions: [version('v1')],
})

/** The same version with more of everything. */
const grown = api('desk', {
  resources: [
    resource('orders', {
      fields: { urgent: z.boolean().default(false), ...fields },
      sort: ['urgent', 'note', 'due', 'price', 'status'],
      filter: ['urgent', 'note', 'due', 'price', 'status'],
    }),
  ],
  versions: [version('v1')],
})

const why = 'For the test.'
const decimal = z.string().optional()
const seconds = z.int().optional()
const two = api('desk', {
  resources: [
    resource('orders', {
      fields: {
        status: states('placed', { placed: ['settled'] }),
        price: z.int().optional(),
        due: z.iso.datetime().optional(),
        note: z.string().optional(),
      },
      sort: ['status', 'price', 'due', 'note'],
      filter: ['status', 'price', 'due'],
    }),
  ],
  versions: [
    version('v2'),
    version('v1', {
      changes: [
        change.mapValues('orders', 'status', { open: 'placed', paid: 'settled' }),
        change.changeType('orders', 'price', { was: decimal, codec: 'cents-as-decimal-string' }),
        change.changeType('orders', 'due', { was: seconds, codec: 'datetime-as-unix-seconds', why }),
      ],
    }),
  ],
})

/** Six orders, two of them paid, prices whose order as texts is not that of the amounts. */
async function fill({ serving }: Releases): Promise<void> {
  const prices = ['9.00', '10.00', '100.00', '2.00', '20.00', '-1.00']
  for (const [at, price] of prices.entries()) {
    const note = at % 2 === 0 ? {} : { note: `n${at}` }
    const { id } = await serving.make('/v1/orders', { price, due: 1_780_272_000 + (at % 3), ...note })
    if (at > 3) await serving.call('PATCH', `/v1/orders/${id}`, { body: { status: 'paid' } })
  }
}

interface Walk {
  readonly query: string
  readonly ids: readonly string[]
  readonly cursor: string | null
}

async function nextPage({ serving }: Releases, { query, ids, cursor }: Walk): Promise<Walk> {
  const answer = await serving.get(`/v1/orders?limit=2&${query}${cursor ? `&cursor=${cursor}` : ''}`)
  expect(answer.status, answer.text).toBe(200)
  return { query, ids: [...ids, ...answer.rows.map(({ id }) => id)], cursor: answer.page.next_cursor }
}

const begin = (releases: Releases, queries: readonly string[]): Promise<readonly Walk[]> =>
  Promise.all(queries.map((query) => nextPage(releases, { query, ids: [], cursor: null })))

async function end(releases: Releases, walks: readonly Walk[]): Promise<readonly Walk[]> {
  const ended: Walk[] = []
  for (let walk of walks) {
    while (walk.cursor) walk = await nextPage(releases, walk)
    ended.push(walk)
  }
  return ended
}

const queries = [
  'filter[status]=open',
  'filter[status][ne]=paid&sort=-status',
  'sort=-status,due',
  'sort=price',
  'sort=-price',
  'sort=price&filter[price][gt]=10.00',
  'sort=due',
  'sort=-due&filter[due][gte]=1780272001',
]

describeWalked('a cursor from before a release', (store) => {
  test.each([
    ['a newer version', two],
    ['more fields', grown],
  ])('goes on after a release of %s', async (_, next) => {
    const releases = await releasesOn(store, one)
    await fill(releases)
    const begun = await begin(releases, queries)
    const expected = await end(releases, begun)
    expect(expected.map(({ ids }) => ids.length)).toEqual([4, 4, 6, 6, 6, 4, 6, 4])
    await releases.next(next)
    expect(await end(releases, begun)).toEqual(expected)
    // From the first page on as well: the order and the filters of the older version are still its own.
    expect(await end(releases, await begin(releases, queries))).toEqual(expected)
  })

  test('at a NULL stands before or after all rows where the field is required since', async () => {
    const required = api('desk', {
      resources: [
        resource('orders', {
          fields: { ...fields, note: z.string() },
          sort: ['status', 'price', 'due', 'note'],
          filter: ['status', 'price', 'due'],
        }),
      ],
      versions: [
        version('v2'),
        version('v1', { changes: [change.makeRequired('orders', 'note', { whenAbsent: 'none', why })] }),
      ],
    })
    const releases = await releasesOn(store, one)
    await fill(releases)
    const begun = await begin(releases, ['sort=note', 'sort=note,price', 'sort=note,-price'])
    await releases.next(required)
    for (const { ids } of await end(releases, begun)) expect(new Set(ids).size).toBe(6)
  })

  test('is refused as a bad cursor where its value has no form in the newer type', async () => {
    const releases = await releasesOn(store, one)
    for (const due of [1, 300_000_000_000_000, 300_000_000_000_001])
      await releases.serving.make('/v1/orders', { price: '1.00', due })
    const path = '/v1/orders?sort=due&limit=2'
    const { next_cursor: cursor } = (await releases.serving.get(path)).page
    await releases.next(two, (opened) =>
      opened.session((session) => session.script(`UPDATE "orders" SET "due" = 2`)),
    )
    const answer = await releases.serving.get(`${path}&cursor=${cursor}`)
    expect(answer.refusal).toEqual([400, 'bad-cursor'])
    expect(answer.faults).toEqual(['cursor'])
  })
})
