import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { mistakeList } from '../../src/compile/mistakes.ts'
import { readZod } from '../../src/compile/zod/read.ts'
import { immutable, needsScope, open, readOnly, writeOnly } from '../../src/declare/field.ts'

const safe = Number.MAX_SAFE_INTEGER

const read = (schema: unknown) => {
  const mistakes = mistakeList()
  const field = readZod(schema, mistakes.at('field'))
  return { field, refused: mistakes.all.map(({ what }) => what) }
}

describe('what can be a field', () => {
  test.each([
    ['string', z.string().min(1).max(9), 'string', { type: 'string', minLength: 1, maxLength: 9 }],
    ['email', z.email(), 'string', { type: 'string', format: 'email' }],
    [
      'email of a string',
      z.string().email().max(99),
      'string',
      { type: 'string', format: 'email', maxLength: 99 },
    ],
    [
      'email with a pattern besides',
      z.email().regex(/x/),
      'string',
      { type: 'string', format: 'email', pattern: 'x' },
    ],
    [
      'email with a pattern of its own',
      z.email({ pattern: /^.+@x$/ }),
      'string',
      { type: 'string', format: 'email', pattern: '^.+@x$' },
    ],
    ['url', z.url(), 'string', { type: 'string', format: 'uri' }],
    ['uuid', z.uuid(), 'string', { type: 'string', format: 'uuid' }],
    ['date', z.iso.date(), 'date', { type: 'string', format: 'date' }],
    ['datetime', z.iso.datetime({ offset: true }), 'datetime', { type: 'string', format: 'date-time' }],
    ['pattern', z.string().regex(/^a+$/), 'string', { type: 'string', pattern: '^a+$' }],
    ['slow for JavaScript', z.string().regex(/^(a+)+$/), 'string', { type: 'string', pattern: '^(a+)+$' }],
    ['suffix', z.string().endsWith('.a'), 'string', { type: 'string', pattern: '.*\\.a$' }],
    ['prefix', z.string().startsWith('a.'), 'string', { type: 'string', pattern: '^a\\..*' }],
    ['integer', z.int(), 'integer', { type: 'integer', minimum: -safe, maximum: safe }],
    [
      'integer past what is safe',
      z.int().max(1e20),
      'integer',
      { type: 'integer', minimum: -safe, maximum: safe },
    ],
    ['positive integer', z.int().positive(), 'integer', { type: 'integer', minimum: 1, maximum: safe }],
    ['number', z.number().gt(0).max(1), 'number', { type: 'number', exclusiveMinimum: 0, maximum: 1 }],
    ['boolean', z.boolean(), 'boolean', { type: 'boolean' }],
    ['enum', z.enum(['a', 'b']), 'enum', { type: 'string', enum: ['a', 'b'] }],
    ['literal', z.literal('a'), 'enum', { type: 'string', enum: ['a'] }],
    ['array', z.array(z.string()).max(3), 'json', { type: 'array', maxItems: 3, items: { type: 'string' } }],
    [
      'object',
      z.object({ a: z.boolean(), b: z.string().optional() }),
      'json',
      {
        type: 'object',
        properties: { a: { type: 'boolean' }, b: { type: 'string' } },
        required: ['a'],
        additionalProperties: false,
      },
    ],
    [
      'record',
      z.record(z.string(), z.boolean()),
      'json',
      { type: 'object', additionalProperties: { type: 'boolean' } },
    ],
    [
      'tuple',
      z.tuple([z.boolean(), z.string()]),
      'json',
      { type: 'array', prefixItems: [{ type: 'boolean' }, { type: 'string' }], minItems: 2, maxItems: 2 },
    ],
    [
      'union of objects',
      z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
      'json',
      {
        anyOf: ['a', 'b'].map((k) => ({
          type: 'object',
          properties: { k: { type: 'string', const: k } },
          required: ['k'],
          additionalProperties: false,
        })),
      },
    ],
    [
      'a schema with an id',
      z.object({ a: z.string().meta({ id: 'Named' }) }),
      'json',
      expect.objectContaining({ properties: { a: { type: 'string' } } }),
    ],
  ] as const)('%s', (_, schema, kind, json) => {
    const { field, refused } = read(schema)
    expect(refused).toEqual([])
    expect(field?.kind).toBe(kind)
    expect(field?.schema).toEqual(json)
  })
})

describe('what cannot be a field is refused by name', () => {
  test.each([
    ['z.bigint()', z.bigint()],
    ['z.date()', z.date()],
    ['z.map()', z.map(z.string(), z.string())],
    ['z.set()', z.set(z.string())],
    ['z.function()', z.function()],
    ['z.promise()', z.promise(z.string())],
    ['z.symbol()', z.symbol()],
    ['z.any()', z.any()],
    ['z.unknown()', z.unknown()],
    ['z.unknown()', z.looseObject({})],
    ['z.unknown()', z.record(z.string(), z.unknown())],
    ['z.never()', z.never()],
    ['z.null()', z.null()],
    ['z.undefined()', z.undefined()],
    ['z.nan()', z.nan()],
    ['z.file()', z.file()],
    ['z.custom()', z.custom<string>()],
    ['z.custom()', z.instanceof(Date)],
    ['z.lazy()', z.json()],
    ['z.intersection()', z.intersection(z.object({}), z.object({}))],
    ['z.templateLiteral()', z.templateLiteral(['a', z.string()])],
    ['a pipe', z.string().transform(Number)],
    ['a pipe', z.string().pipe(z.string())],
    ['a pipe', z.preprocess(String, z.string())],
    ['a pipe', z.stringbool()],
    ['a pipe', z.array(z.object({ a: z.stringbool() }))],
    ['.catch()', z.string().catch('x')],
    ['.prefault()', z.string().prefault('x')],
    ['z.coerce', z.coerce.number()],
    ['a check in code', z.string().refine(() => true)],
    ['a check in code', z.object({ a: z.string() }).superRefine(() => undefined)],
    ['a rewriting check other than', z.string().toUpperCase()],
    ['a rewriting check other than', z.string().normalize()],
    ['a rewriting check (.trim, .toLowerCase) within', z.array(z.string().trim())],
    ['a union of scalars', z.union([z.string(), z.int()])],
    ['a literal that is not a string', z.literal(3)],
    ['an enum with numbers', z.enum({ A: 1 })],
    ['an enum without values', z.enum([])],
    ['a default within', z.object({ a: z.string().default('x') })],
    ['the string format "ipv4"', z.ipv4()],
    ['the string format "guid"', z.guid()],
    ['the string format "time"', z.iso.time()],
    ['a datetime without an offset', z.iso.datetime({ local: true })],
    ['a datetime with a fixed precision', z.iso.datetime({ precision: 0 })],
    ['a url with conditions', z.httpUrl()],
    ['several patterns', z.string().regex(/a/).regex(/b/)],
    ['the flags of /a/i', z.string().regex(/a/i)],
    ['a record whose keys are not strings', z.record(z.number(), z.string())],
    ['the pattern /^(?=.*\\d).{8,}$/', z.string().regex(/^(?=.*\d).{8,}$/)],
    ['the pattern /^(.)\\1$/', z.email({ pattern: /^(.)\1$/ })],
    ['the pattern /a{1001}/', z.array(z.string().regex(/a{1001}/))],
    ['the pattern /(?!x)/', z.record(z.string().regex(/(?!x)/), z.int())],
    ['the pattern /(?<!x)/', z.union([z.object({ a: z.string().regex(/(?<!x)/) }), z.array(z.int())])],
  ])('%s', (name, schema) => {
    const { field, refused } = read(schema)
    expect(field).toBeNull()
    expect(refused.join('\n')).toContain(name)
  })
})

describe('layers around a schema', () => {
  test('optional and nullable may be unset; only optional may be left out', () => {
    expect(read(z.string().optional()).field).toMatchObject({ nullable: true, optional: true })
    expect(read(z.string().nullable()).field).toMatchObject({ nullable: true, optional: false })
    expect(read(z.string().nullish()).field).toMatchObject({ nullable: true, optional: true })
  })

  test('a field with a default is never unset', () => {
    expect(read(z.int().default(3).nullable().optional()).field).toMatchObject({
      nullable: false,
      default: 3,
    })
    expect(read(z.array(z.string()).default([])).field).toMatchObject({ nullable: false, default: [] })
  })

  test('marks are found at whichever layer they were made', () => {
    const marked = readOnly(writeOnly(immutable(open(z.enum(['a'])).default('a'))).readonly()).optional()
    expect(read(marked).field?.marks).toEqual({
      readOnly: true,
      writeOnly: true,
      immutable: true,
      open: true,
    })
    expect(read(immutable(z.string()).describe('x')).field).toMatchObject({
      marks: { immutable: true },
      description: 'x',
    })
  })

  test('every scope that some layer needs is needed', () => {
    const inner = needsScope('a', needsScope('b', z.string()))
    expect(read(needsScope('c', inner.optional())).field?.marks.needsScopes).toEqual(['c', 'b', 'a'])
  })

  test('a schema shared by two fields is marked only where it was marked', () => {
    const shared = z.string()
    expect(read(readOnly(shared)).field?.marks).toEqual({ readOnly: true })
    expect(read(shared).field?.marks).toEqual({})
  })

  test('the outermost description is the one that is shown', () => {
    expect(read(z.string().describe('inner').optional().describe('outer')).field?.description).toBe('outer')
    expect(read(z.string().describe('inner').optional()).field?.description).toBe('inner')
  })
})
