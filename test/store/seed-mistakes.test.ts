import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Mistakes } from '../../src/compile/mistakes.ts'
import { api, resource } from '../../src/index.ts'
import { openService } from '../../src/serve/service.ts'
import { isMistake, run } from '../cli/run.ts'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { declarationFolder, librarySource } from '../support/declaration-folder.ts'

const id = '01890a5d-ac96-774b-bcce-b302099a8057'
const books = resource('books', {
  fields: { title: z.string().max(100), pages: z.int().optional() },
  unique: ['title'],
})
const row = (values: object, name = 'books') => ({ resource: name, values })
const rows = (...all: unknown[]) => ({ accounts: ['acme'], account: () => all })

describe.each(storeKinds)('%s: a seed that cannot be inserted is reported in a sentence', (kind) => {
  test.each<[string, unknown, RegExp]>([
    [
      'no list',
      { accounts: ['acme'], account: () => ({}) },
      /^seed\.account\("acme"\): It must return a list\./,
    ],
    [
      'no such resource',
      rows(row({ id }, 'book')),
      /^seed\.account\("acme"\)\[0\]: There is no resource "book"\. Did you mean "books"\?/,
    ],
    [
      'a missing value',
      rows(row({ id })),
      /^seed\.account\("acme"\)\[0\]\.values\.title: Every row of books has one\./,
    ],
    [
      'no id',
      rows(row({ title: 'Emma' })),
      /^seed\.account\("acme"\)\[0\]\.values\.id: Every row of books has one\./,
    ],
    [
      'no values',
      rows({ resource: 'books' }),
      /^seed\.account\("acme"\)\[0\]\.values\.id: .*\n.*values\.title: /,
    ],
    [
      'a field that is written otherwise, with what is missing for it',
      rows(row({ id, titel: 'Emma' })),
      /^seed\.account\("acme"\)\[0\]\.values\.titel: books has no field "titel"\. Did you mean "title"\?\n.*\[0\]\.values\.title: Every row of books has one\./,
    ],
    [
      'a field that there is not, in a row that has all it needs',
      rows(row({ id, title: 'Emma', shelf: 'A' })),
      /^seed\.account\("acme"\)\[0\]\.values\.shelf: books has no field "shelf"\. There is "pages", "created_at", "updated_at"\.$/,
    ],
    ['a list for a text', rows(row({ id, title: ['Emma'] })), /\[0\]\.values\.title: It is of type object\./],
    [
      'a text for a number',
      rows(row({ id, title: 'Emma', pages: 'many' })),
      /\[0\]: The store refuses this row of books: .*Nothing was seeded/,
    ],
    [
      'a row twice',
      rows(row({ id, title: 'Emma' }), row({ id, title: 'Persuasion' })),
      /\[1\]: The store refuses this row of books: /,
    ],
  ])('%s', async (_, seed, message) => {
    const declaration = api('library', { resources: [books], seed: seed as { accounts: string[] } })
    const opened = openService({ declaration, databaseUrl: await emptyDatabase(kind) })
    const error = await opened.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Mistakes)
    expect((error as Mistakes).message).toMatch(message)
  })
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
