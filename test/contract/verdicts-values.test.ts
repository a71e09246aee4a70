import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { open } from '../../src/declare/field.ts'
import type { DecimalOptions } from '../../src/kinds/decimal-field.ts'
import { decimal } from '../../src/kinds/decimal-field.ts'
import {
  both,
  colour,
  contract,
  fields,
  judged,
  type Row,
  sent,
  shown,
  testRows,
  withField,
} from './verdict-rows.ts'

const object = (shape: { [name: string]: z.ZodType }) => z.object(shape)

const wider = 'integer became number (widened)'
const narrower = 'number became integer (narrowed)'

const bounds: Row[] = [
  ['no text is too short', sent(z.string()), sent(z.string().min(0)), 'A', ''],
  ['a text may be empty', sent(z.string().min(1)), sent(z.string().min(0)), 'A', 'minLength 1 became none'],
  [
    'the bound itself is allowed',
    sent(z.number().gt(0)),
    sent(z.number().min(0)),
    'A',
    'exclusiveMinimum 0 became minimum 0',
  ],
  [
    'the bound itself is refused',
    sent(z.number().max(5)),
    sent(z.number().lt(5)),
    'B',
    'maximum 5 became exclusiveMaximum 5',
  ],
  [
    'a wider bound, said otherwise',
    sent(z.number().gt(3)),
    sent(z.number().min(2)),
    'A',
    'exclusiveMinimum 3 became minimum 2',
  ],
]

testRows('bounds', bounds)

const price = (more: Partial<DecimalOptions> = {}) => decimal({ scale: 2, ...more })

testRows('decimals', [
  ...both(
    'a decimal that is sent may have more decimals',
    'a decimal that is sent may have fewer decimals',
    sent(price()),
    sent(price({ scale: 4 })),
    'scale 2 became 4',
    'scale 4 became 2',
  ),
  [
    'a decimal is shown with more decimals',
    shown(price().optional()),
    shown(price({ scale: 4 }).optional()),
    'B',
    'scale 2 became 4',
  ],
  [
    'a decimal is shown with fewer decimals',
    shown(price().optional()),
    shown(price({ scale: 0 }).optional()),
    'B',
    'scale 2 became 0',
  ],
  ...both(
    'a decimal that is sent may have more digits',
    'a decimal that is sent may have fewer digits',
    sent(price({ precision: 5 })),
    sent(price({ precision: 6 })),
    'digits before the point 3 became 4',
    'digits before the point 4 became 3',
  ),
  ...both(
    'a decimal that is sent may be less',
    'a decimal that is sent may not be as little',
    sent(price({ min: '0' })),
    sent(price({ min: '-0.01' })),
    'minimum 0.00 became -0.01',
    'minimum -0.01 became 0.00',
  ),
  ...both(
    'a decimal that is sent has no greatest value any more',
    'a decimal that is sent has a greatest value',
    sent(price({ max: '10' })),
    sent(price()),
    'maximum 10.00 became none',
    'maximum none became 10.00',
  ),
  ['a text became a decimal', sent(z.string()), sent(price()), 'B', 'format none became decimal'],
])

test('a bound that is written with other decimals is no difference', () => {
  const [older, newer] = [sent(price({ min: '1' })), sent(price({ scale: 3, min: '1' }))]
  expect(judged(older, newer).text).not.toContain('minimum')
})

/** The same integers, whichever way their bounds and steps are written. */
describe('bounds of integers that are said otherwise are no difference', () => {
  test.each<[string, z.ZodType, z.ZodType]>([
    ['above 0, from 1', z.int().gt(0), z.int().min(1)],
    ['below 10, up to 9', z.int().lt(10), z.int().max(9)],
    ['a bound between two integers', z.int().min(0.5), z.int().gt(0)],
    ['multiples of 1', z.int(), z.int().multipleOf(1)],
    ['multiples of a half', z.int(), z.int().multipleOf(0.5)],
    ['multiples of 1.5', z.int().multipleOf(1.5), z.int().multipleOf(3)],
    ['the first multiple', z.int().multipleOf(5).gt(0), z.int().multipleOf(5).min(5)],
    ['the last multiple', z.int().multipleOf(5).lt(0), z.int().multipleOf(5).max(-5)],
    ['within an object', object({ a: z.int().gt(0) }), object({ a: z.int().min(1) })],
  ])('%s', (_, from, to) => {
    for (const wrap of [sent, (schema: z.ZodType) => shown(schema.optional())]) {
      expect(judged(wrap(from), wrap(to)).text).toBe('')
      expect(judged(wrap(to), wrap(from)).text).toBe('')
    }
  })

  test('other integers are one', () => {
    const { text, verdict, count } = judged(sent(z.int().gt(0)), sent(z.int().multipleOf(5).min(2)))
    expect(text).toContain('minimum 1 became 2')
    expect(text).toContain('multipleOf 1 became 5')
    expect([verdict, count]).toEqual(['B', 2])
  })
})

/** Whole numbers and any: what else changed counts too, and the bounds that every integer has do not. */
const numbers: Row[] = [
  ['maximum lowered', sent(z.int().max(100)), sent(z.number().max(10)), 'B', 'maximum 100 became 10'],
  ['maximum kept', sent(z.int().max(100)), sent(z.number().max(100)), 'A', wider],
  ['maximum kept, said otherwise', sent(z.int().max(99)), sent(z.number().lt(100)), 'A', wider],
  ['maximum lowered by less than one', sent(z.int().max(100)), sent(z.number().lt(100)), 'B', 'became 99'],
  ['maximum newly set', sent(z.int()), sent(z.number().max(10)), 'B', 'became 10'],
  ['maximum beyond integers', sent(z.int()), sent(z.number().max(1e20)), 'A', wider],
  ['minimum raised', sent(z.int().min(0)), sent(z.number().min(0.5)), 'B', 'minimum 0 became 1'],
  ['finer steps', sent(z.int()), sent(z.number().multipleOf(0.5)), 'A', wider],
  ['coarser steps', sent(z.int()), sent(z.number().multipleOf(5)), 'B', 'multipleOf 1 became 5'],
  ...(
    [
      ['shown maximum raised', z.number().max(10), z.int().max(1000), 'B', 'maximum 10 became 1000'],
      ['shown maximum lifted', z.number().max(10), z.int(), 'B', 'maximum 10 became 9007199254740991'],
      ['shown maximum kept', z.number().max(10.5), z.int().max(10), 'A', narrower],
      ['shown maximum kept, said otherwise', z.number().lt(10), z.int().lt(10), 'A', narrower],
      ['shown maximum from beyond integers', z.number().max(1e20), z.int(), 'A', narrower],
      ['shown coarser steps', z.number().multipleOf(0.5), z.int(), 'A', narrower],
      ['shown finer steps', z.number().multipleOf(5), z.int(), 'B', 'multipleOf 5 became 1'],
    ] as const
  ).map(([what, from, to, verdict, says]): Row => {
    return [what, shown(from.optional()), shown(to.optional()), verdict, says]
  }),
]

const text = object({ a: z.string() })
const orNull = object({ a: z.string().nullable() })

const types: Row[] = [
  [
    'the same, though a value within may be null',
    withField(orNull),
    contract({ fields: { ...fields, extra: orNull }, description: 'Other words.' }),
    'A',
    'description changed',
  ],
  ['may be null within a request', sent(text), sent(orNull), 'A', 'a: the form {"type":"null"} was added'],
  [
    'may be null within a response',
    shown(text.optional()),
    shown(orNull.optional()),
    'B',
    '"null"} was added',
  ],
  [
    'may not be null within a request',
    sent(orNull),
    sent(text),
    'B',
    'a: the form {"type":"null"} was removed',
  ],
  [
    'type replaced',
    withField(z.string().optional()),
    withField(z.int().optional()),
    'B',
    'type string became integer',
  ],
  [
    'type widened in a request',
    sent(z.int().optional()),
    sent(z.number().optional()),
    'A',
    'integer became number (widened)',
  ],
  [
    'type widened in a response',
    shown(z.int().optional()),
    shown(z.number().optional()),
    'B',
    'integer became number (widened)',
  ],
  [
    'type narrowed in a request',
    sent(z.number().optional()),
    sent(z.int().optional()),
    'B',
    'number became integer (narrowed)',
  ],
  [
    'type narrowed in a response',
    shown(z.number().optional()),
    shown(z.int().optional()),
    'A',
    'number became integer (narrowed)',
  ],
  [
    'form added to a request',
    sent(z.union([z.array(z.int()), object({ a: z.int() })]).optional()),
    sent(z.union([z.array(z.int()), object({ a: z.int() }), object({ b: z.int() })]).optional()),
    'A',
    'was added (type widened)',
  ],
  [
    'form removed from a request',
    sent(z.union([z.array(z.int()), object({ a: z.int() })]).optional()),
    sent(z.array(z.int()).optional()),
    'B',
    'was removed (type narrowed)',
  ],
  [
    'inner field added',
    withField(object({ a: z.int() }).optional()),
    withField(object({ a: z.int(), b: z.int().optional() }).optional()),
    'A',
    'b: was added',
  ],
  [
    'inner field added and required',
    withField(object({ a: z.int() }).optional()),
    withField(object({ a: z.int(), b: z.int() }).optional()),
    'B',
    'b: was added and is required',
  ],
  [
    'inner field removed',
    withField(object({ a: z.int(), b: z.int() }).optional()),
    withField(object({ a: z.int() }).optional()),
    'B',
    'b: was removed',
  ],
]

const values: Row[] = [
  [
    'enum value added to a request',
    sent(colour('red')),
    sent(colour('red', 'blue')),
    'A',
    'value "blue" was added',
  ],
  [
    'enum value added to a response',
    shown(colour('red').default('red')),
    shown(colour('red', 'blue').default('red')),
    'B',
    'value "blue" was added',
  ],
  [
    'enum value added to a field both ways',
    withField(colour('red')),
    withField(colour('red', 'blue')),
    'B',
    'value "blue" was added',
  ],
  [
    'enum value added to an open response',
    shown(open(colour('red')).default('red')),
    shown(open(colour('red', 'blue')).default('red')),
    'A',
    'value "blue" was added',
  ],
  [
    'enum value removed from a request',
    sent(colour('red', 'blue')),
    sent(colour('red')),
    'B',
    'value "blue" was removed',
  ],
  [
    'enum value removed from a response',
    shown(colour('red', 'blue').default('red')),
    shown(colour('red').default('red')),
    'A',
    'value "blue" was removed',
  ],
  [
    'request constraint relaxed',
    sent(z.string().max(5)),
    sent(z.string().max(6)),
    'A',
    'maxLength 5 became 6',
  ],
  [
    'request constraint tightened',
    sent(z.string().max(6)),
    sent(z.string().max(5)),
    'B',
    'maxLength 6 became 5',
  ],
  [
    'request constraint newly set',
    sent(z.string()),
    sent(z.string().regex(/^a/)),
    'B',
    'pattern ^a was newly set',
  ],
  ['request minimum raised', sent(z.int().min(1)), sent(z.int().min(2)), 'B', 'minimum 1 became 2'],
  ['unique newly set', contract(), contract({ unique: ['name'] }), 'B', 'name must now be unique'],
  [
    'unique newly set on a new field',
    contract(),
    contract({ fields: { ...fields, code: z.string().optional() }, unique: ['code'] }),
    'A',
    'code must now be unique',
  ],
  ['unique lifted', contract({ unique: ['name'] }), contract(), 'A', 'name need no longer be unique'],
  [
    'response length grown',
    shown(z.string().max(5).default('')),
    shown(z.string().max(6).default('')),
    'B',
    'maxLength 5 became 6',
  ],
  [
    'response range grown',
    shown(z.int().max(5).default(1)),
    shown(z.int().max(6).default(1)),
    'B',
    'maximum 5 became 6',
  ],
  [
    'value format changed',
    withField(z.iso.date()),
    withField(z.iso.datetime()),
    'B',
    'format date became date-time',
  ],
  [
    'default changed',
    withField(z.int().default(1)),
    withField(z.int().default(2)),
    'B',
    'default 1 became 2',
  ],
  [
    'default newly serialised',
    withField(z.int().optional()),
    withField(z.int().default(2)),
    'B',
    'default 2 is newly serialised',
  ],
]

testRows('integers and numbers', numbers)
testRows('types', types)
testRows('values', values)
