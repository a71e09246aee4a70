import { beforeAll, expect, test } from 'vitest'
import { eventTypes } from '../../src/compile/versions/events-view.ts'
import { api } from '../../src/declare/api.ts'
import { walkedStores } from '../support/databases.ts'
import {
  type CallerKind,
  callers,
  hasNotes,
  libraryOptions,
  model,
  rows,
  sees,
} from '../support/library-callers.ts'
import { type SecretRow, secretId, secretsOf } from '../support/secret-rows.ts'
import { type Answer, describeServing, type Row } from '../support/serving.ts'

const account = 'everything'
const isShared = ({ resource }: SecretRow): boolean => model.resources.get(resource)?.shared ?? false
const own = rows.filter((row) => !isShared(row))
const declaration = api('library', {
  ...libraryOptions,
  events: { keepDays: 30 },
  seed: { accounts: [account], shared: () => rows.filter(isShared), account: () => own },
})

/** A change of each row that leaves its values as recognizable as they were. */
const changes: { readonly [resource: string]: (row: SecretRow) => object } = {
  branches: ({ values }) => ({ name: `${values.name} again` }),
  members: ({ values }) => ({ name: `${values.name} again` }),
  copies: ({ values }) => ({ label: `${values.label}z` }),
  loans: () => ({ due_on: '2041-01-01' }),
  fines: () => ({ reason: 'changed' }),
}

interface Event extends Row {
  readonly resource_id: string
}

/** Cursors of events are encrypted anew each time. */
const shownTo = ({ status, headers, text }: Answer): string => {
  const sent = [...headers].filter(([name]) => !['date', 'x-request-id', 'link'].includes(name))
  const bare = text.replaceAll(/"(?:instance|next_cursor)":"[^"]*"/g, '')
  return [status, ...sent.map((header) => header.join(': ')), bare].join('\n')
}

describeServing(
  'the events of the library',
  (served) => {
    let all: readonly Event[] = []
    const resourceOf = new Map(own.map((row) => [row.values.id, row]))

    beforeAll(async () => {
      for (const row of own) {
        const body = changes[row.resource]?.(row)
        expect(body, row.resource).toBeDefined()
        const path = `/v2/${row.resource}/${row.values.id}`
        const changed = await served.call('PATCH', path, { as: account, body })
        expect(changed.status, `${path} ${changed.text}`).toBe(200)
      }
      all = (await served.get('/v2/events?limit=100', { as: account })).rows as readonly Event[]
      expect(new Set(all.map(({ resource_id }) => resource_id)).size).toBe(own.length)
    })

    const keyOf = ({ scopes, claims }: CallerKind): Promise<string> =>
      served.api.key(account, { scopes: [...scopes, 'events:read'], claims })

    test.each(Object.entries(callers))(
      'tell a %s of the rows that it sees, and of no other',
      async (_, caller) => {
        const key = await keyOf(caller)
        const isSeen = ({ resource_id }: Event): boolean => {
          const row = resourceOf.get(resource_id)
          return row !== undefined && sees(caller, row)
        }
        const hidden = own.filter((row) => !sees(caller, row))
        const members = hasNotes(caller) ? [] : own.filter(({ resource }) => resource === 'members')
        const secrets = [
          ...hidden.flatMap((row) => secretsOf(row, model)),
          ...members.flatMap(({ values }) => values.notes ?? []).map(String),
        ]
        expect(hidden.length).toBeGreaterThan(0)
        const read = async (path: string): Promise<Answer> => {
          const answer = await served.get(path, { as: key })
          const bare = answer.text.replaceAll(/"\w+_id":"[^"]*"/g, '')
          expect(
            secrets.find((secret) => bare.includes(secret)),
            `${path}\n${answer.text}`,
          ).toBeUndefined()
          return answer
        }
        for (const { name, version } of model.versions.map((one) => ({ name: one.name, version: one }))) {
          const list = async (query: string): Promise<readonly string[]> =>
            (await read(`/${name}/events?limit=100${query}`)).rows.map(({ id }) => id)
          const seen = all.filter(isSeen).map(({ id }) => id)
          expect(await list('')).toEqual(seen)
          expect(await list('&sort=-id')).toEqual(seen.toReversed())
          const types = eventTypes(
            served.api.service.model.versions.find((one) => one.name === version.name) ?? version,
          )
          const byType: string[] = []
          for (const type of types) byType.push(...(await list(`&filter[type]=${type}`)))
          expect(byType.toSorted()).toEqual(seen.toSorted())
          for (const event of all) {
            const isShown = isSeen(event)
            expect(await list(`&filter[resource_id]=${event.resource_id}`)).toEqual(isShown ? [event.id] : [])
            const one = await read(`/${name}/events/${event.id}`)
            expect(one.status).toBe(isShown ? 200 : 404)
            const never = event.id.slice(0, -12) + secretId(999).slice(-12)
            if (!isShown)
              expect(shownTo(one).replaceAll(event.id, never)).toBe(
                shownTo(await served.get(`/${name}/events/${never}`, { as: key })),
              )
          }
        }
      },
    )
  },
  { declaration },
  walkedStores,
)
