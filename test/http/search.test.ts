import { expect, test } from 'vitest'
import { z } from 'zod'
import { api, belongsTo, hasMany, resource } from '../../src/index.ts'
import { describeServing, type Serving } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'

const shelves = resource('shelves', {
  fields: { room: z.string() },
  relations: { books: hasMany('books'), writers: hasMany('writers', { through: 'books' }) },
})
const writers = resource('writers', {
  fields: { name: z.string(), nick: z.string().optional() },
  relations: { books: hasMany('books') },
  search: ['name', 'nick'],
  sort: ['name'],
})
const books = resource('books', {
  fields: { title: z.string(), blurb: z.string().max(20_000).optional(), year: z.int().default(2000) },
  relations: {
    writer: belongsTo('writers', { optional: true, onTargetDelete: 'cascade' }),
    shelf: belongsTo('shelves', { optional: true }),
  },
  search: ['title', 'blurb'],
  filter: ['year'],
  sort: ['year'],
  include: ['writer'],
  count: true,
  bulk: true,
})
const labels = resource('labels', { fields: { text: z.string() }, shared: true, search: ['text'] })
const declaration = api('reading', { resources: [shelves, writers, books, labels] })

/** An account of its own, with a key. */
async function reader(served: Serving) {
  const account = unique()
  const as = await served.api.key(account, { name: account, scopes: ['*', 'labels:write'] })
  const add = (title: string, more: object = {}) => served.make('/v1/books', { title, ...more }, { as })
  const find = async (words: string, more = '', path = '/v1/books') => {
    const answer = await served.get(`${path}?search=${encodeURIComponent(words)}${more}`, { as })
    expect(answer.status, answer.text).toBe(200)
    return answer
  }
  const titles = async (words: string, more = '') => (await find(words, more)).rows.map(({ title }) => title)
  return { as, account, add, find, titles }
}

describeServing(
  'a search',
  (served) => {
    test('finds rows in which every word is the beginning of a word of one of the fields', async () => {
      const { add, titles } = await reader(served)
      await add('Ada Lovelace', { blurb: 'The first program' })
      await add('Adam and Eve')
      await add('Lovely days')
      expect(await titles('ada lov')).toEqual(['Ada Lovelace'])
      expect(await titles('lov ada')).toEqual(['Ada Lovelace'])
      expect(await titles('ad')).toEqual(['Ada Lovelace', 'Adam and Eve'])
      expect(await titles('lov')).toEqual(['Ada Lovelace', 'Lovely days'])
      expect(await titles('ada prog')).toEqual(['Ada Lovelace'])
      expect(await titles('ove')).toEqual([])
      expect(await titles('ada ada ad lo')).toEqual(['Ada Lovelace'])
      expect(await titles('ada zebra')).toEqual([])
    })

    test('finds the rows of every word that begins so, however many words there are', async () => {
      const { as, add, find } = await reader(served)
      // Its words are so long that every search asks the index.
      await add('Long', { blurb: Array.from({ length: 300 }, (_, at) => `longer${at}`).join(' ') })
      const names = Array.from({ length: 40 }, (_, at) => `Zoo${at} ${at % 2 ? 'odd' : 'even'}`)
      const { rows } = await served.call('POST', '/v1/books', {
        as,
        body: { data: names.map((title) => ({ title })) },
      })
      await served.call('DELETE', `/v1/books/${rows[12]?.id}`, { as })
      const left = names.filter((_, at) => at !== 12)
      for (const [words, expected] of [
        ['zoo', left],
        ['zoo1', left.filter((name) => name.startsWith('Zoo1'))],
        ['zoo12', []],
        ['zoo13', ['Zoo13 odd']],
        ['o zoo1', left.filter((name) => /^Zoo1.* odd$/.test(name))],
        ['zoo od', left.filter((name) => name.endsWith('odd'))],
      ] as const) {
        const found = await find(words, '&count=true&limit=100')
        expect([found.rows.map(({ title }) => title), found.page.total], words).toEqual([
          expected,
          expected.length,
        ])
      }
      const first = await find('zoo3', '&limit=4')
      const second = await find('zoo3', `&limit=100&cursor=${first.page.next_cursor}`)
      expect([...first.rows, ...second.rows]).toHaveLength(11)
    })

    test('does not see case, accents, ligatures and forms of a letter', async () => {
      const { add, titles } = await reader(served)
      for (const title of [
        'Éloïse',
        'ﬁne ﬂour',
        'ΟΔΥΣΣΕΑΣ',
        'Война и мир',
        'Ｆｕｌｌ width',
        'كِتَاب',
        '東京都庁',
        'İstanbul',
        'x² + 1½',
      ])
        await add(title)
      for (const [words, title] of [
        ['eloise', 'Éloïse'],
        ['ELOÏ', 'Éloïse'],
        ['e\u0301lo', 'Éloïse'],
        ['fine FLOUR', 'ﬁne ﬂour'],
        ['οδυσσεας', 'ΟΔΥΣΣΕΑΣ'],
        ['οδυσσ', 'ΟΔΥΣΣΕΑΣ'],
        ['МИР вой', 'Война и мир'],
        ['full', 'Ｆｕｌｌ width'],
        ['كتاب', 'كِتَاب'],
        ['東京', '東京都庁'],
        ['istanbul', 'İstanbul'],
        ['x2', 'x² + 1½'],
      ] as const)
        expect(await titles(words), words).toEqual([title])
      expect(await titles('京')).toEqual([])
    })

    test('goes with filters, sorts, cursors, includes and counts, and a cursor is bound to it', async () => {
      const { as, add, find } = await reader(served)
      const writer = await served.make('/v1/writers', { name: 'Jane Austen' }, { as })
      for (let year = 1; year <= 5; year++) await add(`Emma ${year}`, { year, writer_id: writer.id })
      await add('Persuasion', { year: 3 })
      const first = await find('emma', '&sort=-year&limit=2&count=true&include=writer&filter[year][lte]=4')
      expect(first.rows.map(({ title, writer }) => [title, (writer as { name: string }).name])).toEqual([
        ['Emma 4', 'Jane Austen'],
        ['Emma 3', 'Jane Austen'],
      ])
      expect(first.page).toMatchObject({ has_more: true, total: 4, total_is_exact: true })
      const next = first.headers.get('link') ?? ''
      expect(next).toContain('search=emma')
      const rest = `&sort=-year&limit=2&filter[year][lte]=4&cursor=${first.page.next_cursor}`
      const second = await find('EMMA', rest)
      expect([second.rows.map(({ title }) => title), second.page.has_more]).toEqual([
        ['Emma 2', 'Emma 1'],
        false,
      ])
      for (const other of ['&search=emm', '&search=emma+1', ''])
        expect(
          (await served.get(`/v1/books?limit=2${other}${rest.replace('&limit=2', '')}`, { as })).refusal,
        ).toEqual([400, 'bad-cursor'])
    })

    test('finds within the rows of an owner, and on the far side of a many-to-many', async () => {
      const { as, add, find } = await reader(served)
      const shelf = await served.make('/v1/shelves', { room: 'A' }, { as })
      const writer = await served.make('/v1/writers', { name: 'Mary Shelley', nick: 'MWS' }, { as })
      await served.make('/v1/writers', { name: 'Mary Smith' }, { as })
      await add('Frankenstein', { writer_id: writer.id, shelf_id: shelf.id })
      await add('Frank talk', { shelf_id: shelf.id })
      await add('Frank elsewhere')
      const on = await find('frank', '', `/v1/shelves/${shelf.id}/books`)
      expect(on.rows.map(({ title }) => title)).toEqual(['Frankenstein', 'Frank talk'])
      const by = await find('mary', '&sort=-name', `/v1/shelves/${shelf.id}/writers`)
      expect(by.rows.map(({ name }) => name)).toEqual(['Mary Shelley'])
      expect((await find('mws mary', '', '/v1/writers')).rows).toHaveLength(1)
    })

    test('follows every write: PATCH, PUT, DELETE, deletes along with another row, lists', async () => {
      const { as, add, titles } = await reader(served)
      const writer = await served.make('/v1/writers', { name: 'W' }, { as })
      const { id } = await add('Old title', { blurb: 'kept', writer_id: writer.id })
      await served.call('PATCH', `/v1/books/${id}`, { as, body: { title: 'New title' } })
      expect([await titles('old'), await titles('new kept')]).toEqual([[], ['New title']])
      await served.call('PATCH', `/v1/books/${id}`, { as, body: { year: 1999 } })
      expect(await titles('new kept')).toEqual(['New title'])
      await served.call('PUT', `/v1/books/${id}`, { as, body: { title: 'Third', writer_id: writer.id } })
      expect([await titles('kept'), await titles('new'), await titles('third')]).toEqual([[], [], ['Third']])
      await served.call('POST', '/v1/books', {
        as,
        body: { data: [{ title: 'Third A' }, { title: 'Third B' }] },
      })
      expect(await titles('third')).toEqual(['Third', 'Third A', 'Third B'])
      await served.call('DELETE', `/v1/writers/${writer.id}`, { as })
      expect(await titles('third')).toEqual(['Third A', 'Third B'])
    })

    test('never finds the rows of another account; shared rows are found by all', async () => {
      const [one, other] = [await reader(served), await reader(served)]
      await one.add('Secret diary')
      expect(await other.titles('secret')).toEqual([])
      const text = unique()
      await served.make('/v1/labels', { text: `Label ${text}` }, { as: one.as })
      expect((await other.find(`lab ${text}`, '', '/v1/labels')).rows).toHaveLength(1)
    })

    test('takes operators of databases as text, or drops them', async () => {
      const { add, titles } = await reader(served)
      await add('Ada or Eve and near not')
      for (const words of [
        'ada OR eve',
        'ada AND eve',
        'ada NOT eve',
        '"ada" "eve"',
        'ada*',
        'ada:*',
        'ada & eve',
        'ada | eve',
        '!ada',
        '(ada',
        'ada)',
        "'ada' <-> 'eve'",
        '^ada',
        'NEAR(ada eve)',
        '{ada} : eve',
        'ada\\',
        "ada' OR 1 = 1 --".replace(' 1 = 1', ''),
        '-ada',
        '+ada',
        'ada\u0001eve',
      ])
        expect(await titles(words), words).toEqual(['Ada or Eve and near not'])
      expect(await titles('ada title:eve')).toEqual([])
    })

    test.each([
      ['%20%20', 'has no word'],
      ['%22*%3A%26%7C!(', 'has no word'],
      ['%CC%81', 'has no word'],
      ['a+b+c+d+e+f+g+h+i', 'has 9 words; write 1 to 8 words'],
      ['x'.repeat(65), 'has a word of 65 characters; write 1 to 8 words of at most 64'],
      ['x'.repeat(5_000), 'has more than 4096 characters'],
      ['word+'.repeat(100), 'has 100 words'],
    ])('is refused as search=%.30s', async (text, why) => {
      const { as } = await reader(served)
      const answer = await served.get(`/v1/books?search=${text}`, { as })
      expect([answer.refusal, answer.faults]).toEqual([[400, 'bad-query'], ['search']])
      expect(answer.text).toContain(why)
      expect(answer.text).toContain('write 1 to 8 words')
    })

    test('that is empty is refused', async () => {
      const { as } = await reader(served)
      const answer = await served.get('/v1/books?search=', { as })
      expect([answer.refusal, answer.faults]).toEqual([[400, 'bad-query'], ['search']])
    })

    test('of eight words of 64 characters is answered', async () => {
      const { add, titles } = await reader(served)
      const words = [...'abcdefgh'].map((letter) => letter.repeat(64))
      await add(words.map((word) => `${word}more`).join(' '))
      expect(await titles(words.join(' '))).toHaveLength(1)
      expect(await titles(words.map((word) => word.toUpperCase()).join('-'))).toHaveLength(1)
    })

    test('is refused twice in one query, where it is not offered, for one row and on a write', async () => {
      const { as, add } = await reader(served)
      const { id } = await add('Any')
      for (const path of ['/v1/books?search=a&search=b', '/v1/shelves?search=a', `/v1/books/${id}?search=a`])
        expect((await served.get(path, { as })).refusal, path).toEqual([400, 'bad-query'])
      const write = await served.call('POST', '/v1/books?search=a', { as, body: { title: 'x' } })
      expect(write.refusal).toEqual([400, 'bad-query'])
    })

    test.each(['q', 'query', 'term', 'text', 'keyword', 'Search'])('is what %s means', async (name) => {
      const { as } = await reader(served)
      const answer = await served.get(`/v1/books?${name}=ada`, { as })
      expect(answer.refusal).toEqual([400, 'bad-query'])
      expect(answer.text).toContain('write search=ada')
    })

    test('finds the first 4,000 different words of a row', async () => {
      const { add, titles } = await reader(served)
      const words = Array.from({ length: 3_999 }, (_, at) => at.toString(36))
      // Fields are looked at in the order of their names.
      await add('inside outside', { blurb: words.join(' ') })
      expect(await titles('inside')).toHaveLength(1)
      expect(await titles('outside')).toHaveLength(0)
    })
  },
  { declaration },
)
