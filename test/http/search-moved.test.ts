import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { api, removeSearch, renameField, resource, version } from '../../src/index.ts'
import { runHere } from '../cli/in-process.ts'
import { emptyDatabase, temporaryFolder } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { staleWords } from '../support/search-index.ts'
import { type Serving, serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'
import { until } from '../support/until.ts'

/** Ids that were made elsewhere: many with one time and one count, of random numbers alone, in capitals. */
const idsFromElsewhere = [
  ...Array.from(
    { length: 12 },
    (_, at) => `01900000-0000-7000-8000-${(12 - at).toString(16).padStart(12, '0')}`,
  ),
  'f47ac10b-58cc-4372-a567-0e02b2c3d479',
  '0190ffff-58cc-4372-a567-0e02b2c3d479',
  '0190000A-0000-7000-8000-00000000000A',
  '01900000-0000-7000-9000-00000000000a',
]

/** Its words are so long that an index is asked wherever it may be on the page: pages of few rows are found by looking at them otherwise. */
const longRow = {
  id: 'ffffffff-ffff-7fff-8000-000000000000',
  name: 'Somebody else',
  text: Array.from({ length: 300 }, (_, at) => `else${at}`).join(' '),
}

const importFile = (): string => {
  const file = join(temporaryFolder(), 'people.jsonl')
  const rows = [longRow, ...idsFromElsewhere.map((id, at) => ({ id, name: `Zoë ﬁrst ${at}` }))]
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  return file
}

const source = `
import { api, resource } from 'nounkit'
import { z } from 'zod'

const people = resource('people', {
  fields: { name: z.string(), text: z.string().max(20_000).optional() },
  search: ['name', 'text'],
})
export default api('people', { resources: [people] })
`

const path = '/v1/people?limit=2&search='

/** The ids of all pages of a search. */
async function found(served: Serving, words: string): Promise<readonly string[]> {
  const ids: string[] = []
  for (let next: string | null = path + encodeURIComponent(words); next !== null; ) {
    const answer = await served.get(next, { as: 'acme' })
    expect(answer.status, answer.text).toBe(200)
    ids.push(...answer.rows.map(({ id }) => id))
    next = answer.page.has_more
      ? `${path}${encodeURIComponent(words)}&cursor=${answer.page.next_cursor}`
      : null
  }
  return ids
}

const isSound = async (served: Serving, url: string) =>
  expect(await staleWords(served.api.service.model, served.store, url)).toEqual({ stale: [], waiting: 0 })

describeStores('a search of rows that were moved', ({ kind, url }) => {
  test('finds what was imported, copied to the other database, and restored from a backup, at once', async () => {
    const databaseUrl = await url()
    const folder = declarationFolder(source)
    const { default: declaration } = await import(join(folder, 'api.ts'))
    const served = await serve(kind, databaseUrl, { declaration })
    const { id } = await served.make('/v1/people', { name: 'Zoë' })
    const env = { DATABASE_URL: databaseUrl }
    const flags = ['--resource', 'people', '--account', 'acme']
    const ran = await runHere(['import', folder, importFile(), ...flags], { env })
    expect(ran, ran.stderr).toMatchObject({ code: 0 })
    await isSound(served, databaseUrl)
    const expected = [id, ...idsFromElsewhere].toSorted()
    expect(await found(served, 'ZOE')).toEqual(expected)
    expect(await found(served, 'fir zoe')).toEqual(idsFromElsewhere.toSorted())
    await served.call('DELETE', `/v1/people/${idsFromElsewhere[3]}`)
    await served.call('PATCH', `/v1/people/${idsFromElsewhere[4]}`, { body: { name: 'Other' } })
    const left = expected.filter((one) => one !== idsFromElsewhere[3] && one !== idsFromElsewhere[4])
    expect(await found(served, 'zoe')).toEqual(left)
    expect(await found(served, 'zoe first')).toEqual(left.filter((one) => one !== id))

    const otherKind = kind === 'sqlite' ? 'postgres' : 'sqlite'
    const otherUrl = await emptyDatabase(otherKind)
    const copied = await runHere(['copy', folder, '--from', databaseUrl, '--to', otherUrl])
    expect(copied, copied.stderr).toMatchObject({ code: 0 })
    const other = await serve(otherKind, otherUrl, { declaration })
    await isSound(other, otherUrl)
    expect(await found(other, 'zoe first')).toEqual(left.filter((one) => one !== id))

    if (kind !== 'sqlite') return
    const file = join(temporaryFolder(), 'backup.db')
    expect(await runHere(['backup', folder, file], { env })).toMatchObject({ code: 0 })
    const restored = await serve(kind, `sqlite:${file}`, { declaration })
    await isSound(restored, `sqlite:${file}`)
    expect(await found(restored, 'zoe first')).toEqual(left.filter((one) => one !== id))
  })

  test('finds the same through a rename and with other fields in the next version, while both are served', async () => {
    const databaseUrl = await url()
    const v1 = version('v1', { published: '2026-01-01' })
    const first = api('reading', {
      resources: [
        resource('books', {
          fields: { title: z.string(), blurb: z.string().optional() },
          search: ['title', 'blurb'],
        }),
      ],
      versions: [v1],
    })
    const second = api('reading', {
      resources: [
        resource('books', { fields: { name: z.string(), blurb: z.string().optional() }, search: ['name'] }),
      ],
      versions: [
        version('v2', { published: '2026-02-01' }),
        version('v1', {
          published: '2026-01-01',
          changes: [renameField('books', 'title', 'name'), removeSearch('books', 'blurb')],
        }),
      ],
    })
    const older = await serve(kind, databaseUrl, { declaration: first })
    const { id } = await older.make('/v1/books', { title: 'Émile', blurb: 'On education' })
    const newer = await serve(kind, databaseUrl, { declaration: second })
    const names = async (served: Serving, path: string) =>
      until(async () => {
        const answer = await served.get(path)
        return answer.status === 503 ? null : answer.rows.map((row) => row.name ?? row.title)
      })
    expect(await names(newer, '/v2/books?search=emile')).toEqual(['Émile'])
    expect(await names(newer, '/v2/books?search=education')).toEqual([])
    expect(await names(newer, '/v1/books?search=education')).toEqual(['Émile'])
    await older.call('PATCH', `/v1/books/${id}`, { body: { title: 'Candide' } })
    await newer.make('/v2/books', { name: 'Candy', blurb: 'On sweets' })
    await newer.make('/v1/books', { title: 'Candle', blurb: 'On light' })
    for (const [served, version] of [
      [older, 'v1'],
      [newer, 'v1'],
      [newer, 'v2'],
    ] as const)
      expect(await names(served, `/${version}/books?search=cand`)).toEqual(['Candide', 'Candy', 'Candle'])
    expect(await names(newer, '/v1/books?search=on+cand')).toEqual(['Candide', 'Candy', 'Candle'])
    await isSound(newer, databaseUrl)
  })
})
