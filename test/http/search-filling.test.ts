import { expect, test } from 'vitest'
import { z } from 'zod'
import { allGrants } from '../../src/call/grants.ts'
import { api, resource } from '../../src/index.ts'
import { searchIndexes } from '../../src/plan/search-index.ts'
import { readListQuery } from '../../src/request/read-query.ts'
import type { Value } from '../../src/store/store.ts'
import { type Serving, serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'
import { toldAll } from '../support/told-all.ts'
import { until } from '../support/until.ts'

const books = (search: readonly ('title' | 'blurb')[]) =>
  api('reading', {
    resources: [
      resource('books', {
        fields: { title: z.string(), blurb: z.string().optional(), year: z.int().default(2000) },
        filter: ['year'],
        count: true,
        bulk: true,
        search,
      }),
    ],
  })

describeStores('a search of rows that are there', ({ kind, url }) => {
  const filled = (served: Serving, words: string) =>
    until(async () => {
      const answer = await served.get(`/v1/books?search=${words}`)
      if (answer.status === 200) return answer
      expect([answer.refusal, answer.headers.get('retry-after')]).toEqual([[503, 'search-not-ready'], '1'])
      return null
    })
  const titles = async (served: Serving, words: string) =>
    (await filled(served, words)).rows.map(({ title }) => title)
  const add = (served: Serving, names: readonly string[], as = 'acme') =>
    served.call('POST', '/v1/books', { as, body: { data: names.map((title) => ({ title })) } })

  test('finds them all once their words are filled in parts, while older processes go on writing', async () => {
    const told: string[] = []
    const databaseUrl = await url()
    const older = await serve(kind, databaseUrl, { declaration: books([]) })
    for (let at = 0; at < 12; at++)
      await add(
        older,
        Array.from({ length: 100 }, (_, n) => `Old ${at * 100 + n}`),
      )
    const changed = await older.make('/v1/books', { title: 'Before' })
    const gone = await older.make('/v1/books', { title: 'Gone' })
    const newer = await serve(kind, databaseUrl, {
      declaration: books(['title']),
      warn: (message) => told.push(message),
    })
    await until(() => told.some((one) => /completed: 1,?202 rows/.test(one)), { within: 20_000 })
    expect(await titles(newer, 'old+1199')).toEqual(['Old 1199'])
    expect((await filled(newer, 'old&count=true')).page).toMatchObject({ total: 1200, has_more: true })
    // Each of these leaves words behind that are not those of the row.
    await older.call('PATCH', `/v1/books/${changed.id}`, { body: { title: 'After' } })
    await older.make('/v1/books', { title: 'Added later' })
    await older.call('DELETE', `/v1/books/${gone.id}`)
    expect(await titles(newer, 'before')).toEqual([])
    expect(await titles(newer, 'after')).toEqual(['After'])
    expect(await titles(newer, 'added')).toEqual(['Added later'])
    expect(await titles(newer, 'gone')).toEqual([])
    // A row that a newer process changes has its words at once.
    await newer.call('PATCH', `/v1/books/${changed.id}`, { body: { title: 'Newest' } })
    expect((await newer.get('/v1/books?search=newest')).rows).toHaveLength(1)
    // Searches that were refused meanwhile are no errors, of which the log would have one each.
    expect(told.filter((one) => one.includes('failed'))).toEqual([])
    // The other one still answers what it did, and has changed nothing that is shown.
    expect((await older.get(`/v1/books/${changed.id}`)).data).toMatchObject({ title: 'Newest' })
  })

  test('of other fields has an index of its own, and both are kept while both are searched', async () => {
    const databaseUrl = await url()
    const one = await serve(kind, databaseUrl, { declaration: books(['title']) })
    const row = await one.make('/v1/books', { title: 'Emma', blurb: 'A comedy' })
    const two = await serve(kind, databaseUrl, { declaration: books(['title', 'blurb']) })
    expect(await titles(two, 'emma+com')).toEqual(['Emma'])
    await two.call('PATCH', `/v1/books/${row.id}`, { body: { title: 'Persuasion' } })
    expect(await titles(one, 'pers')).toEqual(['Persuasion'])
    await one.call('PATCH', `/v1/books/${row.id}`, { body: { blurb: 'A novel' } })
    expect([await titles(two, 'novel'), await titles(two, 'comedy')]).toEqual([['Persuasion'], []])
    expect(await titles(one, 'novel')).toEqual([])
  })

  test('finds them by an index that an older release made, without the list of its words', async () => {
    if (kind !== 'sqlite') return
    const databaseUrl = await url()
    const older = await serve(kind, databaseUrl, { declaration: books(['title']) })
    await older.make('/v1/books', { title: 'Emma' })
    const [resource] = older.api.service.model.stored.values()
    const [index] = resource ? searchIndexes(resource) : []
    await older.store.session((session) => session.script(`DROP TABLE "${index?.terms}"`))
    await older.api.close()
    const newer = await serve(kind, databaseUrl, { declaration: books(['title']) })
    expect((await newer.get('/v1/books?search=em')).rows).toHaveLength(1)
  })

  test('goes on after a process that was stopped in the middle', async () => {
    const databaseUrl = await url()
    const older = await serve(kind, databaseUrl, { declaration: books([]) })
    for (const account of ['acme', 'globex'])
      for (let at = 0; at < 3; at++)
        await add(
          older,
          Array.from({ length: 100 }, (_, n) => `Book ${at * 100 + n}`),
          account,
        )
    const first = await serve(kind, databaseUrl, { declaration: books(['title']) })
    await first.api.close()
    const second = await serve(kind, databaseUrl, { declaration: books(['title']) })
    expect((await filled(second, 'book+299')).rows).toHaveLength(1)
    const waiting = await until(
      async () => (await second.get('/v1/books?search=b', { as: 'globex' })).status === 200,
    )
    expect(waiting).toBe(true)
  })

  test('is answered by an index, and so is whether rows wait', async () => {
    const served = await serve(kind, await url(), { declaration: books(['title']) })
    for (let at = 0; at < 20; at++)
      await add(
        served,
        Array.from({ length: 100 }, (_, n) => `Book ${at * 100 + n}`),
      )
    await served.store.session((session) => session.script('ANALYZE "books"'))
    const statements: (readonly [string, readonly Value[]])[] = []
    const consumer = { id: 'k', name: 'k', kind: 'external' } as const
    const caller = { account: 'acme', consumer, scopes: allGrants, subject: null, claims: {} }
    const planner = served.api.service.engine.writer.planner
    const view = served.api.service.model.head.views.get('books')
    const target = served.api.service.engine.router.find('/v1/books')
    if (!view || !target) throw new Error('there are no books')
    for (const query of ['search=1234', 'search=1234&count=true', 'search=book+77&filter[year]=2000']) {
      const { list } = readListQuery(query, view, 5_000, toldAll)
      const { text, bind } = planner.list(target, list, null, allGrants)
      statements.push([text, bind({ call: { caller, target }, at: 0, list, after: null })])
    }
    for (const [text, values] of statements) {
      const rows = await served.store.all(`${planner.dialect.explain} ${text}`, values)
      const plan = planner.dialect.planLines(rows).join('\n')
      const [of, waiting] =
        kind === 'sqlite'
          ? [/VIRTUAL TABLE INDEX 0:M/, /SEARCH t\d USING INDEX books__search__\w+_version__idx/]
          : [
              /Bitmap Index Scan on books__search__\w{10}__idx/,
              /Index.* Scan using books__search__\w+_version__idx/,
            ]
      expect(plan).toMatch(of)
      expect(plan).toMatch(waiting)
      expect(plan).not.toMatch(/Seq Scan|SCAN (t\d|books)(?! *$|.*VIRTUAL)/m)
    }
  })
})
