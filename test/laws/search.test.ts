import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { api, belongsTo, hasMany, renameField, resource, version } from '../../src/index.ts'
import { describeServing, type Serving } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'

const shelves = resource('shelves', { fields: { room: z.string() }, relations: { notes: hasMany('notes') } })
const notes = resource('notes', {
  fields: { name: z.string(), text: z.string().optional(), size: z.int().default(0) },
  relations: { shelf: belongsTo('shelves', { onTargetDelete: 'cascade' }) },
  search: ['name', 'text'],
  sort: ['size'],
  filter: ['size'],
  bulk: true,
  count: true,
})
const declaration = api('notes', {
  resources: [shelves, notes],
  versions: [
    version('v2', { published: '2026-02-01' }),
    version('v1', { published: '2026-01-01', changes: [renameField('notes', 'title', 'name')] }),
  ],
})

/** Pieces of words in many scripts, forms and cases, and what stands between words. */
const pieces = [
  ...[
    'a',
    'A',
    'ada',
    'Ada',
    'ADAM',
    'lov',
    'é',
    'e\u0301',
    'É',
    'ö',
    'ß',
    'ẞ',
    'ss',
    'ﬁ',
    'fi',
    'Ĳ',
    'ø',
    'ł',
    'İ',
    'ı',
    'i',
  ],
  ...[
    'σ',
    'ς',
    'Σ',
    'ΟΔΟΣ',
    'ά',
    'α\u0301',
    'ж',
    'Ж',
    'й',
    'и\u0306',
    'ё',
    'ك',
    'كِ',
    'ة',
    'ﻻ',
    'שׁ',
    'ש',
    '東',
    '京',
    'か\u3099',
    'が',
    'ｶﾞ',
    '한',
    '\u1112\u1161\u11ab',
  ],
  ...[
    '१',
    '2',
    '²',
    '½',
    '٣',
    'Ⅷ',
    '𝐀',
    '𝔞',
    '𐐀',
    '𐐨',
    'ก',
    'กำ',
    'कि',
    '😀',
    '👩‍👩‍👧',
    '\u0301',
    '\u20e3',
    'ʰ',
    '™',
    'ǅ',
    'x'.repeat(63),
  ],
  ...[
    ' ',
    ' ',
    ' ',
    '-',
    '.',
    '@',
    '_',
    "'",
    '"',
    '*',
    ':',
    '&',
    '|',
    '!',
    '(',
    ')',
    '\\',
    '%',
    '\t',
    '\n',
    '\u0001',
    '\u00a0',
    '\u200d',
    '\u00ad',
    '·',
    '、',
  ],
]
const text = fc
  .array(
    fc.oneof(
      { arbitrary: fc.constantFrom(...pieces), weight: 9 },
      { arbitrary: fc.string({ unit: 'grapheme', maxLength: 3 }), weight: 1 },
    ),
    { maxLength: 8 },
  )
  .map((all) => all.join('').replaceAll('\0', ''))
const someText = text.filter((one) => one.isWellFormed())

type Note = { name: string; text: string | null; size: number; shelf: number }
const note: fc.Arbitrary<Note> = fc.record({
  name: someText,
  text: fc.option(someText),
  size: fc.nat(2),
  shelf: fc.nat(1),
})

type Write =
  | { readonly do: 'create'; readonly note: Note; readonly as: 'v1' | 'v2' }
  | { readonly do: 'list'; readonly notes: readonly Note[] }
  | { readonly do: 'patch'; readonly at: number; readonly name: string; readonly as: 'v1' | 'v2' }
  | { readonly do: 'resize'; readonly at: number; readonly size: number }
  | { readonly do: 'put'; readonly at: number; readonly note: Note }
  | { readonly do: 'delete'; readonly at: number }
  | { readonly do: 'delete shelf'; readonly shelf: number }
const as = fc.constantFrom('v1' as const, 'v2' as const)
const write: fc.Arbitrary<Write> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('create' as const), note, as }), weight: 4 },
  {
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      notes: fc.array(note, { minLength: 1, maxLength: 4 }),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({ do: fc.constant('patch' as const), at: fc.nat(9), name: someText, as }),
    weight: 3,
  },
  { arbitrary: fc.record({ do: fc.constant('resize' as const), at: fc.nat(9), size: fc.nat(2) }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('put' as const), at: fc.nat(9), note }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('delete' as const), at: fc.nat(9) }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('delete shelf' as const), shelf: fc.nat(1) }), weight: 1 },
)

// ---- the model: one character after the other, without regular expressions over whole texts

const isMark = (one: string) => /^\p{M}$/u.test(one)
const isOfWord = (one: string) => /^[\p{L}\p{Nd}]$/u.test(one)
const lower = (one: string) => (one === 'ς' || one === 'Σ' ? 'σ' : one.toLowerCase())

function wordsIn(whole: string): readonly string[] {
  const words: string[] = []
  let word = ''
  for (const one of [...whole.normalize('NFKD')].filter((each) => !isMark(each))) {
    if (isOfWord(one)) word += lower(one)
    else {
      if (word !== '') words.push(word)
      word = ''
    }
  }
  return word === '' ? words : [...words, word]
}

const isFound = ({ name, text }: Note, words: readonly string[]): boolean => {
  const own = [...wordsIn(name), ...wordsIn(text ?? '')]
  return words.every((word) => own.some((one) => one.startsWith(word)))
}

// ---- against the service

/**
 * What else is in the account, which decides how a page is found: by looking at all rows; by the index, because a row is long; or by
 * looking at the first rows of many, and then by either.
 */
const company = fc.constantFrom('nothing' as const, 'a long row' as const, 'many rows' as const)
type Company = typeof company extends fc.Arbitrary<infer One> ? One : never

const companyOf = (one: Company, kind: Serving['kind']): readonly Note[] => {
  const filler: Note = { name: 'qqq', text: null, size: 0, shelf: 1 }
  if (one === 'nothing') return []
  if (one === 'many rows') return Array(kind === 'sqlite' ? 200 : 552).fill(filler)
  return [{ ...filler, text: Array.from({ length: 300 }, (_, at) => `qqqqqq${at}`).join(' ') }]
}

interface Case {
  readonly writes: readonly Write[]
  readonly searches: readonly string[]
  readonly company: Company
}

async function check(served: Serving, { writes, searches, company }: Case): Promise<void> {
  const account = unique()
  const key = await served.api.key(account, { name: account })
  const call = (method: string, path: string, body?: object) => served.call(method, path, { as: key, body })
  const shelf = async () => String((await served.make('/v2/shelves', { room: 'A' }, { as: key })).id)
  const shelfIds = [await shelf(), await shelf()]
  const stored = new Map<string, Note>()
  const body = ({ shelf: at, ...own }: Note) => ({ ...own, shelf_id: shelfIds[at] })
  const beside = companyOf(company, served.kind)
  for (let from = 0; from < beside.length; from += 100) {
    const made = await call('POST', '/v2/notes', { data: beside.slice(from, from + 100).map(body) })
    for (const [index, row] of made.rows.entries()) stored.set(row.id, beside[from + index] as Note)
  }
  const besides = stored.size
  for (const one of writes) {
    const at = 'at' in one ? [...stored][besides + (one.at % Math.max(1, stored.size - besides))] : undefined
    if ('at' in one && !at) continue
    const [id = '', before] = at ?? []
    if (one.do === 'create') {
      const { name, ...own } = body(one.note)
      const sent = one.as === 'v1' ? { title: name, ...own } : { name, ...own }
      const made = await call('POST', `/${one.as}/notes`, sent)
      expect(made.status, made.text).toBe(201)
      stored.set(made.data.id, one.note)
    } else if (one.do === 'list') {
      const made = await call('POST', '/v2/notes', { data: one.notes.map(body) })
      expect(made.status, made.text).toBe(201)
      for (const [index, row] of made.rows.entries()) stored.set(row.id, one.notes[index] as Note)
    } else if (one.do === 'delete shelf') {
      expect((await call('DELETE', `/v2/shelves/${shelfIds[one.shelf]}`)).status).toBe(204)
      for (const [key, { shelf: on }] of stored) if (on === one.shelf) stored.delete(key)
      shelfIds[one.shelf] = await shelf()
    } else if (!before) continue
    else if (one.do === 'delete') {
      expect((await call('DELETE', `/v2/notes/${id}`)).status).toBe(204)
      stored.delete(id)
    } else if (one.do === 'put') {
      expect((await call('PUT', `/v2/notes/${id}`, body(one.note))).status).toBe(200)
      stored.set(id, one.note)
    } else {
      const patch =
        one.do === 'resize' ? { size: one.size } : one.as === 'v1' ? { title: one.name } : { name: one.name }
      expect((await call('PATCH', `/${one.do === 'resize' ? 'v2' : one.as}/notes/${id}`, patch)).status).toBe(
        200,
      )
      stored.set(id, one.do === 'resize' ? { ...before, size: one.size } : { ...before, name: one.name })
    }
  }
  for (const search of searches) {
    const words = wordsIn(search)
    const path = `/v2/notes?limit=100&count=true&search=${encodeURIComponent(search)}`
    const answer = await served.get(path, { as: key })
    const isRefused = words.length === 0 || words.length > 8 || words.some((word) => [...word].length > 64)
    if (isRefused) {
      expect(answer.refusal, search).toEqual([400, 'bad-query'])
      continue
    }
    expect(answer.status, `${search}\n${answer.text}`).toBe(200)
    const found = [...stored].filter(([, one]) => isFound(one, words)).map(([id]) => id)
    expect(await allPages(served, path, key), search).toEqual(found.sort())
    expect(answer.page.total).toBe(found.length)
    const on = await served.get(
      `/v2/shelves/${shelfIds[0]}/notes?limit=100&filter[size]=1&sort=-size&search=${encodeURIComponent(search)}`,
      { as: key },
    )
    const below = found.filter((id) => stored.get(id)?.shelf === 0 && stored.get(id)?.size === 1)
    expect(on.rows.map(({ id }) => id).sort(), search).toEqual(below.sort())
  }
}

/** The ids of all pages, in their order, which is that of ids. */
async function allPages(served: Serving, path: string, as: string): Promise<readonly string[]> {
  const ids: string[] = []
  for (let next = path; ; ) {
    const { rows, page } = await served.get(next, { as })
    ids.push(...rows.map(({ id }) => id))
    if (!page.has_more) return ids
    next = `${path}&cursor=${page.next_cursor}`
  }
}

describeServing(
  'a search',
  (served) => {
    test('finds what a naive model finds, through all kinds of writes, in texts of many scripts', async () => {
      const numRuns = process.env.NOUNKIT_NIGHTLY ? 500 : served.kind === 'sqlite' ? 12 : 10
      await fc.assert(
        fc.asyncProperty(
          fc.array(write, { minLength: 3, maxLength: 14 }),
          fc.array(fc.constantFrom(...pieces), { minLength: 8, maxLength: 8 }),
          fc.array(someText, { minLength: 2, maxLength: 4 }),
          company,
          (writes, short, long, company) =>
            check(served, { writes, searches: [...short, ...long, 'qqq'], company }),
        ),
        { numRuns },
      )
    })
  },
  { declaration },
)
