import { beforeAll, expect, test } from 'vitest'
import { compileApi } from '../../src/compile/compile.ts'
import type { Contract } from '../../src/compile/contract-format.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { freezeContract, thawContract } from '../../src/contract/freeze.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { version } from '../../src/declare/version.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { walkedStores } from '../support/databases.ts'
import { type Next, nextVersions, otherVersions } from '../support/library-changes.ts'
import { firstVersion, library, libraryOf } from '../support/library-first.ts'
import { otherwise, reordered, turned } from '../support/library-grown.ts'
import { type Serving, serve } from '../support/serving.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores, type StoreUnderTest } from '../support/stores.ts'

const clock = setClock('2026-03-01T12:00:00Z')
const first = libraryOf(library)

/** As it is read from its file. */
const contracts: ReadonlyMap<string, Contract> = (() => {
  const model = compileApi(first)
  const { contract } = thawContract(freezeContract(contractOf(model, model.head)), 'v1')
  return new Map(contract ? [['v1', contract]] : [])
})()

/** Created rows, by their names in the test. */
type Made = ReadonlyMap<string, string>

async function fill({ make, call }: Serving): Promise<Made> {
  const ids = new Map<string, string>()
  const row = async (name: string, path: string, body: object): Promise<string> => {
    const { id } = await make(path, body)
    ids.set(name, id)
    return id
  }
  const shelf = { since: 1_700_000_000, cost: '99.90' }
  const hall = await row('hall', '/v1/shelves', { room: 'Hall', wing: 'west', floor: 0, ...shelf })
  await row('cellar', '/v1/shelves', { room: 'Cellar', wing: 'east', ...shelf })
  const ada = await row('ada', '/v1/authors', { name: 'Ada', born: '1815-12-10' })
  const size = { unit: 'cm', width: 12, height: 19 }
  const common = { shelf_id: hall, origin: 'Ulm, Germany', note: 'gift' }
  await row('notes', '/v1/books', {
    ...common,
    author_id: ada,
    title: 'Notes',
    binding: 'soft',
    isbn: '1',
    pages: '66',
    size,
  })
  const maps = await row('maps', '/v1/books', { ...common, title: 'Maps', binding: 'cloth', pages: '12' })
  const songs = await row('songs', '/v1/books', { ...common, title: 'Songs', binding: 'hard', pages: '9' })
  await row('visit', '/v1/visits', { day: '2026-02-01', shelf_id: hall })
  await row('loan', `/v1/books/${maps}/loans`, { to: 'Bob', days: 3 })
  for (const stage of ['ordered', 'lent'])
    expect((await call('PATCH', `/v1/books/${maps}`, { body: { stage } })).status).toBe(200)
  for (const stage of ['ordered', 'bought'])
    expect((await call('PATCH', `/v1/books/${songs}`, { body: { stage } })).status).toBe(200)
  return ids
}

type Ask = readonly [method: string, path: string, body?: object]

/** Rows, documents, and every way to be refused whose text names something of the version. */
const asks = (made: Made): readonly Ask[] => {
  const id = (name: string): string => made.get(name) ?? ''
  const book = { shelf_id: id('hall'), title: 'New', binding: 'soft', pages: '5', origin: 'Ulm, Germany' }
  return [
    ['GET', '/v1'],
    ['GET', '/v1/openapi.json'],
    ['GET', `/v1/books/${id('notes')}`],
    ['GET', `/v1/books/${id('notes')}?include=author,shelf,loans`],
    ['GET', '/v1/books'],
    ['GET', '/v1/books?sort=-binding,title&include=loans'],
    ['GET', '/v1/books?filter[stage]=lent'],
    ['GET', '/v1/books?filter[binding][in]=soft,cloth&filter[title][gte]=N'],
    ['GET', '/v1/books?limit=100&sort=created_at'],
    ['GET', '/v1/books?count=true'],
    ['GET', '/v1/books?count=true&filter[binding]=soft'],
    ['GET', '/v1/shelves?count=true'],
    ['GET', '/v1/books?filter[author.name]=Ada&filter[shelf.wing]=west'],
    ['GET', '/v1/books?filter[author.name]=null&sort=title'],
    ['GET', `/v1/books/${id('maps')}/loans?filter[book.stage]=lent&filter[book.title]=Maps`],
    ['GET', `/v1/books/${id('maps')}/loans?filter[book.author.name][ne]=Eve&filter[book.shelf.room]=Hall`],
    ['GET', '/v1/books?filter[author.nam]=Ada'],
    ['GET', '/v1/books?filter[shelf.wing]=south'],
    ['GET', '/v1/shelves?include=books.author&sort=room'],
    ['GET', `/v1/shelves/${id('hall')}/books?sort=title`],
    ['GET', '/v1/authors?include=books'],
    ['GET', `/v1/books/${id('maps')}/loans?include=book.shelf`],
    ['PATCH', `/v1/books/${id('notes')}`, { note: 'gift' }],
    ['GET', '/v1/bocks'],
    ['GET', `/v1/books/${id('maps')}/lons`],
    ['GET', '/v1/books?filter[binding]=wood'],
    ['GET', '/v1/books?filter[stge]=lent'],
    ['GET', '/v1/books?filter[nothing]=lent&limit=0'],
    ['GET', '/v1/books?sort=titel'],
    ['GET', '/v1/books?sort=pages'],
    ['GET', '/v1/books?include=autor'],
    ['GET', '/v1/books?include=nothing'],
    ['GET', '/v1/books?include=shelf.books'],
    ['GET', '/v1/shelves?include=books.author.books'],
    ['POST', '/v1/books', {}],
    ['POST', '/v1/books', { ...book, binding: 'wood', stage: 'gone', size: { unit: 'm', depth: 1 } }],
    ['POST', '/v1/books', { ...book, titel: 'x', anything: 1, days: 3 }],
    ['POST', '/v1/books', { ...book, pages: 'many', title: '', origin: 5 }],
    ['POST', '/v1/books', { ...book, title: 'Maps' }],
    ['POST', '/v1/books', { ...book, note: 'thick' }],
    ['POST', '/v1/books', { ...book, shelf_id: id('loan'), author_id: id('loan') }],
    ['PUT', `/v1/books/${id('notes')}`, { binding: 'soft' }],
    ['PATCH', `/v1/books/${id('notes')}`, { binding: 'wood' }],
    ['PATCH', `/v1/books/${id('notes')}`, { stage: 'bought' }],
    ['PATCH', `/v1/books/${id('maps')}`, { stage: 'ordered' }],
    ['PATCH', `/v1/books/${id('songs')}`, { stage: 'lent' }],
    ['PATCH', `/v1/books/${id('songs')}`, { stage: 'gone' }],
    ['DELETE', `/v1/books/${id('maps')}`],
    ['DELETE', `/v1/shelves/${id('hall')}`],
    ['DELETE', `/v1/authors/${id('ada')}`],
    ['POST', `/v1/books/${id('songs')}/loans`, { to: 'Eve', days: 1 }],
    ['POST', '/v1/shelves', { room: 'Hall', wing: 'south' }],
    ['POST', '/v1/shelves', { room: 'Hall', wing: 'west', since: 0, cost: '1.00' }],
    ['POST', '/v1/shelves', { room: 'Attic', wing: 'west', since: 'now', cost: '1', lit: true }],
    ['GET', `/v1/visits/${id('visit')}`],
    ['PATCH', '/v1/books', {}],
  ]
}

/** Every answer as it was on the wire, except the request id and, where rows were created again, their ids. */
async function record(served: Serving, made: Made): Promise<string> {
  const answers: string[] = []
  for (const [method, path, body] of asks(made)) {
    const { status, headers, text } = await served.call(method, path, { ...(body ? { body } : {}) })
    const told = ['allow', 'cache-control', 'content-location', 'content-type', 'etag', 'link', 'vary']
    const lines = told.map((name) => `${name}: ${headers.get(name)}`)
    let shown = [`${method} ${path} ${JSON.stringify(body)}`, status, ...lines, text].join('\n')
    for (const [name, id] of made) shown = shown.replaceAll(id, `<${name}>`)
    answers.push(shown.replaceAll(/"instance":"[^"]*"/g, '"instance":"…"'))
  }
  // One value per line, so that a difference is easy to see.
  return answers.join('\n\n').replaceAll(',"', ',\n"')
}

interface Recorded {
  readonly url: string
  readonly made: Made
  readonly before: string
}

async function recordFirst(store: StoreUnderTest): Promise<Recorded> {
  const url = await store.url()
  const served = await serve(store.kind, url, { declaration: first, clock })
  const made = await fill(served)
  const before = await record(served, made)
  await served.api.close()
  return { url, made, before }
}

/** The same answers from another declaration, on the same store or on a new one with the same rows. */
async function recordNext(
  store: StoreUnderTest,
  { url, made }: Recorded,
  declaration: ApiDeclaration,
  rows: Next['rows'] = 'stay',
): Promise<string> {
  const model = compileApi(declaration, { contracts })
  expect(checkContracts(model, contracts).refusals).toEqual([])
  if (rows === 'move') await migrateStore(await store.open(url), model, { stops: true })
  const at = rows === 'made anew' ? await store.url() : url
  const served = await serve(store.kind, at, { declaration, contracts, clock })
  const answers = await record(served, rows === 'made anew' ? await fill(served) : made)
  await served.api.close()
  return answers
}

/** The tag of rows that are shown together also stands for their ids. */
const withoutTags = (text: string): string => text.replaceAll(/^etag: .*$/gm, 'etag: …')

const withoutDocument = (text: string): string =>
  text.replace(/^GET \/v1\/openapi.json[\s\S]*?(?=\n\nGET )/m, '')

/**
 * The index and the document link the guide to a newer version as soon as there is one, and the document's first steps are with the file
 * of a client instead of the declaration. The document's tag follows.
 */
const withoutSuccessor = (text: string): string =>
  text
    .replaceAll('"guide":"/docs/migrations/v1-to-v2"', '"guide":null')
    .replace(/"description":"(?:[^"\\]|\\.)*## First steps(?:[^"\\]|\\.)*"/, '"description":"…"')
    .replace(/(^GET \/v1\/openapi.json[\s\S]*?\netag: ).*/m, '$1…')

const nextOf = ({ parts, changes }: Next): ApiDeclaration =>
  libraryOf(parts, [version('v2'), { ...firstVersion, changes }])

/** The same declaration in another order, with other descriptions and with additions. */
const grownOf = ({ parts, changes }: Next): ApiDeclaration =>
  libraryOf(turned(parts), [version('v2'), { ...firstVersion, changes }], otherwise)

describeStores(
  'a published version answers with the same bytes',
  (store) => {
    let kept: Recorded
    beforeAll(async () => {
      kept = await recordFirst(store)
    })

    test.each(Object.entries({ ...nextVersions, ...otherVersions }))(
      'after %s in a newer one, also in another order and with more in it',
      async (_, next) => {
        const { rows } = next
        const then = rows === 'move' ? await recordFirst(store) : kept
        const as = rows === 'made anew' ? withoutTags : (text: string) => text
        const same = (text: string) => withoutSuccessor(as(next.isTold ? withoutDocument(text) : text))
        // A server on PostgreSQL takes its time, and the second declaration has all that the first one has.
        const declared = store.kind === 'sqlite' ? [nextOf(next), grownOf(next)] : [grownOf(next)]
        for (const one of declared)
          expect(same(await recordNext(store, then, one, rows))).toBe(same(then.before))
      },
    )

    test('as the newest one, after a restart and after its declaration was reordered', async () => {
      expect(await recordNext(store, kept, first)).toBe(kept.before)
      expect(await recordNext(store, kept, libraryOf(reordered(library)))).toBe(kept.before)
    })
  },
  walkedStores,
)
