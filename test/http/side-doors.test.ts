import { expect, test } from 'vitest'
import { api } from '../../src/declare/api.ts'

import { walkedStores } from '../support/databases.ts'

import { doors, type House, type Knock } from '../support/doors.ts'
import {
  type CallerKind,
  callers,
  hasNotes,
  libraryOptions,
  model,
  rows,
  sees,
} from '../support/library-callers.ts'
import { patiently } from '../support/patiently.ts'
import { type SecretRow, secretId, secretsOf } from '../support/secret-rows.ts'
import { type Answer, describeServing, type Serving } from '../support/serving.ts'

const noId = secretId(999)

/** Those who differ most in what they see; the nightly form has all. */
const some = ['member', 'librarian who knows no members', 'member with a branch', 'caller without claims']
const walked = Object.entries(callers).filter(
  ([name]) => process.env.NOUNKIT_NIGHTLY === '1' || some.includes(name),
)

/** The account where rows that the caller may not see never were. Only those stay that a visible row refers to. */
function withoutHidden(caller: CallerKind): readonly SecretRow[] {
  const kept = new Set(rows.filter((row) => sees(caller, row)))
  for (const { values } of kept)
    for (const row of rows) if (Object.values(values).includes(row.values.id)) kept.add(row)
  return rows
    .filter((row) => kept.has(row))
    .map((row) =>
      row.resource === 'members' && !hasNotes(caller)
        ? { ...row, values: { ...row.values, notes: null } }
        : row,
    )
}

const isShared = ({ resource }: SecretRow): boolean => model.resources.get(resource)?.shared ?? false
const everything = 'everything'
const declaration = api('library', {
  ...libraryOptions,
  seed: {
    accounts: [everything, ...Object.keys(callers).map((name) => name.replaceAll(' ', '-'))],
    shared: () => rows.filter(isShared),
    account: (account) => {
      const caller = callers[account.replaceAll('-', ' ')]
      return (caller ? withoutHidden(caller) : rows).filter((row) => !isShared(row))
    },
  },
})

const knock = (served: Serving, { method, path, ...rest }: Knock, as: string): Promise<Answer> =>
  patiently(() => served.call(method, path, { ...rest, as }))

/** The seal of a cursor is made for its account; the position in it is the same. */
const withoutSeals = (text: string): string =>
  text.replaceAll(/(cursor(?:"?[:=]"?))[\w-]{22}([\w-]+)/g, '$1$2').replaceAll(/"instance":"[^"]*"/g, '')

const shownTo = ({ status, headers, text }: Answer): string => {
  // A problem has the id of its request, which grows longer as requests are counted.
  const id = status >= 400 ? (headers.get('x-request-id') ?? '') : ''
  const sent = [...headers]
    .filter(([name]) => !['date', 'x-request-id'].includes(name))
    .map(([name, value]) => [name, name === 'content-length' ? Number(value) - id.length : value])
  return withoutSeals([status, ...sent.map((header) => header.join(': ')), text].join('\n'))
}

/** Ids in references of rows that are shown stay; everything else about a hidden row must not appear. */
const withoutReferences = (text: string): string => text.replaceAll(/"\w+_id":"[^"]*"/g, '')

describeServing(
  'the library',
  (served) => {
    const keyFor = (account: string, { scopes, claims }: CallerKind) =>
      served.api.key(account, { scopes, claims })

    const etags = async (): Promise<ReadonlyMap<string, string>> => {
      const all = new Map<string, string>()
      for (const { name, views } of model.versions.values())
        for (const view of views.values())
          for (const row of rows.filter((one) => one.resource === view.resource.name)) {
            const path = `/${name}/${view.name}/${row.values.id}`
            if (view.topLevel) all.set(path, (await served.get(path, { as: everything })).etag)
          }
      return all
    }

    test.each(walked)(
      'shows a %s nothing of a row outside the rule, through no door',
      async (name, caller) => {
        const hidden = rows.filter((row) => !sees(caller, row))
        const house: House = { model, rows, hidden, noId, etags: await etags() }
        const all = await keyFor(everything, caller)
        const own = await keyFor(name.replaceAll(' ', '-'), caller)
        const members = hasNotes(caller) ? [] : rows.filter(({ resource }) => resource === 'members')
        const secrets = [
          ...hidden.flatMap((row) => secretsOf(row, model)),
          ...members.flatMap(({ values }) => values.notes ?? []).map(String),
        ]
        expect(hidden.length).toBeGreaterThan(0)
        let knocks = 0
        let opened = 0
        for (const [door, open] of Object.entries(doors)) {
          for (const asked of open(house)) {
            knocks++
            const answer = await knock(served, asked, all)
            const told = `${door}: ${asked.method} ${asked.path} ${JSON.stringify(asked.headers ?? {})} ${JSON.stringify(asked.body ?? '')}`
            expect(answer.status, told).toBeLessThan(500)
            if (answer.status === 200) opened++
            const shown = shownTo(answer)
            expect(shown, told).toBe(shownTo(await knock(served, asked, own)))
            const bare = withoutReferences(shown)
            const found = secrets.find((secret) => bare.includes(secret))
            expect(found, `${told}\n${shown}`).toBeUndefined()
            const id = hidden.find(({ values }) => asked.path.split('?')[0]?.includes(values.id))?.values.id
            if (id === undefined) continue
            const never = { ...asked, path: asked.path.replace(id, noId) }
            expect(shown.replaceAll(id, noId), told).toBe(shownTo(await knock(served, never, all)))
          }
        }
        // The test is only worth something if there is much to see, and much to be kept from seeing.
        expect(knocks).toBeGreaterThan(1000)
        expect(opened).toBeGreaterThan(300)
      },
    )

    test.each([
      ['members', ['member_id']],
      ['loans', ['member_id', 'branch']],
      ['fines', ['member_id']],
    ])(
      'a cursor of %s leads on nobody with other claims than the one it was made for',
      async (resource, read) => {
        const path = `/v2/${resource}?limit=1`
        const kinds = [{ scopes: ['*'], claims: {} }, ...Object.values(callers)]
        const keys = await Promise.all(kinds.map((caller) => keyFor(everything, caller)))
        // A claim of another type counts as absent.
        const readOf = ({ claims }: CallerKind) =>
          read.map((name) => (typeof claims[name] === 'string' ? claims[name] : null)).join()
        let refused = 0
        for (const [at, maker] of kinds.entries()) {
          const { next_cursor } = (await knock(served, { method: 'GET', path }, keys[at] ?? '')).page
          for (const [other, caller] of kinds.entries()) {
            if (next_cursor === null || readOf(maker) === readOf(caller)) continue
            const asked = { method: 'GET', path: `${path}&cursor=${next_cursor}` }
            expect((await knock(served, asked, keys[other] ?? '')).refusal).toEqual([400, 'bad-cursor'])
            refused++
          }
        }
        expect(refused).toBeGreaterThan(0)
      },
    )
  },
  { declaration },
  walkedStores,
)
