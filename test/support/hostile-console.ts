import {
  api,
  belongsTo,
  decimal,
  hasMany,
  immutable,
  job,
  renameField,
  resource,
  states,
  version,
} from 'nounkit'
import { z } from 'zod'
import type { Clock } from '../../src/clock.ts'
import { type TestApi, type TestOptions, testApi } from '../../src/testing.ts'
import { testWebhooks } from './hooks-api.ts'
import { OperatorBrowser } from './operator-browser.ts'

/** What would be an element, an attribute, a script or the end of something, if it became markup anywhere; then letters that run from right to left, and some that are not seen. */
const evil = `"'><zz onzz=1></title></textarea></script><script>zz()</script><img src=x onerror=zz()>&lt;zz&gt;\u202e\u200b\u2028\${zz}`
/** No longer than a name may be. */
/** A short one. */
export const evilName = `"'><zz onzz=1><script>zz()</script>\u202e\u200b`
const evilUrl = 'javascript:zz()//"><zz>'
/** Names of accounts and subjects have no line or paragraph separators. */
const evilAccount = `"'><zz onzz=1><img src=x onerror=zz()>/../?a#b&c=%2e`

const makers = resource('makers', {
  description: evil,
  fields: { name: z.string().max(500).describe(evil) },
  relations: { things: hasMany('things', { description: evil }) },
  include: ['things'],
  search: ['name'],
  sort: ['name'],
})
const things = resource('things', {
  description: evil,
  fields: {
    title: z.string().max(500).describe(evil),
    note: z.string().max(3000).optional(),
    link: z.string().max(500).optional(),
    price: decimal({ scale: 2 }).optional(),
    ratio: z.number().optional(),
    on: z.iso.date().optional(),
    at: z.iso.datetime().optional(),
    kind: z.enum(['a', evilName]).default('a'),
    shape: z.record(z.string(), z.string()).optional(),
    code: immutable(z.string()).optional(),
    step: states('one', { one: ['two'], two: ['one'] }, { description: evil }),
  },
  relations: {
    maker: belongsTo(makers, { optional: true, description: evil }),
    parts: hasMany('parts', { description: evil }),
  },
  filter: ['title', 'kind', 'step', 'maker_id', 'created_at'],
  sort: ['title', 'created_at'],
  search: ['title'],
  include: ['maker', 'parts'],
  count: true,
  bulk: true,
  hooks: {
    async afterCreate({ title }, { later }) {
      await later('remind', { text: title })
    },
  },
})
const parts = resource('parts', {
  owner: 'thing',
  fields: { label: z.string().max(500) },
  relations: { thing: belongsTo(things, { onTargetDelete: 'cascade' }) },
  include: ['thing'],
})
const reminder = job(
  z.object({ text: z.string() }),
  ({ text }) => {
    throw new Error(`${text}\n${evil}`)
  },
  { retries: [] },
)

/** An API with all that the console has pages for. Its declaration says hostile texts, too. */
const declaration = api('world', {
  title: evil,
  description: evil,
  resources: [makers, things, parts],
  versions: [
    version('v2', { published: '2026-06-01' }),
    version('v1', {
      published: '2025-01-15',
      deprecated: '2026-06-01',
      sunset: '2026-12-31',
      changes: [renameField('things', 'heading', 'title', { why: evil })],
    }),
  ],
  events: { keepDays: 30 },
  jobs: { remind: reminder },
})

export interface HostileConsole {
  readonly served: TestApi
  readonly clock: Clock
  readonly ada: OperatorBrowser
  readonly accounts: readonly string[]
  close(): Promise<void>
}

/** A service in which every text that a caller or a consumer can store is a hostile one. */
export async function hostileConsole(
  options: Pick<TestOptions, 'databaseUrl'> = {},
): Promise<HostileConsole> {
  let now = Date.parse('2027-02-15T12:00:00Z')
  // A process is seen to write because its time moves on.
  const clock = { now: () => ++now }
  const served = await testApi(declaration, { ...options, clock, webhooks: testWebhooks })
  const ada = await OperatorBrowser.signedIn(served, 'ada', clock)
  const accounts = ['acme', evilAccount]
  for (const account of accounts) await fill(served, account)
  const beating = setInterval(() => void served.service.lifecycle.beat(), 50)
  await served.service.lifecycle.beat()
  return {
    served,
    clock,
    ada,
    accounts,
    async close() {
      clearInterval(beating)
      await served.close()
    },
  }
}

/** As a consumer, with keys whose names, contacts, subjects and claims are hostile. */
async function fill(served: TestApi, account: string): Promise<void> {
  const secret = await served.key(account, {
    name: evilName,
    subject: evilAccount,
    claims: { [evilName]: evil },
  })
  const call = async (method: string, path: string, body?: object) => {
    const response = await served.fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        'user-agent': evilUrl,
        ...(body && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, json: (await response.json()) as { data: { id: string } } }
  }
  const make = async (path: string, body: object): Promise<string> => {
    const { status, json } = await call('POST', path, body)
    if (status !== 201) throw new Error(`${path}: ${JSON.stringify(json)}`)
    return json.data.id
  }
  const maker_id = await make('/v2/makers', { name: evil })
  const texts = { title: evil, note: `${evil}\n${evil.repeat(5)}`, link: evilUrl, code: evil }
  const thing = await make('/v2/things', { ...texts, kind: evilName, shape: { [evil]: evil }, maker_id })
  await make('/v2/things', {
    title: '\u202e\u0627\u0644\u0639\u0631\u0628\u064a\u0629'.repeat(20),
    note: '\u0001\u007f\ufeff',
  })
  await call('PATCH', `/v2/things/${thing}`, { note: evil, step: 'two' })
  await make(`/v2/things/${thing}/parts`, { label: evil })
  await make('/v1/things', { heading: evil })
  const hook = {
    url: `https://receiver.invalid/${encodeURIComponent(evil)}?"><zz>`,
    event_types: ['things.created'],
    description: evil.slice(0, 200),
  }
  const endpoint = await make('/v2/webhook-endpoints', hook)
  const events = await call('GET', '/v2/events')
  const [event] = events.json.data as unknown as readonly { id: string }[]
  await make(`/v2/webhook-endpoints/${endpoint}/deliveries`, { event_id: event?.id })
  for (const path of [
    `/v2/things/${encodeURIComponent(evil)}`,
    `/v9/${encodeURIComponent(evil)}?${encodeURIComponent(evil)}=1`,
  ])
    await call('GET', path)
  await call('GET', '/v1/things?sort=heading')
  await served.runJobs()
}
