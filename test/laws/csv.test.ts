import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineSplitter } from '../../src/transfer/lines.ts'
import { CsvRecords } from '../../src/transfer/records.ts'

const numRuns = process.env.NOUNKIT_NIGHTLY === '1' ? 5_000 : 200

/** A cell that is left out (null), or any text, with characters that mean something in CSV more often than by chance. */
const cell = fc.option(
  fc.string({
    unit: fc.oneof(
      fc.constantFrom('"', ',', '\n', '\r', ' '),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
  }),
)

/** RFC 4180. A text is quoted where it must be, or where it would else be no text, or by chance. */
const written = (text: string | null, quoted: boolean): string => {
  if (text === null) return ''
  return quoted || text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

test('what is written as CSV is read back, whatever the cells, the line breaks and the chunks', () => {
  const table = fc
    .integer({ min: 2, max: 4 })
    .chain((width) =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
    )
  fc.assert(
    fc.property(
      table,
      fc.boolean(),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.integer({ min: 1, max: 50 }),
      (rows, quoted, lineBreak, isEnded, chunk) => {
        const names = rows[0]?.map((_, at) => `c${at}`) ?? []
        const lines = [names, ...rows].map((row) => row.map((text) => written(text, quoted)).join(','))
        const bytes = Buffer.from(lines.join(lineBreak) + (isEnded ? lineBreak : ''))
        const splitter = new LineSplitter()
        const reader = new CsvRecords(() => null)
        const read = []
        for (let at = 0; at < bytes.length; at += chunk)
          for (const line of splitter.push(bytes.subarray(at, at + chunk))) read.push(reader.read(line))
        for (const line of splitter.end()) read.push(reader.read(line))
        read.push(reader.end())
        const found = read.filter((record) => record !== null)
        const expected = rows.map((row) =>
          Object.fromEntries(
            row.flatMap((text, at) => (text === null ? [] : [[`c${at}`, text.toWellFormed()]])),
          ),
        )
        expect(found.map(({ fault, values }) => fault ?? values)).toEqual(expected)
      },
    ),
    { numRuns },
  )
})
