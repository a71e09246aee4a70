import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { IncludeNode, View } from '../../src/compile/model.ts'
import { api } from '../../src/declare/api.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { describeServing, type Row, type Serving } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'

const label = { label: z.string().max(20) }
const shelves = resource('shelves', {
  fields: label,
  relations: {
    books: hasMany('books', { cap: 2 }),
    lamps: hasMany('lamps', { cap: 1 }),
    neighbour: belongsTo('shelves', { optional: true }),
  },
  include: ['books', 'books.pages', 'books.author', 'lamps', 'neighbour', 'neighbour.books'],
  sort: ['label'],
  limits: { includeRelations: 12 },
})
const lamps = resource('lamps', { fields: label, relations: { shelf: belongsTo('shelves') } })
const authors = resource('authors', { fields: label, shared: true })
const books = resource('books', {
  fields: label,
  relations: {
    shelf: belongsTo('shelves'),
    author: belongsTo('authors', { optional: true }),
    pages: hasMany('pages', { cap: 2 }),
  },
  include: ['shelf', 'pages', 'author', 'shelf.neighbour', 'shelf.lamps'],
})
const pages = resource('pages', { fields: label, relations: { book: belongsTo('books') } })
const declaration = api('library', { resources: [shelves, lamps, authors, books, pages] })

/** For each shelf, the pages of each of its books; how many lamps; and which shelf it stands beside. */
const libraries = fc.array(
  fc.record({
    books: fc.array(fc.record({ pages: fc.integer({ min: 0, max: 3 }), author: fc.boolean() }), {
      maxLength: 4,
    }),
    lamps: fc.integer({ min: 0, max: 2 }),
    neighbour: fc.option(fc.nat(10)),
    label: fc.constantFrom('a', 'b', '"\\', '☃'),
  }),
  { minLength: 1, maxLength: 4 },
)

type ValueOf<A> = A extends fc.Arbitrary<infer T> ? T : never

async function fill(served: Serving, library: ValueOf<typeof libraries>, as: string): Promise<void> {
  const made: Row[] = []
  const author = await served.make('/v1/authors', { label: 'someone' }, { as })
  for (const shelf of library) {
    const beside = shelf.neighbour === null ? undefined : made[shelf.neighbour % (made.length || 1)]
    const body = { label: shelf.label, neighbour_id: beside?.id ?? null }
    const { id: shelf_id } = await served.make('/v1/shelves', body, { as })
    made.push({ id: shelf_id })
    for (const [at, book] of shelf.books.entries()) {
      const { id: book_id } = await served.make(
        '/v1/books',
        { label: `book ${at}`, shelf_id, author_id: book.author ? author.id : null },
        { as },
      )
      for (let page = 0; page < book.pages; page++)
        await served.make('/v1/pages', { label: `page ${page}`, book_id }, { as })
    }
    for (let lamp = 0; lamp < shelf.lamps; lamp++)
      await served.make('/v1/lamps', { label: `lamp ${lamp}`, shelf_id }, { as })
  }
}

describeServing(
  'an include',
  (served) => {
    const fetched = async (path: string, as: string) => {
      const answer = await served.get(path, { as })
      expect(answer.status, `${path} ${answer.text}`).toBe(200)
      return answer
    }

    /** The same row with the same relations, each fetched by a call of its own. */
    const byCalls = async (
      row: Row,
      view: View,
      nodes: ReadonlyMap<string, IncludeNode>,
      asked: ReadonlySet<string>,
      prefix: string,
      as: string,
    ): Promise<object> => {
      const whole: { [key: string]: unknown } = { ...row }
      for (const [name, { relation, children }] of nodes) {
        const path = prefix + name
        if (!asked.has(path)) continue
        const target = relation.target()
        const below = (one: Row) => byCalls(one, target, children, asked, `${path}.`, as)
        if (relation.relation.kind === 'belongs-to') {
          const id = row[`${name}_id`]
          whole[name] = id === null ? null : await below((await fetched(`/v1/${target.name}/${id}`, as)).data)
          continue
        }
        const list = `/v1/${view.name}/${row.id}/${name}?limit=${relation.cap}`
        const { rows, page } = await fetched(list, as)
        const next = page.next_cursor === null ? null : `${list}&cursor=${page.next_cursor}`
        whole[name] = { data: await Promise.all(rows.map(below)), page: { ...page, next } }
      }
      return whole
    }

    test('shows what the same data fetched call by call shows, for any data, set and page size', async () => {
      const { views } = served.api.service.model.head
      const asking = fc.record({
        library: libraries,
        name: fc.constantFrom('shelves', 'books'),
        picks: fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 6 }),
        limit: fc.integer({ min: 1, max: 6 }),
        backwards: fc.boolean(),
      })
      const runs = served.kind === 'sqlite' ? 25 : 15
      await fc.assert(
        fc.asyncProperty(asking, async ({ library, name, picks, limit, backwards }) => {
          const as = unique()
          await fill(served, library, as)
          const view = views.get(name) as View
          const chosen = picks.map((pick) => view.includePaths[pick % view.includePaths.length] ?? '')
          const asked = new Set(chosen.flatMap((path) => [path, path.split('.')[0] ?? '']))
          const page = `/v1/${name}?limit=${limit}&sort=${backwards ? '-id' : 'id'}`
          const plain = await fetched(page, as)
          const included = await fetched(`${page}&include=${chosen.join(',')}`, as)
          const expected = plain.rows.map((row) => byCalls(row, view, view.include, asked, '', as))
          expect(included.rows).toEqual(await Promise.all(expected))
          expect(included.page).toEqual(plain.page)
          const [first] = included.rows
          if (first) {
            const alone = await fetched(`/v1/${name}/${first.id}?include=${chosen.join(',')}`, as)
            expect(alone.data).toEqual(first)
          }
        }),
        { numRuns: runs },
      )
    })
  },
  { declaration },
)
