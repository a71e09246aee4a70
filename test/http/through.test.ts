import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import {
  anyOf,
  api,
  belongsTo,
  hasMany,
  mapValues,
  renameRelation,
  renameResource,
  resource,
  version,
} from '../../src/index.ts'
import { describeServing, type Row, type RowList } from '../support/serving.ts'
import { noId, unique } from '../support/shop-rows.ts'

const tags = resource('tags', {
  fields: {
    name: z.string(),
    colour: z.enum(['red', 'grey', 'black']).default('grey'),
    text: z.string().max(2_000_000).optional(),
    is_secret: z.boolean().default(false),
  },
  relations: { taggings: hasMany('taggings'), notes: hasMany('notes', { through: 'taggings' }) },
  filter: ['name', 'colour'],
  sort: ['name', 'colour'],
  include: ['taggings', 'notes'],
  count: true,
  rules: {
    read: ({ row, caller }) => anyOf(row.is_secret.is(false), caller.has('tags:secret')),
    create: () => true,
  },
  limits: { responseBytes: 20_000 },
})
const taggings = resource('taggings', {
  fields: { team: z.string().default('all') },
  relations: {
    note: belongsTo('notes', { onTargetDelete: 'cascade' }),
    tag: belongsTo(tags, { optional: true }),
  },
  filter: ['tag_id'],
  rules: {
    read: ({ row, caller }) =>
      anyOf(row.team.is('all'), row.team.is(caller.claim('team')), caller.has('links:all')),
    create: () => true,
  },
})
const notes = resource('notes', {
  fields: { title: z.string(), owner: z.string().default('all') },
  relations: { tags: hasMany(tags, { through: taggings, cap: 2, description: 'What it is about.' }) },
  include: ['tags', 'tags.taggings'],
  limits: { responseBytes: 20_000 },
  rules: {
    read: ({ row, caller }) => anyOf(row.owner.is('all'), row.owner.is(caller.claim('team'))),
    create: () => true,
  },
})
const people = resource('people', {
  nameIsPluralBecause: 'the plural of person',
  fields: { name: z.string() },
  relations: {
    friends: hasMany('people', { through: 'friendships', by: 'person', cap: 5 }),
    skills: hasMany('skills', { through: 'abilities' }),
  },
  include: ['friends', 'friends.friends', 'skills'],
})
const friendships = resource('friendships', {
  fields: {},
  relations: { person: belongsTo(people), friend: belongsTo('people') },
})
const skills = resource('skills', { shared: true, fields: { name: z.string() } })
const abilities = resource('abilities', {
  fields: {},
  relations: { person: belongsTo(people), skill: belongsTo(skills) },
})
const declaration = api('notes', {
  resources: [tags, taggings, notes, people, friendships, skills, abilities],
  scopes: { 'tags:secret': 'See secret tags.', 'links:all': 'See every link.' },
  limits: { rowsPerRequest: 150 },
  versions: [
    version('v2', { published: '2026-02-01' }),
    version('v1', {
      published: '2026-01-01',
      changes: [
        renameResource('stickers', 'tags', { why: 'One word.' }),
        renameResource('sticks', 'taggings', { why: 'One word.' }),
        renameRelation('notes', 'stickers', 'tags'),
        mapValues(
          'tags',
          'colour',
          { blood: 'red' },
          { onlyInNewer: { black: 'grey' }, why: 'Two were enough.' },
        ),
      ],
    }),
  ],
})

const names = (rows: readonly Row[]) => rows.map(({ name }) => name).join('')
const listIn = (row: Row | undefined, relation: string) => row?.[relation] as RowList

describeServing(
  'a many-to-many',
  (served) => {
    const keys = new Map<string, string>()
    const key = (name: string) => keys.get(name) ?? ''
    beforeAll(async () => {
      const give = async (name: string, scopes: readonly string[], team: string, account = 'acme') => {
        const made = await served.api.key(account, {
          name: `${served.kind} ${name}`,
          scopes,
          claims: { team },
        })
        keys.set(name, made)
      }
      await give('all', ['*', 'tags:secret', 'links:all'], 'blue')
      await give('red', ['notes:read', 'tags:read', 'taggings:read'], 'red')
      await give('secret', ['notes:read', 'tags:read', 'taggings:read', 'tags:secret'], 'red')
      await give('no links', ['notes:read', 'tags:read'], 'red')
      await give('no tags', ['notes:read', 'taggings:read'], 'red')
      await give('other', ['*'], 'red', 'globex')
    })
    const make = (path: string, body: object) => served.make(`/v2/${path}`, body, { as: key('all') })
    /** A note with tags, which are linked by these teams. */
    const noteWith = async (
      linked: readonly { readonly tag: Row; readonly team?: string }[],
      owner = 'all',
    ) => {
      const note = await make('notes', { title: unique(), owner })
      for (const { tag, team = 'all' } of linked)
        await make('taggings', { note_id: note.id, tag_id: tag.id, team })
      return note
    }
    const tagCalled = (name: string) => make('tags', { name })
    const tagsOf = async (note: Row, query = '', as = 'red') => {
      const answer = await served.get(`/v2/notes/${note.id}/tags${query}`, { as: key(as) })
      expect(answer.status, answer.text).toBe(200)
      return names(answer.rows)
    }

    test('lists the far side once each, filtered, sorted, counted and in pages', async () => {
      const a = await tagCalled('a')
      const b = await make('tags', { name: 'b', colour: 'red' })
      const [c, d] = [await tagCalled('c'), await tagCalled('d')]
      const note = await noteWith([{ tag: c }, { tag: a }, { tag: b }, { tag: a }, { tag: c }])
      const empty = await noteWith([])
      await make('taggings', { note_id: note.id, tag_id: null })
      expect(await tagsOf(note)).toBe('abc')
      expect(await tagsOf(empty)).toBe('')
      expect(await tagsOf(note, '?sort=-name')).toBe('cba')
      expect(await tagsOf(note, '?filter[colour]=red')).toBe('b')
      expect(await tagsOf(note, `?filter[name][in]=a,d&sort=colour`)).toBe('a')
      const path = `/v2/notes/${note.id}/tags?sort=-name&limit=2&count=true`
      const first = await served.get(path, { as: key('red') })
      expect([names(first.rows), first.page]).toEqual([
        'cb',
        expect.objectContaining({ has_more: true, total: 3, total_is_exact: true }),
      ])
      const second = await served.get(`${path}&cursor=${first.page.next_cursor}`, { as: key('red') })
      expect([names(second.rows), second.page.has_more]).toEqual(['a', false])
      const elsewhere = `/v2/notes/${empty.id}/tags?sort=-name&cursor=${first.page.next_cursor}`
      expect((await served.get(elsewhere, { as: key('red') })).refusal).toEqual([400, 'bad-cursor'])
      const back = await served.get(`/v2/tags/${a.id}/notes`, { as: key('red') })
      expect(back.rows.map(({ id }) => id)).toEqual([note.id])
      expect((await served.get(`/v2/tags/${d.id}/notes`, { as: key('red') })).rows).toEqual([])
      expect((await served.get(`/v2/notes/${noId}/tags`, { as: key('red') })).refusal).toEqual([
        404,
        'not-found',
      ])
    })

    test('is included up to its cap, and goes on at its path', async () => {
      const [a, b, c] = [await tagCalled('a'), await tagCalled('b'), await tagCalled('c')]
      const note = await noteWith([{ tag: c }, { tag: b }, { tag: a }, { tag: b }])
      const two = await noteWith([{ tag: a }, { tag: a }, { tag: b }, { tag: b }])
      const { data } = await served.get(`/v2/notes/${note.id}?include=tags`, { as: key('red') })
      const list = listIn(data, 'tags')
      expect([names(list.data), list.page]).toEqual([
        'ab',
        expect.objectContaining({ limit: 2, has_more: true }),
      ])
      const rest = await served.get(list.page.next ?? '', { as: key('red') })
      expect([names(rest.rows), rest.page.has_more]).toEqual(['c', false])
      expect((await served.get(list.page.next ?? '', { as: key('other') })).status).not.toBe(200)
      const all = await served.get(`/v2/notes?include=tags.taggings&limit=1&cursor=`, { as: key('red') })
      expect(all.status).toBe(400)
      const whole = listIn(
        (await served.get(`/v2/notes/${two.id}?include=tags.taggings`, { as: key('red') })).data,
        'tags',
      )
      expect([names(whole.data), whole.page]).toEqual([
        'ab',
        { limit: 2, has_more: false, next_cursor: null, next: null },
      ])
      expect(listIn(whole.data[0], 'taggings').data).toHaveLength(3)
      const fromTag = await served.get(`/v2/tags/${c.id}?include=notes`, { as: key('red') })
      expect(listIn(fromTag.data, 'notes').data.map(({ id }) => id)).toEqual([note.id])
    })

    test('shows a linked row alone, and takes no writes', async () => {
      const [a, b] = [await tagCalled('a'), await tagCalled('b')]
      const note = await noteWith([{ tag: a }])
      const path = `/v2/notes/${note.id}/tags`
      const alone = await served.get(`${path}/${a.id}?include=taggings`, { as: key('red') })
      expect([alone.status, alone.data.name]).toEqual([200, 'a'])
      const plain = await served.get(`${path}/${a.id}`, { as: key('red') })
      expect(plain.etag).toBe((await served.get(`/v2/tags/${a.id}`, { as: key('red') })).etag)
      expect((await served.get(`${path}/${b.id}`, { as: key('red') })).refusal).toEqual([404, 'not-found'])
      for (const [method, at] of [
        ['POST', path],
        ['PUT', `${path}/${a.id}`],
        ['PATCH', `${path}/${a.id}`],
        ['DELETE', `${path}/${a.id}`],
      ] as const) {
        const answer = await served.call(method, at, { body: { name: 'x' }, as: key('all') })
        expect([answer.refusal, answer.headers.get('allow')], method).toEqual([
          [405, 'method-not-allowed'],
          'GET, HEAD, OPTIONS',
        ])
        expect(answer.problem.detail).toContain('Rows of taggings make and end the links: POST /v2/')
      }
      const options = await served.call('OPTIONS', path)
      expect(options.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
      const whole = await served.call('OPTIONS', '/v2/tags')
      expect(whole.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS')
    })

    test('shows what was written to the join, in ETags too', async () => {
      const a = await tagCalled('a')
      const note = await noteWith([])
      const path = `/v2/notes/${note.id}?include=tags`
      const before = await served.get(path, { as: key('all') })
      const link = await make('taggings', { note_id: note.id, tag_id: a.id })
      const after = await served.get(path, { as: key('all') })
      expect([names(listIn(after.data, 'tags').data), after.etag === before.etag]).toEqual(['a', false])
      await served.call('DELETE', `/v2/taggings/${link.id}`, { as: key('all') })
      expect((await served.get(path, { as: key('all') })).etag).toBe(before.etag)
      expect((await served.call('DELETE', `/v2/notes/${note.id}`, { as: key('all') })).status).toBe(204)
    })

    test('is hidden by the rules of the link, of the far side and of the owner', async () => {
      const [a, b, c] = [await tagCalled('a'), await tagCalled('b'), await tagCalled('c')]
      const s = await make('tags', { name: 's', is_secret: true })
      const linked = [{ tag: a, team: 'blue' }, { tag: b, team: 'red' }, { tag: c }, { tag: s }]
      const note = await noteWith(linked)
      expect(await tagsOf(note, '', 'red')).toBe('bc')
      expect(await tagsOf(note, '?count=true', 'secret')).toBe('bcs')
      expect(await tagsOf(note, '', 'all')).toBe('abcs')
      const one = async (tag: Row, as: string) =>
        (await served.get(`/v2/notes/${note.id}/tags/${tag.id}`, { as: key(as) })).status
      expect([await one(a, 'red'), await one(s, 'red'), await one(b, 'red'), await one(s, 'secret')]).toEqual(
        [404, 404, 200, 200],
      )
      const included = async (as: string) => {
        const { data } = await served.get(`/v2/notes/${note.id}?include=tags`, { as: key(as) })
        const { data: rows, page } = listIn(data, 'tags')
        return [names(rows), page.has_more]
      }
      expect([await included('red'), await included('secret')]).toEqual([
        ['bc', false],
        ['bc', true],
      ])
      // A second link that the caller may read shows the row.
      await make('taggings', { note_id: note.id, tag_id: a.id, team: 'red' })
      expect(await tagsOf(note, '', 'red')).toBe('abc')
      const hidden = await noteWith([{ tag: c }], 'blue')
      expect((await served.get(`/v2/notes/${hidden.id}/tags`, { as: key('red') })).status).toBe(404)
      expect((await served.get(`/v2/notes/${hidden.id}/tags/${c.id}`, { as: key('red') })).status).toBe(404)
      expect(
        (await served.get(`/v2/tags/${c.id}/notes`, { as: key('red') })).rows.map(({ id }) => id),
      ).toEqual([note.id])
    })

    test('has cursors that are bound to what the rule of the links reads', async () => {
      const [a, b] = [await tagCalled('a'), await tagCalled('b')]
      const note = await noteWith([{ tag: a }, { tag: b }])
      const path = `/v2/notes/${note.id}/tags`
      const { page } = await served.get(`${path}?limit=1`, { as: key('red') })
      const next = `${path}?cursor=${page.next_cursor}`
      expect((await served.get(next, { as: key('secret') })).status).toBe(200)
      expect((await served.get(next, { as: key('all') })).refusal).toEqual([400, 'bad-cursor'])
    })

    test('needs the scopes of both the far side and the links', async () => {
      const note = await noteWith([])
      for (const [as, scope] of [
        ['no links', 'taggings:read'],
        ['no tags', 'tags:read'],
      ] as const)
        for (const path of [
          `/v2/notes/${note.id}/tags`,
          `/v2/notes/${note.id}/tags/${noId}`,
          `/v2/notes/${note.id}?include=tags`,
          '/v2/notes?include=tags',
        ]) {
          const answer = await served.get(path, { as: key(as) })
          expect(answer.refusal, `${as} ${path}`).toEqual([403, 'scope-missing'])
          expect(answer.text).toContain(scope)
        }
      const refused = await served.get('/v2/notes?include=tegs', { as: key('no links') })
      expect([refused.status, refused.text.includes('"tags"')]).toEqual([400, false])
      expect((await served.get('/v2/notes?include=tegs', { as: key('red') })).text).toContain('"tags"')
    })

    test('stays within an account, also where the far side is shared', async () => {
      const skill = await served.make('/v2/skills', { name: unique() }, { as: await served.key('acme') })
      const person = async (account: string) => {
        const as = await served.key(account)
        const one = await served.make('/v2/people', { name: account }, { as })
        await served.make('/v2/abilities', { person_id: one.id, skill_id: skill.id }, { as })
        return one
      }
      const [mine, theirs] = [await person('acme'), await person('globex')]
      const skillsOf = (one: Row, as: string) => served.get(`/v2/people/${one.id}/skills`, { as })
      expect(names((await skillsOf(mine, 'acme')).rows)).toBe(skill.name)
      expect(names((await skillsOf(theirs, 'globex')).rows)).toBe(skill.name)
      expect((await skillsOf(theirs, 'acme')).status).toBe(404)
      expect((await served.get(`/v2/people/${theirs.id}/skills/${skill.id}`, { as: 'acme' })).status).toBe(
        404,
      )
      const { data } = await served.get(`/v2/people/${mine.id}?include=skills`)
      expect(listIn(data, 'skills').data).toHaveLength(1)
    })

    test('links rows of one resource to each other, in the direction that is named', async () => {
      const [ada, bo, cy] = [
        await make('people', { name: 'ada' }),
        await make('people', { name: 'bo' }),
        await make('people', { name: 'cy' }),
      ]
      await make('friendships', { person_id: ada.id, friend_id: bo.id })
      await make('friendships', { person_id: bo.id, friend_id: cy.id })
      const friends = async (one: Row) => names((await served.get(`/v2/people/${one.id}/friends`)).rows)
      expect([await friends(ada), await friends(bo), await friends(cy)]).toEqual(['bo', 'cy', ''])
      const { data } = await served.get(`/v2/people/${ada.id}?include=friends.friends`)
      expect(names(listIn(listIn(data, 'friends').data[0], 'friends').data)).toBe('cy')
    })

    test('has the names and values of an older version', async () => {
      const a = await make('tags', { name: 'a', colour: 'red' })
      const b = await make('tags', { name: 'b', colour: 'black' })
      const note = await noteWith([{ tag: a }, { tag: b }])
      const path = `/v1/notes/${note.id}/stickers`
      const listed = await served.get(path, { as: key('all') })
      expect(listed.rows.map(({ name, colour }) => [name, colour])).toEqual([
        ['a', 'blood'],
        ['b', 'grey'],
      ])
      expect(names((await served.get(`${path}?filter[colour]=blood`, { as: key('all') })).rows)).toBe('a')
      expect((await served.get(`${path}/${a.id}`, { as: key('all') })).data.colour).toBe('blood')
      const { data } = await served.get(`/v1/notes/${note.id}?include=stickers`, { as: key('all') })
      expect(listIn(data, 'stickers').data.map(({ colour }) => colour)).toEqual(['blood', 'grey'])
      for (const gone of [`/v1/notes/${note.id}/tags`, `/v2/notes/${note.id}/stickers`])
        expect((await served.get(gone, { as: key('all') })).status, gone).toBe(404)
      expect((await served.call('POST', path, { body: {}, as: key('all') })).status).toBe(405)
      const refused = await served.get(path, { as: key('no links') })
      expect([refused.status, refused.text.includes('sticks:read')]).toEqual([403, true])
      const { rows, page } = await served.get(`${path}?limit=1`, { as: key('all') })
      expect(names(rows)).toBe('a')
      expect(names((await served.get(`${path}?cursor=${page.next_cursor}`, { as: key('all') })).rows)).toBe(
        'b',
      )
    })

    test('counts towards the rows of a request and the bytes of an answer', async () => {
      const large = await make('tags', { name: 'large', text: 'x'.repeat(15_000) })
      const [one, two] = [await noteWith([{ tag: large }, { tag: large }]), await noteWith([{ tag: large }])]
      const path = (note: Row, tag = '') => `/v2/notes/${note.id}/tags${tag}`
      for (const fits of [path(one), path(one, `/${large.id}`), `/v2/notes/${two.id}?include=tags`])
        expect((await served.get(fits, { as: key('red') })).status, fits).toBe(200)
      const other = await make('tags', { name: 'other', text: 'x'.repeat(15_000) })
      await make('taggings', { note_id: one.id, tag_id: other.id })
      for (const full of [path(one), `/v2/notes/${one.id}?include=tags`]) {
        const answer = await served.get(full, { as: key('red') })
        expect(answer.refusal, full).toEqual([422, 'response-too-large'])
      }
      const tooMany = await served.get('/v2/notes?include=tags&limit=100', { as: key('red') })
      expect(tooMany.refusal).toEqual([400, 'include-too-large'])
      expect(tooMany.problem).toMatchObject({ arithmetic: '100 × (2 tags) = 200' })
    })
  },
  { declaration },
)
