import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Contract } from '../../src/compile/contract-format.ts'
import { states, sum } from '../../src/declare/field.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { contractFor } from '../support/pair.ts'
import { both, contract, edited, fields, type Row, shown, testRows, withField } from './verdict-rows.ts'

const stageOf = (moves: { [from: string]: string[] }) => withField(states('new', moves) as never)

const contractOfSum = (of: string): Contract =>
  contractFor([
    resource('things', { fields: { total: sum('makers', [of]) }, relations: { makers: hasMany('makers') } }),
    resource('makers', {
      fields: { price: z.int().default(0), weight: z.int().default(0) },
      relations: { thing: belongsTo('things') },
    }),
  ])

const hooked = (problems: object) => contract({ problems, hooks: { beforeCreate: () => undefined } })
const full = (status: number) => hooked({ full: { status, title: 'It is full' } })

const rules: Row[] = [
  ...both(
    'problem of a hook declared',
    'problem of a hook no longer declared',
    hooked({}),
    full(409),
    'POST /things  problem full was added',
    'problem full was removed or became another type',
  ),
  [
    'status of a declared problem changed',
    full(409),
    full(422),
    'B',
    'POST /things  problem full: status 409 became 422',
  ],
  [
    'title of a declared problem changed',
    full(409),
    hooked({ full: { status: 409, title: 'Full' } }),
    'A',
    '',
  ],
  [
    'success status changed',
    edited(['paths', '/things', 'POST', 'success'], 200),
    contract(),
    'B',
    'success status 200 became 201',
  ],
  [
    'problem status changed',
    edited(['service', 'problems'], { 400: ['uri-too-long'] }),
    edited(['service', 'problems'], { 414: ['uri-too-long'] }),
    'B',
    'uri-too-long: status 400 became 414',
  ],
  [
    'problem type changed',
    edited(['service', 'problems'], { 414: ['too-long'] }),
    edited(['service', 'problems'], { 414: ['uri-too-long'] }),
    'B',
    'too-long was removed or became another type',
  ],
  [
    'authentication altered',
    contract(),
    edited(['service', 'authentication'], ['bearer token']),
    'B',
    'bearer key became bearer token',
  ],
  [
    'scope newly needed',
    contract({ scopes: { read: 'authenticated' } }),
    contract(),
    'B',
    'needs things:read in place of authenticated',
  ],
  [
    'scope lifted',
    contract(),
    contract({ scopes: { read: 'authenticated' } }),
    'B',
    'needs authenticated in place of things:read',
  ],
  [
    'Idempotency-Key became required',
    contract(),
    contract({ idempotencyKey: 'required' }),
    'B',
    'optional became required',
  ],
  [
    'Idempotency-Key became accepted',
    contract({ idempotencyKey: 'off' }),
    contract(),
    'A',
    'off became optional',
  ],
  [
    'Idempotency-Key no longer accepted',
    contract(),
    contract({ idempotencyKey: 'off' }),
    'B',
    'optional became off',
  ],
  [
    'If-Match became required',
    contract(),
    contract({ requireIfMatch: true }),
    'B',
    'If-Match became required',
  ],
  ...both(
    'idempotency retention raised',
    'idempotency retention lowered',
    contract(),
    contract({}, { limits: { idempotencyHours: 48 } }),
    '24 was raised to 48',
    '48 was lowered to 24',
  ),
  ...both(
    'include count raised',
    'include count lowered',
    contract({ limits: { includeRelations: 5 } }),
    contract(),
    '5 was raised to 10',
    '10 was lowered to 5',
  ),
  ...both(
    'include depth raised',
    'include depth lowered',
    contract(),
    contract({ limits: { includeDepth: 3 } }),
    '2 was raised to 3',
    '3 was lowered to 2',
  ),
  ...both(
    'page size raised',
    'page size lowered',
    contract({ limits: { pageMax: 50 } }),
    contract(),
    '50 was raised to 100',
    '100 was lowered to 50',
  ),
  ...both(
    'rate raised',
    'rate lowered',
    contract({}, { rate: { perSecond: 50, burst: 200 } }),
    contract(),
    '50 was raised to 100',
    '100 was lowered to 50',
  ),
  ...both(
    'rate lifted',
    'rate newly set',
    contract({ rate: { perSecond: 5 } }),
    contract(),
    'things.rate',
    'things.rate',
  ),
  ...both(
    'body limit raised',
    'body limit lowered',
    contract({ limits: { bodyBytes: 9000 } }),
    contract(),
    '9000 was raised',
    'lowered to 9000',
  ),
  ...both(
    'limit on answers raised',
    'limit on answers lowered',
    contract({ limits: { responseBytes: 9000 } }),
    contract(),
    '9000 was raised',
    'lowered to 9000',
  ),
  [
    'default sort order changed',
    edited(['resources', 'things', 'default_sort'], ['created_at']),
    contract(),
    'B',
    'default sort created_at became id',
  ],
  [
    'list envelope changed',
    edited(['service', 'envelopes', 'list'], ['items']),
    contract(),
    'B',
    'keys items became data, page',
  ],
  [
    'pagination changed',
    edited(['service', 'envelopes', 'page'], ['limit', 'total']),
    contract(),
    'B',
    'envelope page',
  ],
  [
    'mutable field became read-only',
    withField(z.int().default(1)),
    shown(z.int().default(1)),
    'B',
    'became read-only',
  ],
  ...both(
    'state transition added',
    'state transition removed',
    stageOf({ new: ['old', 'gone'], old: [] }),
    stageOf({ new: ['old', 'gone'], old: ['gone'] }),
    'move old → gone was added',
    'move old → gone was removed',
  ),
  [
    'a sum of something else',
    contractOfSum('price'),
    contractOfSum('weight'),
    'B',
    'things.total  adds up makers.weight in place of makers.price',
  ],
  [
    'rows of one account shown to all',
    contract(),
    contract({ shared: true, relations: {} }),
    'B',
    'things  rows are now seen by all accounts',
  ],
  [
    'a to-many relation led by another field',
    edited(['resources', 'things', 'relations', 'makers', 'by'], 'owner_id'),
    contract(),
    'B',
    'things.makers  leads by thing_id, no longer by owner_id',
  ],
  [
    'a set of fields newly unique, one of them with a default',
    contract(),
    contract({ fields: { ...fields, colour: z.string().default('red') }, unique: [['colour', 'name']] }),
    'B',
    'colour, name must now be unique',
  ],
  [
    'a set of fields newly unique, one of them new and left empty',
    contract(),
    contract({ fields: { ...fields, colour: z.string().optional() }, unique: [['colour', 'name']] }),
    'A',
    'colour, name must now be unique',
  ],
  [
    'a unique field became one of a unique set',
    contract({ unique: ['name'] }),
    contract({ unique: [['name', 'note']] }),
    'A',
    'name, note must now be unique',
  ],
]

const lifecycle = (over: object): Contract => edited(['lifecycle'], { ...contract().lifecycle, ...over })

const dates: Row[] = [
  [
    'unversioned pin moved away',
    lifecycle({ unversioned: true }),
    contract(),
    'B',
    'served by another version',
  ],
  [
    'deprecation announced',
    contract(),
    lifecycle({ deprecated: '2026-06-01' }),
    'A',
    'deprecated  was set to 2026-06-01',
  ],
  [
    'deprecation dated back',
    lifecycle({ deprecated: '2026-06-01' }),
    lifecycle({ deprecated: '2026-01-01' }),
    'B',
    'deprecated  moved from 2026-06-01 to 2026-01-01',
  ],
  [
    'deprecation put off',
    lifecycle({ deprecated: '2026-06-01' }),
    lifecycle({ deprecated: '2026-07-01' }),
    'A',
    'deprecated  moved from 2026-06-01 to 2026-07-01',
  ],
  ['sunset set', contract(), lifecycle({ sunset: '2026-12-31' }), 'A', 'sunset  was set to 2026-12-31'],
  [
    'sunset moved later',
    lifecycle({ sunset: '2026-12-31' }),
    lifecycle({ sunset: '2027-12-31' }),
    'A',
    'moved from 2026-12-31 to 2027-12-31',
  ],
  [
    'sunset moved earlier',
    lifecycle({ sunset: '2026-12-31' }),
    lifecycle({ sunset: '2026-12-30' }),
    'B',
    'moved from 2026-12-31 to 2026-12-30',
  ],
  ['sunset withdrawn', lifecycle({ sunset: '2026-12-31' }), contract(), 'B', '(2026-12-31) was withdrawn'],
  [
    'description changed',
    contract({ description: 'One thing.' }),
    contract({ description: 'A thing.' }),
    'A',
    'description changed',
  ],
]

testRows('rules', rules)
testRows('dates and descriptions', dates)

test('the burst of a resource that says none is at most that of the API, which every call must pass too', () => {
  const { resources } = contract({ rate: { perSecond: 80 } }, { rate: { perSecond: 100, burst: 100 } })
  expect(resources.things?.rate).toEqual({ per_second: 80, burst: 100 })
})
