import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { allOf, anyOf, type Condition, not } from '../../src/declare/condition.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { now } from '../../src/declare/rule.ts'
import { library, linesOf } from './declarations.ts'

// A rule must say what it reads like: JavaScript's own operators see conditions as objects, and drop them.

/** Rules are written as JavaScript would let them pass, without types. */
// biome-ignore lint/suspicious/noExplicitAny: what TypeScript would refuse is what is tested
type Write = (of: any) => unknown

const declared = (rules: { readonly [kind: string]: unknown }) =>
  library({
    api: { scopes: { staff: 'Work here.' } },
    books: {
      fields: { title: z.string().max(200), price: z.int(), clinic: z.string(), gone: z.boolean() },
      relations: { author: belongsTo('authors'), leaves: hasMany('book-pages') },
      rules,
    },
  })
const linesFor = (read: Write) => linesOf(declared({ read }))

const inJavaScript: readonly (readonly [string, Write, sign: string, instead: string])[] = [
  [
    'and',
    ({ row, caller }) => caller.has('staff') && row.clinic.is(caller.claim('clinic')),
    '&&',
    'Write allOf(…, …).',
  ],
  ['or', ({ row, caller }) => caller.has('staff') || row.title.is('a'), '||', 'Write anyOf(…, …).'],
  ['or else', ({ row, caller }) => caller.has('staff') ?? row.title.is('a'), '??', 'Write anyOf(…, …).'],
  ['not', ({ row }) => !row.title.is('a'), '!', 'Write not(…).'],
  ['not of a term', ({ row }) => allOf(row.title.is('a'), !row.gone as never), '!', 'Write not(…).'],
  [
    'either',
    ({ row, caller }) => (caller.has('staff') ? row.title.is('a') : row.title.is('b')),
    '?:',
    'anyOf(',
  ],
  ['equality', ({ row }) => row.title === 'a', '===', 'is(…)'],
  // biome-ignore lint/suspicious/noDoubleEquals: this is what is tested
  ['loose equality', ({ row }) => row.title == 'a', '==', 'is(…)'],
  [
    'inequality of conditions',
    ({ row, caller }) => row.title.is('a') !== caller.has('staff'),
    '!==',
    'isNot(…)',
  ],
  ['an order', ({ row }) => row.price < 5, '<', 'lt(…)'],
  ['membership', ({ row }) => 'title' in row, 'in', 'in([…])'],
  [
    'a branch',
    ({ row, caller }) => {
      if (caller.has('staff')) return row.title.is('a')
      return row.title.is('b')
    },
    'if',
    'anyOf(allOf(when, then), allOf(not(when), otherwise))',
  ],
  [
    'several branches',
    ({ row }) => {
      switch (row.title) {
        case 'a':
          return row.price.is(1)
        default:
          return row.price.is(2)
      }
    },
    'switch',
    'anyOf(',
  ],
  [
    'an assignment that joins',
    ({ row, caller }) => {
      let condition = caller.has('staff')
      condition &&= row.title.is('a')
      return condition
    },
    '&&=',
    'Write allOf(…, …).',
  ],
  [
    'a loop with a condition',
    ({ row }) => {
      while (row.gone) return row.title.is('a')
      return row.title.is('b')
    },
    'while',
    'map',
  ],
  [
    'an operator in a function within',
    ({ row, caller }) => {
      const seen = (title: string) => row.title.is(title) || row.clinic.is(title)
      return allOf(caller.has('staff'), seen('a'))
    },
    '||',
    'anyOf',
  ],
  [
    'an operator in a function with a name',
    function read({ row, caller }) {
      return caller.has('staff') && row.title.is('a')
    },
    '&&',
    'allOf',
  ],
]

describe('an operator of JavaScript in a rule is a mistake', () => {
  test.each(inJavaScript)('%s', (_, read, sign, instead) => {
    const lines = linesFor(read)
    expect(lines).toEqual([expect.stringMatching(/^books\.rules\.read: `/)])
    expect(lines[0]).toContain(`has JavaScript's ${sign},`)
    expect(lines[0]).toContain(instead)
  })

  test('in a method too', () => {
    const rules = {
      read({ row, caller }: Parameters<Write>[0]) {
        return row.price.is(1) && row.title.is(caller.subject)
      },
      async *update({ row, caller }: Parameters<Write>[0]) {
        yield row.price.is(1) || row.title.is(caller.subject)
      },
    }
    expect(linesOf(declared(rules))).toEqual([
      "books.rules.read: `row.price.is(1) && row.title.is(caller.subject)` has JavaScript's &&, for which a condition is an object, always true and equal to no other. Write allOf(…, …). What depends on neither row nor caller is decided outside of the rule.",
      expect.stringContaining('books.rules.update: `row.price.is(1) || row.title.is(caller.subject)` has'),
    ])
  })

  test('each place is told, and a long one is cut', () => {
    const lines = linesFor(({ row, caller }) =>
      anyOf(
        !row.price.is(1) as never,
        row.price === 1
          ? row.title.is('a very long text of a constant')
          : row.title.is('another very long one'),
        caller.has('staff'),
      ),
    )
    expect(lines).toHaveLength(2)
    expect(lines[0]).toContain('`!row.price.is(1)`')
    expect(lines[1]).toMatch(/`row\.price === 1 \? .{60,70}…`/)
  })

  test('a function without a source is refused: nobody can tell what it says', () => {
    const read: Write = ({ row }) => row.title.is('a')
    expect(linesFor(read.bind(null))).toEqual([
      'books.rules.read: its source cannot be read, so that nobody can tell what it says. Bound and built-in functions have none. Write a function of its own: ({ row, caller }) => ….',
    ])
    expect(linesFor(new Proxy(read, {}))).toHaveLength(1)
  })
})

/** Helpers are not in the source of a rule. */
const eitherTitle = (row: { title: { is(title: string): Condition } }): Condition =>
  row.title.is('a') && row.title.is('b')
const open: Write = (row) => (row.gone ? row.title.is('a') : row.title.is('b'))

const lost: readonly (readonly [string, Write, part: string])[] = [
  [
    'a statement',
    ({ row, caller }) => {
      caller.has('staff')
      return row.title.is('a')
    },
    'caller.has("staff")',
  ],
  // biome-ignore lint/complexity/noCommaOperator: this is what is tested
  ['a comma', ({ row }) => (row.title.is('a'), row.title.is('b')), 'row.title.is("a")'],
  [
    'a list of which one is taken',
    ({ row, caller }) => [caller.has('staff'), row.title.in(['a', caller.claim('b.c')])].find(Boolean),
    'row.title.in(["a", caller.claim("b.c")])',
  ],
  [
    'a condition of conditions that are used',
    ({ row, caller }) => {
      const [staff, own] = [caller.has('staff'), row.clinic.isNot(caller.claim('clinic'))]
      allOf(staff, not(own))
      return anyOf(staff, own)
    },
    'allOf(caller.has("staff"), not(row.clinic.isNot(caller.claim("clinic"))))',
  ],
  ['an operator in a helper', ({ row }) => eitherTitle(row), 'row.title.is("a")'],
  ['a term as a truth in a helper', ({ row }) => open(row), 'row.gone'],
  [
    'a term as a truth',
    ({ row, caller }) => allOf(caller.has('staff'), ...[row.title.is('a')].filter(() => Boolean(row.gone))),
    'row.gone',
  ],
  ['a path', ({ row }) => Boolean(row.author.name), 'row.author.name'],
  ['true of what was read', ({ caller }) => Boolean(caller.consumer), 'caller.consumer'],
  [
    'what a callback asks',
    ({ row, caller }) => {
      for (const list of ['x', 'y']) caller.claim(list).includes(row.title)
      return caller.has('staff')
    },
    'caller.claim("x").includes(row.title)',
  ],
  [
    'nullness and time',
    ({ row }) => {
      allOf(row.gone.isNull(), row.gone.isNotNull(), now().lt('2026-01-01T00:00:00.000Z'))
      return true
    },
    'allOf(row.gone.isNull(), row.gone.isNotNull(), now().lt("2026-01-01T00:00:00.000Z"))',
  ],
]

describe('what a rule makes and does not return is a mistake', () => {
  test.each(lost)('%s', (_, read, part) => {
    expect(linesFor(read)[0]).toBe(
      `books.rules.read: ${part} is made, and is not part of what the rule returns. Join conditions by allOf(…) and anyOf(…), turn one around by not(…), and return the whole.`,
    )
  })

  test('one rule does not answer for what another made', () => {
    const kept: Condition[] = []
    const rules = {
      read: (({ row }) => {
        kept.push(row.title.is('a'))
        return row.price.is(1)
      }) satisfies Write,
      update: (() => kept[0]) satisfies Write,
      delete: (({ row }) => row.title.is('b')) satisfies Write,
    }
    expect(linesOf(declared(rules))).toEqual([
      expect.stringContaining('books.rules.read: row.title.is("a") is made, and is not part'),
      'books.rules.update: row.title is a field of the row of another rule. Make the condition within this rule: a function of row and caller can be shared.',
    ])
  })

  test('a rule that throws leaves nothing for the next', () => {
    const rules = {
      read: (({ row }) => row.title.is('a').and.more) satisfies Write,
      update: (({ row }) => row.title.is('b')) satisfies Write,
    }
    expect(linesOf(declared(rules))).toEqual([
      expect.stringContaining('books.rules.read: it threw TypeError'),
    ])
  })
})

/** Functions that a rule calls go on in another way after what is there, and never make the rest. */
const helpers: readonly (readonly [string, Write, decides: string])[] = [
  ['a row as a truth', ({ row }) => Boolean(row), 'row'],
  ['a caller as a truth', ({ caller }) => Boolean(caller), 'caller'],
  ['a caller as a truth in a helper', (of) => unlessAnonymous(of), 'caller'],
  ['or', ({ row, caller }) => ((a: Write) => a({ row, caller }))(staffOrTitle), 'caller.has("staff")'],
  ['or, turned around', (of) => not(staffOrTitle(of) as Condition), 'caller.has("staff")'],
  [
    'or within a condition',
    (of) => allOf(of.row.title.is('c'), staffOrTitle(of) as Condition),
    'caller.has("staff")',
  ],
  ['or else', (of) => elseTitle(of), 'row.title.is("a")'],
  ['or of a field', (of) => byTitleOrClinic(of), 'row.title'],
  ['or of a claim', (of) => ownOrAny(of), 'caller.claim("clinic")'],
  ['or of rows', (of) => byAuthorOrSelf(of), 'a row that it leads to'],
  [
    'or of a function',
    ({ row, caller }) => firstOf(caller.has('staff'), () => row.title.is('a')),
    'caller.has("staff")',
  ],
]
const staffOrTitle: Write = ({ row, caller }) => caller.has('staff') || row.title.is('a')
const elseTitle: Write = ({ row }) => row.title.is('a') ?? row.title.is('b')
const byTitleOrClinic: Write = ({ row }) => (row.title || row.clinic).is('a')
const ownOrAny: Write = ({ row, caller }) => row.clinic.is(caller.claim('clinic') ?? caller.claim('clinics'))
const byAuthorOrSelf: Write = ({ row }) => (row.author || row).name.is('a')
const unlessAnonymous: Write = ({ row, caller }) => (caller ? row.title.is('a') : true)
const firstOf = (one: unknown, other: unknown): unknown => one || other

describe('a function that a rule calls does not decide by what it makes', () => {
  test.each(helpers)('%s', (_, read, decides) => {
    expect(linesFor(read)).toEqual([
      `books.rules.read: the rule, or a function that it calls, goes on in another way without ${decides}: JavaScript takes it for true, and never makes what would follow. Write allOf(…, …), anyOf(…, …) and not(…), in place of ||, ?? and the like.`,
    ])
  })
})

describe('what a rule is given is not all left out', () => {
  test.each<[string, Write, string]>([
    ['is', ({ row }) => row.title.is('a', 'b'), 'is(…) takes one value: write in([…]) for several'],
    ['isNot', ({ row }) => row.title.isNot('a', 'b'), 'isNot(…) takes one value'],
    ['in', ({ row }) => row.title.in('a', 'b'), 'in(…) takes one value: write in([…, …])'],
    [
      'includes',
      ({ row, caller }) => caller.claim('a').includes(row.title, row.clinic),
      'includes(…) takes one value',
    ],
    ['has', ({ caller }) => caller.has('staff', 'boss'), 'has(…) takes one value'],
    [
      'not',
      ({ row }) => (not as Write as (...all: unknown[]) => unknown)(row.gone.is(true), row.title.is('a')),
      'not(…) takes one value',
    ],
  ])('%s of two', (_, read, said) => {
    expect(linesFor(read)[0]).toContain(`books.rules.read: it threw TypeError: ${said}`)
  })

  test.each<[string, Write, string]>([
    ['a new date', ({ row }) => row.title.lt(new Date().toISOString()), 'new Date()'],
    ['a date as text', ({ row }) => row.title.lt(Date()), 'Date()'],
    ['the clock', ({ row }) => row.price.lt(Date.now()), 'Date.now()'],
  ])('%s is that of compiling', (_, read, source) => {
    expect(linesFor(read)).toEqual([
      `books.rules.read: \`${source}\` is the time at which the API is compiled, not that of a request. Write now(). What depends on neither row nor caller is decided outside of the rule.`,
    ])
  })
})

const config: { readonly strict: boolean; readonly scopes?: readonly string[] } = {
  strict: true,
  scopes: ['staff'],
}
const strictTitle = config.strict ? 'a' : 'b'
const always = now().gt('2026-01-01T00:00:00.000Z')
const titled = (titles: readonly string[]) => (titles.length > 1 ? [...titles] : ['a'])
const ownedBy =
  (claim: string): Write =>
  ({ row, caller }) =>
    row.clinic.is(caller.claim(claim))

const givenTrue: Write = ({ row, caller }) => row !== caller

const sound: readonly (readonly [string, Write])[] = [
  ['a condition that is used twice', ({ row }) => ((one) => anyOf(one, not(one)))(row.title.is('a'))],
  ['a condition of the module', () => always],
  ['a value decided outside', ({ row }) => row.title.is(strictTitle)],
  ['a function that makes rules', ownedBy('clinic')],
  [
    'plain JavaScript without conditions',
    ({ row, caller }) => {
      const titles = ['a', 'b'].map((title) => `${title}${1 + 2}`)
      const parts: Condition[] = []
      for (const title of titled(titles)) parts.push(row.title.is(title))
      const { clinic, ...rest } = row
      void rest
      return anyOf(caller.has(config.scopes?.at(0)?.toLowerCase()), clinic.is('x'), ...(parts as [Condition]))
    },
  ],
  [
    'a member that may be missing',
    ({ row, caller }) => anyOf(caller.claim('boss')?.is('x'), row.title?.is('a')),
  ],
  ['a list of scopes', ({ caller }) => anyOf(...(['staff'].map(caller.has) as [Condition]))],
  ['a date that is given', ({ row }) => row.title.lt(new Date(0).toISOString())],
  ['true in shortened source', new Function('return () => !0')() as Write],
  ['true, whatever is given', (of) => givenTrue(of)],
  ['true', () => true],
  ['false', () => false],
]

test.each(sound)('%s is no mistake', (_, read) => {
  expect(linesFor(read)).toEqual([])
})

test('a rule that returns true or false holds for every row, or for none', () => {
  const { resources } = compileApi(declared({ read: () => true, delete: () => false }))
  const rules = resources.get('books')?.rules
  expect(rules?.read?.condition).toEqual({ kind: 'always' })
  expect(rules?.delete?.condition).toEqual({ kind: 'never' })
})
