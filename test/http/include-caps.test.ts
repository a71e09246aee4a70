import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { describeServing, type Row, type RowList, type Serving } from '../support/serving.ts'

const shelves = resource('shelves', {
  fields: { name: z.string().max(10) },
  relations: { books: hasMany('books', { cap: 3 }), old_lamps: hasMany('lamps', { cap: 1 }) },
  include: ['books', 'books.pages', 'old_lamps'],
})
const lamps = resource('lamps', {
  fields: { name: z.string().max(20) },
  relations: { shelf: belongsTo('shelves') },
})
const listLike = z.object({ data: z.array(z.string().max(9)).max(9), page: z.string().max(9).nullable() })
const books = resource('books', {
  fields: { title: z.string().max(60), extra: listLike.optional() },
  relations: { shelf: belongsTo('shelves'), pages: hasMany('pages', { cap: 2 }) },
  include: ['shelf', 'pages'],
})
const pages = resource('pages', {
  fields: { text: z.string().max(60) },
  relations: { book: belongsTo('books') },
  include: ['book'],
})

const looksCut = { data: ['a', 'b'], page: null }

const ids = (rows: readonly Row[]) => rows.map((row) => row.id)

const fill = async (served: Serving, bookCount: number, pagesOf: (book: number) => number, lampCount = 0) => {
  const shelf = await served.make('/v1/shelves', { name: 's' })
  for (let book = 0; book < bookCount; book++) {
    // Values that look like a separator of rows, or like a list that was cut, must not be taken for one.
    const title = `],"page":null} ,\n ,\t ,\r \u001d \u001e ${book}`
    const { id } = await served.make('/v1/books', { shelf_id: shelf.id, title, extra: looksCut })
    for (let page = 0; page < pagesOf(book); page++)
      await served.make('/v1/pages', { book_id: id, text: `,\t{"id":"x" ${page}` })
  }
  for (let lamp = 0; lamp < lampCount; lamp++)
    await served.make('/v1/lamps', { shelf_id: shelf.id, name: `l${lamp}` })
  return shelf
}

describeServing(
  'a capped include',
  (served) => {
    /** What an include shows and all that its `next` URLs lead to. */
    const follow = async (list: RowList): Promise<Row[]> => {
      const rows = [...list.data]
      let next = list.page.next ?? null
      expect(list.page.has_more).toBe(next !== null)
      while (next) {
        const answer = await served.get(next)
        expect(answer.status, answer.text).toBe(200)
        rows.push(...answer.rows)
        const link = answer.headers.get('link')
        next = link ? (/<([^>]+)>/.exec(link)?.[1] ?? null) : null
      }
      return rows
    }

    test.each([0, 1, 2, 3, 4, 7])('of %i rows shows at most 3, and its next URL the rest', async (count) => {
      const shelf = await fill(served, count, () => 0)
      const { data } = await served.get(`/v1/shelves/${shelf.id}?include=books`)
      const included = data.books as RowList
      expect(included.data).toHaveLength(Math.min(3, count))
      expect(included.page.limit).toBe(3)
      const all = (await served.get(`/v1/shelves/${shelf.id}/books?limit=100`)).rows
      expect(await follow(included)).toEqual(all)
    })

    test('continues with the cursor alone, in the sub-collection', async () => {
      const shelf = await fill(served, 5, () => 0)
      const { page } = (await served.get(`/v1/shelves/${shelf.id}?include=books`)).data.books as RowList
      expect(page.next).toBe(`/v1/shelves/${shelf.id}/books?limit=3&cursor=${page.next_cursor}`)
      const rest = await served.get(`/v1/shelves/${shelf.id}/books?limit=1&cursor=${page.next_cursor}`)
      const all = (await served.get(`/v1/shelves/${shelf.id}/books`)).rows
      expect(ids(rest.rows)).toEqual(ids(all.slice(3, 4)))
      const other = await fill(served, 4, () => 0)
      const foreign = await served.get(`/v1/shelves/${other.id}/books?cursor=${page.next_cursor}`)
      expect(foreign.refusal).toEqual([400, 'bad-cursor'])
    })

    test('within a capped include is cut and continued on its own', async () => {
      const shelf = await fill(served, 5, (book) => book, 3)
      const { data } = await served.get(`/v1/shelves/${shelf.id}?include=books.pages,old_lamps`)
      const lists = data as unknown as { readonly books: RowList; readonly old_lamps: RowList }
      expect(lists.books.data).toHaveLength(3)
      for (const book of lists.books.data) {
        const all = (await served.get(`/v1/books/${book.id}/pages`)).rows
        expect(await follow(book.pages as RowList)).toEqual(all)
      }
      const lit = (await served.get(`/v1/shelves/${shelf.id}/old-lamps`)).rows
      expect(lit).toHaveLength(3)
      expect(await follow(lists.old_lamps)).toEqual(lit)
      const shown = await follow(lists.books)
      expect(shown).toHaveLength(5)
    })

    test('on a list each row’s include is cut on its own, also on the row after the page', async () => {
      for (const count of [4, 0, 5, 3, 6]) await fill(served, count, () => 3)
      const { rows, page } = await served.get('/v1/shelves?limit=4&sort=-id&include=books.pages')
      expect(page.has_more).toBe(true)
      const counts = []
      for (const row of rows) {
        const all = (await served.get(`/v1/shelves/${row.id}/books?limit=100`)).rows
        const followed = await follow(row.books as RowList)
        counts.push(followed.length)
        expect(ids(followed)).toEqual(ids(all))
      }
      expect(counts).toEqual([6, 3, 5, 0])
    })

    test('does not take a JSON value for a list, whether another list is cut or not', async () => {
      for (const count of [1, 4]) {
        const shelf = await fill(served, count, () => 0)
        const { data } = await served.get(`/v1/shelves/${shelf.id}?include=books.pages`)
        for (const book of (data.books as RowList).data) expect(book.extra).toEqual(looksCut)
      }
    })

    test('is still one statement', async () => {
      const shelf = await fill(served, 6, () => 4, 2)
      const path = `/v1/shelves/${shelf.id}?include=books.pages,old_lamps`
      expect(await served.counted(() => served.get(path))).toBe(1)
    })

    test('has an ETag that a row beyond the cap does not change, and one within does', async () => {
      const shelf = await fill(served, 4, () => 0)
      const etag = async () => (await served.get(`/v1/shelves/${shelf.id}?include=books`)).etag
      const before = await etag()
      const late = await served.make('/v1/books', { shelf_id: shelf.id, title: 'late' })
      expect(await etag()).toBe(before)
      await served.call('DELETE', `/v1/books/${late.id}`)
      const { rows } = await served.get(`/v1/shelves/${shelf.id}/books`)
      await served.call('DELETE', `/v1/books/${rows[3]?.id}`)
      expect(await etag()).not.toBe(before)
    })
  },
  { declaration: api('library', { resources: [shelves, lamps, books, pages] }) },
)
