import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { Mistakes } from '../../src/compile/mistakes.ts'
import { api, decimal, resource, states } from '../../src/index.ts'
import { openService } from '../../src/serve/service.ts'
import { testApi } from '../../src/testing.ts'
import { seedRows } from '../../src/write/seed-rows.ts'
import { runHere } from '../cli/in-process.ts'
import { isMistake, run } from '../cli/run.ts'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { declarationFolder, librarySource } from '../support/declaration-folder.ts'

const id = '01890a5d-ac96-774b-bcce-b302099a8057'
const books = resource('books', {
  fields: { title: z.string().max(100), pages: z.int().optional() },
  unique: ['title'],
})
const songs = resource('songs', {
  fields: {
    key: z.enum(['A', 'B']),
    at: z.iso.datetime(),
    minutes: decimal({ scale: 2 }),
    tempo: z.object({ beats: z.int() }).optional(),
    status: states('sketch', { sketch: ['done'] }),
  },
  filter: ['at', 'minutes', 'status'],
})
const song = { id, key: 'A', at: '2026-01-01T23:30:00Z', minutes: '3.5', status: 'done' }
const row = (values: object, name = 'books') => ({ resource: name, values })
const rows = (...all: unknown[]) => ({ accounts: ['acme'], account: () => all })
const library = (seed: unknown) =>
  api('library', { resources: [books, songs], seed: seed as { accounts: string[] } })

const mistakesOf = (seed: unknown): string => {
  try {
    seedRows(compileApi(library(seed)), 0)
    return 'no mistakes'
  } catch (error) {
    expect(error).toBeInstanceOf(Mistakes)
    return (error as Mistakes).message
  }
}
const asRequest = 'Give it a value as in the body of a request.'

test.each<[string, unknown, readonly string[]]>([
  [
    'no list',
    { accounts: ['acme'], account: () => ({}) },
    ['("acme"): It must return a list. Write rows such as { resource, values: { id, … } }.'],
  ],
  [
    'no such resource',
    rows(row({ id }, 'book')),
    ['("acme")[0]: There is no resource "book". Did you mean "books"?'],
  ],
  ['a missing value', rows(row({ id })), [`("acme")[0].values.title: It is required. ${asRequest}`]],
  ['no id', rows(row({ title: 'Emma' })), [`("acme")[0].values.id: It is required. ${asRequest}`]],
  [
    'an id that no request could name',
    rows(row({ id: '1', title: 'Emma' })),
    [`("acme")[0].values.id: It must be a UUID. ${asRequest}`],
  ],
  [
    'no values',
    rows({ resource: 'books' }),
    [
      `("acme")[0].values.id: It is required. ${asRequest}`,
      `("acme")[0].values.title: It is required. ${asRequest}`,
    ],
  ],
  [
    'a field that is written otherwise, with what is missing for it',
    rows(row({ id, titel: 'Emma' })),
    [
      '("acme")[0].values.titel: books has no field "titel". Did you mean "title"?',
      `("acme")[0].values.title: It is required. ${asRequest}`,
    ],
  ],
  [
    'a field that there is not, in a row that has all it needs',
    rows(row({ id, title: 'Emma', shelf: 'A' })),
    [
      '("acme")[0].values.shelf: books has no field "shelf". There is "id", "title", "pages", "created_at", "updated_at".',
    ],
  ],
  [
    'values of several rows, all at once',
    rows(
      row({ id, title: ['Emma'], pages: 'many' }),
      row({ ...song, key: 'Z', at: 'noon', minutes: 3.256, status: 'nope', tempo: { beats: 'x' } }, 'songs'),
    ),
    [
      `("acme")[0].values.title: It must be a string. ${asRequest}`,
      `("acme")[0].values.pages: It must be an integer. ${asRequest}`,
      `("acme")[1].values.key: It must be one of "A", "B". ${asRequest}`,
      `("acme")[1].values.at: It must be a time such as 2026-06-01T12:00:00Z. ${asRequest}`,
      `("acme")[1].values.minutes: It must be a string such as "12.50". ${asRequest}`,
      `("acme")[1].values.tempo.beats: It must be an integer. ${asRequest}`,
      `("acme")[1].values.status: It must be one of "sketch", "done". ${asRequest}`,
    ],
  ],
])('a seed with mistakes is reported in sentences: %s', (_, seed, lines) => {
  expect(mistakesOf(seed)).toBe(lines.map((line) => `seed.account${line}`).join('\n'))
})

test('a row among the shared ones whose resource is not shared is reported with what to do', () => {
  expect(mistakesOf({ accounts: ['acme'], shared: () => [row({ id, title: 'Emma' })] })).toBe(
    'seed.shared()[0]: books is not shared: each of its rows belongs to an account, and rows of seed.shared() belong to none. Return it from seed.account(account), or declare books with shared: true.',
  )
})

describe.each(storeKinds)('%s', (kind) => {
  test('a row that the store refuses is reported in a sentence', async () => {
    const twice = library(rows(row({ id, title: 'Emma' }), row({ id, title: 'Persuasion' })))
    const opened = openService({ declaration: twice, databaseUrl: await emptyDatabase(kind) })
    const error = await opened.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Mistakes)
    expect((error as Mistakes).message).toMatch(
      /\[1\]: The store refuses this row of books: .*Nothing was seeded/,
    )
  })

  test('values of a seed are stored in the form that requests are stored in, and so are found', async () => {
    const declaration = library(rows(row(song, 'songs')))
    const served = await testApi(declaration, { databaseUrl: await emptyDatabase(kind) })
    const key = await served.key('acme')
    const headers = { Authorization: `Bearer ${key}` }
    const seeded = { id, at: '2026-01-01T23:30:00.000Z', minutes: '3.50', status: 'done' }
    for (const filter of [
      `filter[at]=${song.at}`,
      'filter[minutes]=3.50',
      'filter[at][gte]=2026-01-01T23:30:00.000Z',
    ]) {
      const found = await served.fetch(`/v1/songs?${filter}`, { headers })
      expect(await found.json(), filter).toMatchObject({ data: [seeded] })
    }
    await served.close()
  })
})

test('check reports the mistakes of a seed', async () => {
  const seed = `{ accounts: ['acme'], account: () => [{ resource: 'books', values: { id: '${id}', title: 7 } }] }`
  const ran = await runHere(['check', declarationFolder(librarySource({ more: `seed: ${seed},` }))])
  expect(isMistake(ran), ran.stderr).toBe(true)
  expect(ran.stderr).toBe(`seed.account("acme")[0].values.title: It must be a string. ${asRequest}\n`)
})

test('a seed that throws is reported with its line in the declaration', async () => {
  const seed = "{ accounts: ['acme'], account: () => { throw new Error('no such file') } }"
  const folder = declarationFolder(librarySource({ more: `seed: ${seed},` }))
  const ran = await run(['serve', folder, '--port', '0'], {
    env: { DATABASE_URL: await emptyDatabase('sqlite'), NOUNKIT_LOG: 'error' },
  })
  expect(isMistake(ran), ran.stderr).toBe(true)
  expect(ran.stderr).toMatch(
    /^seed\.account\("acme"\): It threw Error: no such file \(at .*api\.ts:\d+:\d+\)?\)\. Nothing was seeded\.\n$/,
  )
})
