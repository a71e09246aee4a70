import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codecs } from '../../src/compile/versions/codecs.ts'
import type { CodecName } from '../../src/declare/change.ts'
import { sqlText } from '../../src/kinds/sql.ts'
import { converts } from '../../src/migrate/plan/changes-of-type.ts'
import { postgresConversions } from '../../src/migrate/postgres/change-of-type.ts'
import { sqliteConversions } from '../../src/migrate/sqlite/change-of-type.ts'
import { describeStores } from '../support/stores.ts'

const runs = process.env.NOUNKIT_NIGHTLY ? 2_000 : 20

const almostNumbers = fc.oneof(
  fc.stringMatching(/^-?\d{0,17}(\.\d{0,3})?$/),
  fc.maxSafeInteger().map(String),
  fc.maxSafeInteger().map((cents) => codecs['cents-as-decimal-string'].down(cents) as string),
  fc.constantFrom(
    '',
    '-',
    '-0',
    '0',
    '-0.00',
    '0.00',
    '-0.05',
    ' 1',
    '1 ',
    '+1',
    '1e3',
    '0x10',
    '٣',
    '1.00\n',
  ),
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
)
const [firstSecond, lastSecond] = [-62_135_596_800, 253_402_300_799]
const integers = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: firstSecond, max: lastSecond }),
  fc.integer({ min: lastSecond + 1, max: Number.MAX_SAFE_INTEGER }),
  fc.constantFrom(firstSecond - 1, firstSecond, lastSecond),
  fc.integer({ min: firstSecond - 400 * 86_400, max: firstSecond - 1 }),
)

/** The codec's result for a value, if the older version then shows the same value again. */
const expected = (codec: CodecName, shown: string | number): string | null => {
  const { up, down } = codecs[codec]
  const stored = up(shown)
  return stored !== undefined && down(stored) === shown ? JSON.stringify(stored) : null
}

describeStores('the SQL that converts a column', ({ kind, open }) => {
  const words = kind === 'sqlite' ? sqliteConversions : postgresConversions
  const { dialect } = words

  test.each(Object.keys(codecs) as CodecName[])(
    'takes the values that %s takes, and makes the same of them',
    async (codec) => {
      const store = await open()
      const { newer, older } = codecs[codec]
      const value = dialect.asText(dialect.json(words.value[codec]('x'), newer, false))
      const type = words.type(older)
      const values = fc.array<string | number>(older === 'string' ? almostNumbers : integers, {
        minLength: 1,
        maxLength: 60,
      })
      const law = fc.asyncProperty(values, async (all) => {
        const rows = all.map(
          (one, at) =>
            `SELECT ${at} AS n, CAST(${typeof one === 'string' ? sqlText(one) : one} AS ${type}) AS x`,
        )
        const sql = `SELECT CASE WHEN ${converts(words, codec, 'x')} THEN ${value} END FROM (${rows.join(' UNION ALL ')}) AS given ORDER BY n`
        const found = await store.all(sql, [])
        expect(found.map(([one]) => one)).toEqual(all.map((one) => expected(codec, one)))
      })
      await fc.assert(law, { numRuns: runs })
    },
  )
})
