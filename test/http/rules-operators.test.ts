import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allOf, anyOf, api, belongsTo, decimal, not, now, resource } from '../../src/index.ts'
import { describeServing, type Row } from '../support/serving.ts'

const bosses = resource('bosses', { fields: { name: z.string() } })
const owners = resource('owners', {
  fields: { name: z.string().optional() },
  relations: { boss: belongsTo(bosses, { optional: true }) },
})
const fields = {
  name: z.string(),
  text: z.string().optional(),
  other: z.string().optional(),
  count: z.int().optional(),
  weight: z.number().optional(),
  price: decimal({ scale: 2 }).optional(),
  flag: z.boolean().optional(),
  day: z.iso.date().optional(),
  at: z.iso.datetime().optional(),
  kind: z.enum(['x', 'y']).optional(),
  tags: z.array(z.string()).optional(),
}
const relations = { owner: belongsTo(owners, { optional: true }) }
const plain = resource('things', { fields, relations })

// biome-ignore lint/suspicious/noExplicitAny: one table for terms of all types
type Write = (row: any, caller: any) => any
/** A rule, and the rows that callers with these claims see: a, b, or n, in which everything is null. */
type Case = readonly [about: string, rule: Write, ...seen: (readonly [claims: object, rows: string])[]]

const list = (count: number, ...more: unknown[]) => [...Array(count).fill('z'), ...more]
const soon = '2999-01-01T00:00:00Z'

const cases: readonly Case[] = [
  [
    'text is',
    (row, caller) => row.text.is(caller.claim('c')),
    [{ c: 'a' }, 'a'],
    [{ c: 'A' }, ''],
    [{ c: '' }, ''],
  ],
  [
    'text isNot',
    (row, caller) => row.text.isNot(caller.claim('c')),
    [{ c: 'a' }, 'b'],
    [{ c: 'z' }, 'ab'],
    [{}, ''],
  ],
  [
    'not is',
    (row, caller) => not(row.text.is(caller.claim('c'))),
    [{ c: 'a' }, 'b'],
    [{}, ''],
    [{ c: null }, ''],
    [{ c: 5 }, ''],
  ],
  ['not not is', (row, caller) => not(not(row.text.is(caller.claim('c')))), [{ c: 'a' }, 'a'], [{}, '']],
  ['text in', (row, caller) => row.text.in(['b', caller.claim('c')]), [{ c: 'a' }, 'ab'], [{}, 'b']],
  ['not in', (row, caller) => not(row.text.in(['b', caller.claim('c')])), [{ c: 'z' }, 'a'], [{}, '']],
  ['in constants', (row) => row.kind.in(['x', 'y']), [{}, 'ab']],
  ['not in constants', (row) => not(row.kind.in(['x'])), [{}, 'b']],
  ['text order', (row, caller) => row.text.lt(caller.claim('c')), [{ c: 'b' }, 'a'], [{ c: 'é' }, 'ab']],
  [
    'integer',
    (row, caller) => row.count.gte(caller.claim('c')),
    [{ c: 2 }, 'b'],
    [{ c: '2' }, ''],
    [{ c: 1.5 }, ''],
    [{ c: true }, ''],
  ],
  [
    'not integer',
    (row, caller) => not(row.count.gt(caller.claim('c'))),
    [{ c: 1 }, 'a'],
    [{ c: '1' }, ''],
    [{}, ''],
  ],
  [
    'number',
    (row, caller) => row.weight.lte(caller.claim('c')),
    [{ c: 2 }, 'a'],
    [{ c: 2.5 }, 'ab'],
    [{ c: '3' }, ''],
  ],
  [
    'decimal',
    (row, caller) => row.price.is(caller.claim('c')),
    [{ c: '1.50' }, 'a'],
    [{ c: '1.5' }, 'a'],
    [{ c: 1.5 }, ''],
    [{ c: '1.505' }, ''],
    [{ c: 'x' }, ''],
  ],
  ['decimal order', (row) => row.price.gt('1.5'), [{}, 'b']],
  [
    'boolean',
    (row, caller) => row.flag.is(caller.claim('c')),
    [{ c: true }, 'a'],
    [{ c: false }, 'b'],
    [{ c: 1 }, ''],
    [{ c: 'true' }, ''],
  ],
  ['boolean constant', (row) => row.flag.is(false), [{}, 'b']],
  [
    'date',
    (row, caller) => row.day.gt(caller.claim('c')),
    [{ c: '2026-01-01' }, 'b'],
    [{ c: '2026-02-30' }, ''],
    [{ c: 20260101 }, ''],
  ],
  [
    'time',
    (row, caller) => row.at.gte(caller.claim('c')),
    [{ c: '2026-02-01T01:00:00+01:00' }, 'b'],
    [{ c: '2026-02-01' }, ''],
  ],
  ['time constant', (row) => row.at.lt('2026-01-15T00:00:00Z'), [{}, 'a']],
  ['now', (row) => row.at.lt(now()), [{}, 'ab']],
  ['after now', (row) => not(row.at.lte(now())), [{}, '']],
  ['today', (row) => row.day.lt(now()), [{}, 'ab']],
  ['enum', (row, caller) => row.kind.is(caller.claim('c')), [{ c: 'x' }, 'a'], [{ c: 'q' }, '']],
  ['field and field', (row) => row.text.is(row.other), [{}, 'a']],
  ['not field and field', (row) => not(row.text.is(row.other)), [{}, 'b']],
  ['number and integer', (row) => row.weight.gt(row.count), [{}, 'ab']],
  ['null', (row) => row.text.isNull(), [{}, 'n']],
  ['not null', (row) => not(row.text.isNull()), [{}, 'ab']],
  ['a list is null', (row) => row.tags.isNull(), [{}, 'bn']],
  [
    'all of',
    (row, caller) => allOf(row.text.is(caller.claim('c')), row.count.is(1)),
    [{ c: 'a' }, 'a'],
    [{ c: 'b' }, ''],
  ],
  [
    'not all of',
    (row, caller) => not(allOf(row.text.is(caller.claim('c')), row.count.is(1))),
    [{ c: 'a' }, 'b'],
    [{}, 'b'],
  ],
  [
    'not any of',
    (row, caller) => not(anyOf(row.text.is(caller.claim('c')), row.count.is(1))),
    [{ c: 'z' }, 'b'],
    [{}, ''],
  ],
  [
    'one relation',
    (row, caller) => row.owner.name.is(caller.claim('c')),
    [{ c: 'oa' }, 'a'],
    [{ c: 'ob' }, ''],
    [{}, ''],
  ],
  ['not one relation', (row) => not(row.owner.name.is('oa')), [{}, '']],
  ['two relations', (row, caller) => row.owner.boss.name.is(caller.claim('c')), [{ c: 'bb' }, 'a']],
  ['the absence of a relation', (row) => row.owner.name.isNull(), [{}, 'bn']],
  ['the presence of a relation', (row) => row.owner.boss.name.isNotNull(), [{}, 'a']],
  ['two paths', (row) => row.owner.name.isNot(row.owner.boss.name), [{}, 'a']],
  ['a path in', (row) => row.owner.name.in(['oa', 'oz']), [{}, 'a']],
  [
    'includes',
    (row, caller) => caller.claim('c').includes(row.text),
    [{ c: ['a', 'z'] }, 'a'],
    [{ c: [] }, ''],
    [{ c: 'a' }, ''],
    [{}, ''],
    [{ c: ['b', 5, null, {}] }, 'b'],
  ],
  [
    'not includes',
    (row, caller) => not(caller.claim('c').includes(row.text)),
    [{ c: ['a'] }, 'b'],
    [{ c: [] }, 'ab'],
    [{ c: 'a' }, ''],
    [{}, ''],
    [{ c: null }, ''],
  ],
  ['includes integers', (row, caller) => caller.claim('c').includes(row.count), [{ c: [2, '1'] }, 'b']],
  ['includes decimals', (row, caller) => caller.claim('c').includes(row.price), [{ c: ['2.5'] }, 'b']],
  ['includes booleans', (row, caller) => caller.claim('c').includes(row.flag), [{ c: [true, 0] }, 'a']],
  ['includes days', (row, caller) => caller.claim('c').includes(row.day), [{ c: ['2026-01-01', 'x'] }, 'a']],
  [
    'includes times',
    (row, caller) => caller.claim('c').includes(row.at),
    [{ c: ['2026-02-01T00:00:00Z'] }, 'b'],
  ],
  ['includes on a path', (row, caller) => caller.claim('c').includes(row.owner.name), [{ c: ['oa'] }, 'a']],
  [
    'a long list',
    (row, caller) => caller.claim('c').includes(row.text),
    [{ c: list(999, 'a') }, 'a'],
    [{ c: list(1000, 'a') }, ''],
    [{ c: list(9_999, 'a') }, ''],
  ],
  [
    'not a long list',
    (row, caller) => not(caller.claim('c').includes(row.text)),
    [{ c: list(999) }, 'ab'],
    [{ c: list(10_000) }, ''],
  ],
  [
    'a list too wide',
    (row, caller) => caller.claim('c').includes(row.text),
    [{ c: ['a', 'w'.repeat(17_000)] }, 'a'],
    [{ c: ['a', ...Array(20).fill('w'.repeat(1_000))] }, ''],
  ],
  [
    'a nested claim',
    (row, caller) => row.text.is(caller.claim('c.d')),
    [{ c: { d: 'a' } }, 'a'],
    [{ 'c.d': 'b', c: { d: 'a' } }, 'b'],
    [{ c: ['a'] }, ''],
    [{ c: 'd' }, ''],
  ],
  ['a claim of every object', (row, caller) => not(row.text.is(caller.claim('constructor.name'))), [{}, '']],
  [
    'hostile',
    (row, caller) => row.text.is(caller.claim('c')),
    [{ c: 'a\0' }, ''],
    [{ c: '\ud800' }, ''],
    [{ c: ['a'] }, ''],
    [{ c: { a: 'a' } }, ''],
    [{ c: "' OR 1=1" }, ''],
    [{ c: 'a'.repeat(100_000) }, ''],
  ],
  [
    'hostile under not',
    (row, caller) => not(row.text.is(caller.claim('c'))),
    [{ c: 'a\0' }, ''],
    [{ c: '\ud800' }, ''],
    [{ c: ['a'] }, ''],
    [{ c: { a: 'a' } }, ''],
    [{ c: 'a'.repeat(100_000) }, ''],
  ],
  [
    'numbers past 2^53',
    (row, caller) => row.count.isNot(caller.claim('c')),
    [{ c: 2 ** 53 }, ''],
    [{ c: -(2 ** 53) }, ''],
    [{ c: 1e300 }, ''],
    [{ c: 2 ** 53 - 1 }, 'ab'],
  ],
  [
    'doubles past 2^53',
    (row, caller) => row.weight.isNot(caller.claim('c')),
    [{ c: 2 ** 60 }, ''],
    [{ c: 7 }, 'ab'],
  ],
  [
    'a caller and a constant',
    (_, caller) => caller.claim('c').is('admin'),
    [{ c: 'admin' }, 'abn'],
    [{ c: 'x' }, ''],
    [{}, ''],
  ],
  [
    'not a caller and a constant',
    (_, caller) => not(caller.claim('c').is('admin')),
    [{ c: 'x' }, 'abn'],
    [{ c: 'admin' }, ''],
    [{}, ''],
    [{ c: 3 }, ''],
  ],
  [
    'a caller and numbers',
    (_, caller) => caller.claim('c').gte(3),
    [{ c: 3 }, 'abn'],
    [{ c: 2 }, ''],
    [{ c: '3' }, ''],
  ],
  ['a caller and a boolean', (_, caller) => caller.claim('c').is(true), [{ c: true }, 'abn'], [{ c: 1 }, '']],
  [
    'a caller and the time',
    (_, caller) => now().lt(caller.claim('c')),
    [{ c: soon }, 'abn'],
    [{ c: '2026-01-01T00:00:00Z' }, ''],
    [{ c: 9e12 }, ''],
  ],
  ['a caller in', (_, caller) => caller.claim('c').in(['x', 'y']), [{ c: 'y' }, 'abn'], [{ c: 'z' }, '']],
  [
    'a list and a constant',
    (_, caller) => caller.claim('c').includes('x'),
    [{ c: ['x'] }, 'abn'],
    [{ c: ['y'] }, ''],
    [{ c: 'x' }, ''],
  ],
  [
    'not a list and a constant',
    (_, caller) => not(caller.claim('c').includes('x')),
    [{ c: ['y'] }, 'abn'],
    [{ c: [] }, 'abn'],
    [{}, ''],
  ],
  ['the claim first', (row, caller) => caller.claim('c').gt(row.count), [{ c: 2 }, 'a']],
  ['subject', (row, caller) => row.text.is(caller.subject), [{ sub: 'a' }, 'a'], [{}, '']],
  ['not subject', (row, caller) => row.text.isNot(caller.subject), [{ sub: 'a' }, 'b'], [{}, '']],
  [
    'subject in a list',
    (_, caller) => caller.claim('c').includes(caller.subject),
    [{ sub: 'a', c: ['a'] }, 'abn'],
    [{ c: ['a'] }, ''],
  ],
  ['consumer', (_, caller) => caller.consumer.isNot('nobody'), [{}, 'abn']],
]

const nameOf = (index: number) => `c${index}-things`
const ruled = cases.map(([, rule], index) =>
  resource(nameOf(index), { fields, relations, rules: { read: ({ row, caller }) => rule(row, caller) } }),
)
const declaration = api('operators', { resources: [bosses, owners, plain, ...ruled] })

describeServing(
  'rules',
  (served) => {
    let rows: readonly object[]
    beforeAll(async () => {
      const boss = await served.make('/v1/bosses', { name: 'bb' })
      const owner = await served.make('/v1/owners', { name: 'oa', boss_id: boss.id })
      rows = [
        {
          name: 'a',
          text: 'a',
          other: 'a',
          count: 1,
          weight: 1.5,
          price: '1.50',
          flag: true,
          day: '2026-01-01',
          at: '2026-01-01T00:00:00Z',
          kind: 'x',
          tags: ['t'],
          owner_id: owner.id,
        },
        {
          name: 'b',
          text: 'b',
          other: 'a',
          count: 2,
          weight: 2.5,
          price: '2.50',
          flag: false,
          day: '2026-02-01',
          at: '2026-02-01T00:00:00Z',
          kind: 'y',
        },
        { name: 'n' },
      ]
    })
    const seenBy = async (path: string, claims: object): Promise<string> => {
      const { sub = null, ...rest } = claims as { sub?: string }
      const name = `${served.kind} ${Math.random()}`
      const as = await served.api.key('acme', { name, subject: sub, claims: { ...rest } })
      const answer = await served.get(path, { as })
      expect(answer.status, answer.text).toBe(200)
      return answer.rows.map((row: Row) => row.name).join('')
    }

    describe.each(cases.map((one, index) => [one[0], index] as const))('%s', (_, index) => {
      test.each((cases[index] ?? []).slice(2) as [object, string][])('%#', async (claims, expected) => {
        const { resources } = served.api.service.model
        const table = resources.get(nameOf(index))?.table
        const { store } = served
        // Rules also judge creates, so rows are copied from a resource that has none.
        if (!(await store.first(`SELECT 1 FROM "${table}"`, []))) {
          for (const row of rows) await served.make('/v1/things', row)
          const all = [...(resources.get('things')?.fields ?? [])].map(({ column }) => `"${column}"`)
          const copied = ['"account_id"', '"version"', ...all].join(', ')
          await store.writeOne(`INSERT INTO "${table}" (${copied}) SELECT ${copied} FROM "things"`, [])
          await store.writeOne('DELETE FROM "things"', [])
        }
        expect(await seenBy(`/v1/${nameOf(index)}`, claims)).toBe(expected)
      })
    })
  },
  { declaration },
)
