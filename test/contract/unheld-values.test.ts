import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { codecs } from '../../src/compile/versions/codecs.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { refusalText } from '../../src/contract/gate-refusal.ts'
import { unheldBy } from '../../src/contract/unheld-values.ts'
import { api } from '../../src/declare/api.ts'
import { type CodecName, changeType } from '../../src/declare/change.ts'
import { immutable, readOnly } from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'

// The gate, where the type of a published field is replaced by one that cannot hold every value which the published type allows.

type Field = z.ZodType | ReturnType<typeof readOnly>
type Versions = NonNullable<Parameters<typeof api>[1]['versions']>

const declared = (field: Field, versions: Versions) =>
  api('clocks', { resources: [resource('things', { fields: { value: field } as never })], versions })

/** What the gate says of v1, published with `was`, once the field has the newer type; empty where it lets it pass. */
const gateSays = (codec: CodecName, was: Field, newer: Field): string => {
  const first = compileApi(declared(was, [version('v1', { published: '2026-01-01' })]))
  const contracts = new Map([['v1', contractOf(first, first.head)]])
  const change = changeType('things', 'value', { was: was as never, codec, why: 'For the test.' })
  const next = declared(newer, [version('v2'), version('v1', { published: '2026-01-01', changes: [change] })])
  const { refusals } = checkContracts(compileApi(next, { contracts }), contracts)
  return refusals.map(refusalText).join('\n')
}

interface Pair {
  readonly newer: z.ZodType
  /** Published types whose values the newer one holds, all of them. */
  readonly held: readonly Field[]
  /** Others, with a value that it does not hold, or what is said of all of them. */
  readonly unheld: readonly (readonly [Field, string])[]
  /** The bound to publish first. */
  readonly bound: string
}

const text = (pattern: RegExp) => z.string().regex(pattern)
const safe = Number.MAX_SAFE_INTEGER

const pairs: { readonly [C in CodecName]: readonly Pair[] } = {
  'datetime-as-unix-seconds': [
    {
      newer: z.iso.datetime(),
      held: [
        z.int().min(-62_135_596_800).max(253_402_300_799),
        z.int().min(0).max(4_000_000_000),
        z.int().gt(-62_135_596_801).lt(253_402_300_800),
        immutable(z.int().min(0).max(1)),
      ],
      unheld: [
        [z.int(), `values such as ${safe}`],
        [z.int().min(0), `values such as ${safe}`],
        [z.int().max(0), `values such as ${-safe}`],
        [z.int().min(0).max(253_402_300_800), 'values such as 253402300800'],
        [z.int().min(-62_135_596_801).max(0), 'values such as -62135596801'],
        [immutable(z.int()), `values such as ${safe}`],
      ],
      bound: '.min(-62135596800).max(253402300799)',
    },
  ],
  'boolean-as-integer': [
    {
      newer: z.boolean(),
      held: [z.int().min(0).max(1), z.int().min(1).max(1), z.int().gt(-1).lt(2)],
      unheld: [
        [z.int(), `values such as ${safe}`],
        [z.int().min(0).max(2), 'values such as 2'],
        [z.int().min(-1).max(1), 'values such as -1'],
      ],
      bound: '.min(0).max(1)',
    },
  ],
  'integer-as-string': [
    {
      newer: z.int(),
      held: [text(/^-?[0-9]{1,15}$/), text(/^\d{1,15}$/), text(/^\d\d$/)],
      unheld: [
        [z.string(), 'texts of any form'],
        [z.string().max(9), 'texts of any form'],
        [text(/^\d+$/), 'texts of any form'],
        [text(/\d{3}/), 'texts of any form'],
        [text(/^\d|\d$/), 'texts of any form'],
        [text(/^\d{0,3}$/), 'texts of any form'],
        [text(/^[a-z]{1,3}$/), 'texts of any form'],
        [text(/^\d{1,16}$/), 'values such as "9999999999999999"'],
        [text(/^\d(\.\d)?$/), 'values such as "9.9"'],
      ],
      bound: 'such as .regex(/^-?[0-9]{1,15}$/)',
    },
    {
      newer: z.int().min(1).max(30_000),
      held: [text(/^[1-9]\d{0,3}$/)],
      unheld: [
        [text(/^\d{1,4}$/), 'values such as "0"'],
        [text(/^\d{1,5}$/), 'values such as "99999"'],
        [text(/^[1-9]\d{0,4}$/), 'values such as "99999"'],
        [text(/^([1-9]\d{0,3}|30000)$/), 'texts of any form'],
      ],
      bound: 'such as .regex(/^-?[0-9]{1,15}$/), for numbers from 1 to 30000',
    },
    {
      newer: z.int().multipleOf(5),
      held: [],
      unheld: [[text(/^[0-9]{1,15}$/), 'values that are no multiples of 5']],
      bound: 'such as .regex(/^-?[0-9]{1,15}$/)',
    },
  ],
  'cents-as-decimal-string': [
    {
      newer: z.int(),
      held: [text(/^-?[0-9]{1,13}\.[0-9]{2}$/), text(/^\d{1,8}(\.\d{1,2})?$/), text(/^\d{1,9}\.\d\d$/)],
      unheld: [
        [z.string(), 'texts of any form'],
        [text(/^\d{1,3}\.\d{3}$/), 'values such as "999.999"'],
        [text(/^\d{15}$/), 'values such as "999999999999999"'],
        [text(/^\d{1,15}$/), 'values such as "999999999999999"'],
      ],
      bound: 'such as .regex(/^-?[0-9]{1,13}\\.[0-9]{2}$/)',
    },
    {
      newer: z.int().min(0).max(99_999),
      held: [text(/^\d{1,3}(\.\d{1,2})?$/)],
      unheld: [
        [text(/^-?\d{1,3}$/), 'values such as "-999"'],
        [text(/^\d{1,4}$/), 'values such as "9999"'],
      ],
      bound: 'for numbers from 0 to 99999',
    },
  ],
}

const each = (Object.keys(codecs) as CodecName[]).flatMap((codec) =>
  pairs[codec].map((pair, at) => [`${codec} ${at + 1}`, codec, pair] as const),
)

describe('every pair of types', () => {
  test.each(each)('%s', (_, codec, { newer, held, unheld, bound }) => {
    for (const was of held) expect(gateSays(codec, was, newer)).toBe('')
    for (const [was, values] of unheld) {
      const said = gateSays(codec, was, newer)
      expect(said).toContain(
        `things.value  allows ${values}, which the newer type (${codecs[codec].newer}) cannot hold`,
      )
      expect(said).toContain(`publish the bound first, `)
      expect(said).toContain(bound)
      expect(said).toContain('// things.value: keep its type, and give the newer type a field of its own')
    }
  })

  test('the bound that the message says is enough', () => {
    const said = (codec: CodecName, was: z.ZodType, newer: z.ZodType) =>
      /publish the bound first, (?:such as )?(\.\S+)/.exec(gateSays(codec, was, newer))?.[1] ?? ''
    const written = {
      'datetime-as-unix-seconds': said('datetime-as-unix-seconds', z.int(), z.iso.datetime()),
      'boolean-as-integer': said('boolean-as-integer', z.int(), z.boolean()),
      'integer-as-string': said('integer-as-string', z.string(), z.int()),
      'cents-as-decimal-string': said('cents-as-decimal-string', z.string(), z.int()),
    } satisfies { [C in CodecName]: string }
    for (const codec of Object.keys(written) as CodecName[]) {
      const older = codecs[codec].older === 'integer' ? 'z.int()' : 'z.string()'
      const was = new Function('z', `return ${older}${written[codec]}`)(z)
      expect(gateSays(codec, was, pairs[codec][0]?.newer as z.ZodType), written[codec]).toBe('')
    }
  })
})

test('what consumers cannot send may be of any type', () => {
  const newer = readOnly(z.iso.datetime().optional())
  expect(gateSays('datetime-as-unix-seconds', readOnly(z.int().optional()), newer)).toBe('')
})

test('a version that is not published has promised nothing', () => {
  const change = changeType('things', 'value', { was: z.string(), codec: 'integer-as-string' })
  const model = compileApi(declared(z.int(), [version('v2'), version('v1', { changes: [change] })]))
  expect(checkContracts(model, new Map()).refusals).toEqual([])
})

test('a pattern that is read is held only where every text of it is', () => {
  const count = fc.constantFrom('', '{2}', '{1,3}', '{15}', '{1,16}')
  const digit = fc.constantFrom('[0-9]', '\\d')
  const pattern = fc
    .tuple(
      fc.constantFrom('', '-?', '[1-9]', '-?[1-9]'),
      digit,
      count,
      fc.constantFrom('', 'always', 'may'),
      count,
    )
    .map(([minus, one, many, point, places]) => {
      const fraction = point === '' ? '' : `\\.${one}${places}`
      return `^${minus}${one}${many}${point === 'may' ? `(?:${fraction})?` : fraction}$`
    })
  const codec = fc.constantFrom('integer-as-string', 'cents-as-decimal-string')
  let held = 0
  fc.assert(
    fc.property(pattern, codec, fc.nat(), (source, name, seed) => {
      const values = unheldBy(name, { type: 'string', pattern: source }, { type: 'integer' })
      const texts = fc.sample(fc.stringMatching(new RegExp(source)), { numRuns: 20, seed })
      expect(values).not.toBe('texts of any form')
      if (values !== null) return
      held++
      for (const one of texts) expect(codecs[name].up(one), `${one} of ${source}`).toBeDefined()
    }),
    { numRuns: 200, endOnFailure: true },
  )
  expect(held).toBeGreaterThan(20)
}, 60_000)
