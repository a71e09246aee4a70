import { expect, test } from 'vitest'
import type { Caller } from '../../src/call/caller.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { storeContact } from '../../src/lifecycle/contacts.ts'
import { openRecorder, type Recorder } from '../../src/lifecycle/recorder.ts'
import { type ConsumerUsage, usageReport } from '../../src/lifecycle/usage-report.ts'
import { nothingUsed, type Uses } from '../../src/lifecycle/use.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { createRouter } from '../../src/serve/route.ts'
import type { Store } from '../../src/store/store.ts'
import { callerOf } from '../support/key-caller.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores, type StoreUnderTest } from '../support/stores.ts'
import { threeVersions } from '../support/three-versions.ts'

const model = compileApi(threeVersions, {})
const router = createRouter(model)
const day = 86_400_000

async function opened(stores: StoreUnderTest) {
  const store = await stores.open()
  await migrateStore(store, model)
  const clock = setClock('2026-07-10T12:00:00Z')
  return { store, clock, recorder: await openRecorder({ store, clock }) }
}

function call(recorder: Recorder, method: string, path: string, who: Caller, uses: Partial<Uses> = {}): void {
  recorder.count(method, 200, { target: router.find(path), caller: who, uses: { ...nothingUsed, ...uses } })
}

const words = (usage: ConsumerUsage | undefined): readonly string[] =>
  (usage?.stillUses ?? []).map(({ change, uses }) => `${change}: ${uses.join(', ')}`)

async function consumersOf(store: Store, now: number, version: string): Promise<readonly ConsumerUsage[]> {
  const report = await usageReport(store, model, now)
  return report.versions.find((one) => one.version === version)?.consumers ?? []
}

describeStores('the report', (stores) => {
  test('says for each change what of its older side a consumer still uses', async () => {
    const { store, clock, recorder } = await opened(stores)
    const who = callerOf('token:till')
    call(recorder, 'GET', '/v1/users', who, { filters: ['title', 'tier', 'active'], sorts: ['title'] })
    call(recorder, 'POST', '/v1/users', who, { fields: ['title', 'tier', 'home', 'joined_at'] })
    call(recorder, 'GET', '/v1/packages', who, {
      include: ['events', 'owner'],
      filters: ['owner_id', 'priority'],
    })
    call(recorder, 'PUT', '/v1/packages/7', who, { fields: ['code', 'stage', 'weight', 'owner_id'] })
    call(recorder, 'DELETE', '/v1/packages/7', who)
    call(recorder, 'GET', '/v1/packages/7/events', who, { include: ['parcel', 'parcel.owner'] })
    await recorder.flush()
    const [usage] = await consumersOf(store, clock.now(), 'v1')
    expect(words(usage)).toMatchInlineSnapshot(`
      [
        "\`users\` is now \`senders\`: calls \`/users\`",
        "\`users.title\` is now \`senders.full_name\`: sends \`title\`, filters by \`title\`, sorts by \`title\`",
        "The relation \`owner\` of \`packages\` is now \`sender\`: sends \`owner_id\`, filters by \`owner_id\`, includes \`owner\`, includes \`parcel.owner\`",
        "Values of \`packages.stage\` changed: sends \`stage\`",
        "Values of \`senders.tier\` changed: sends \`tier\`, filters by \`tier\`",
        "The type of \`senders.active\` changed: filters by \`active\`",
        "The type of \`senders.joined_at\` changed: sends \`joined_at\`",
        "The type of \`packages.weight\` changed: sends \`weight\`",
        "\`packages.code\` is gone: sends \`code\`",
        "\`senders.language\` must now be sent: creates \`users\` and may leave out \`language\`",
        "\`scans\` can no longer include \`parcel.sender\`: includes \`parcel.owner\`",
        "\`DELETE packages\` needs another scope: calls \`DELETE /packages/{id}\`",
        "\`PUT\` is no longer offered on \`packages\`: calls \`PUT /packages/{id}\`",
        "\`home\` of \`senders\` became \`address\`: sends \`home\`",
      ]
    `)
  })

  test('finds what only the next version changed in that version', async () => {
    const { store, clock, recorder } = await opened(stores)
    const who = callerOf('token:till')
    call(recorder, 'GET', '/v2/packages', who, {
      include: ['events'],
      filters: ['priority'],
      sorts: ['stage'],
    })
    call(recorder, 'POST', '/v2/packages', who, { fields: ['weight'] })
    call(recorder, 'GET', '/v2/senders/7/packages', who)
    call(recorder, 'GET', '/v2/packages/7/events', who)
    call(recorder, 'POST', '/v2/senders', who, { fields: ['fax', 'balance', 'address'] })
    call(recorder, 'GET', '/v2/senders', who, { sorts: ['joined_at'], lists: ['search', 'count'] })
    call(recorder, 'POST', '/v2/senders', who, { lists: ['bulk'] })
    await recorder.flush()
    const [usage] = await consumersOf(store, clock.now(), 'v2')
    expect(words(usage)).toMatchInlineSnapshot(`
      [
        "\`packages\` is now \`parcels\`: calls \`/packages\`",
        "The relation \`events\` of \`parcels\` is now \`scans\`: calls \`/packages/{id}/events\`, includes \`events\`",
        "Values of \`parcels.stage\` changed: sorts by \`stage\`",
        "The type of \`senders.balance\` changed: sends \`balance\`",
        "\`senders.fax\` is gone: sends \`fax\`",
        "\`senders.country\` is required: creates \`senders\` without \`country\`",
        "\`parcels\` can no longer be filtered by \`priority\`: filters by \`priority\`",
        "\`senders\` can no longer be sorted by \`joined_at\`: sorts by \`joined_at\`",
        "Lists of \`senders\` can no longer be counted: counts \`senders\`",
        "\`senders\` can no longer be searched in \`name\`: searches \`senders\`",
        "A POST of \`senders\` can no longer bring a list: sends lists of \`senders\`",
        "Creating \`parcels\` needs an Idempotency-Key: calls \`POST /packages\`",
        "\`parcels.priority\` has another default: creates \`packages\` and may leave out \`priority\`",
        "\`parcels.priority\` needs another scope: filters by \`priority\`",
        "The rule for reading \`scans\` changed: calls \`GET /packages/{id}/events\`",
        "\`address\` of \`senders\` became \`street\`, \`city\`: sends \`address\`",
      ]
    `)
  })

  test('counts the calls of each of the last 90 days, and knows consumers by their keys', async () => {
    const { store, clock, recorder } = await opened(stores)
    const keys = new KeyRing(store, clock)
    const wanted = { account: 'acme', name: 'till', kind: 'internal', contact: 'till@acme.example' } as const
    const first = (await keys.create(wanted)).key
    // One name, two keys: the consumer is the same one.
    const second = (await keys.replace(wanted)).key
    clock.pass(-89 * day)
    call(recorder, 'GET', '/v1/users', callerOf(first.id))
    clock.pass(88 * day)
    call(recorder, 'GET', '/v1/users', callerOf(second.id))
    call(recorder, 'GET', '/v1/users/7', callerOf(second.id))
    clock.pass(day)
    await storeContact(store, {
      version: 'v1',
      account: 'acme',
      consumer: 'till',
      note: 'by mail',
      by: 'ada',
      at: clock.now(),
    })
    await recorder.flush()
    const { days, versions, gaps } = await usageReport(store, model, clock.now())
    const v1 = versions.at(-1)
    expect([days.length, days[0], days.at(-1)]).toEqual([90, '2026-04-12', '2026-07-10'])
    expect([v1?.calls[0], v1?.calls[88], v1?.calls[89]]).toEqual([1, 2, 0])
    expect(v1?.consumers).toMatchObject([
      {
        ...wanted,
        calls: 3,
        lastSeen: Date.parse('2026-07-09T12:00:00Z'),
        operations: [
          { operation: 'GET /users', calls: 2 },
          { operation: 'GET /users/{id}', calls: 1 },
        ],
        contacted: { note: 'by mail', by: 'ada' },
      },
    ])
    expect([v1?.deprecated, v1?.retired, gaps]).toEqual(['2025-06-01', null, []])
  })

  test('of one account shows nothing of another', async () => {
    const { store, clock, recorder } = await opened(stores)
    call(recorder, 'GET', '/v1/users', callerOf('token:a', 'acme'))
    call(recorder, 'GET', '/v1/users', callerOf('token:b', 'globex'))
    await recorder.flush()
    const { versions } = await usageReport(store, model, clock.now(), { account: 'globex' })
    expect(versions.at(-1)?.calls.at(-1)).toBe(1)
    expect(versions.at(-1)?.consumers.map(({ name }) => name)).toEqual(['token:b'])
  })
})
