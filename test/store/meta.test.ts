import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { metaFacts } from '../../src/store/meta.ts'
import { describeServing } from '../support/serving.ts'

const source = new URL('../../src', import.meta.url).pathname
const files = globSync('**/*.ts', { cwd: source }).sort()
const textOf = (file: string): string => readFileSync(join(source, file), 'utf8')

test('only one file has SQL on the table of single facts, and each fact is written by the file that it names', () => {
  const others = files.filter((file) => file !== 'store/meta.ts')
  const sql = /(?:FROM|INTO|UPDATE|TABLE) "?(?:nounkit_meta|\$\{(?:ident\()?metaTable)/
  expect(others.filter((file) => sql.test(textOf(file)))).toEqual([])
  for (const [name, { writer }] of Object.entries(metaFacts))
    expect([name, textOf(writer).includes(`metaFacts.${name}`)]).toEqual([name, true])
})

describeServing('a store that is served', (served) => {
  test('has no other facts than those that are listed', async () => {
    const rows = await served.store.all('SELECT "key" FROM "nounkit_meta"', [])
    const known = Object.values(metaFacts).map(({ key }) => key)
    const isKnown = (key: string) =>
      known.some((one) => (one.endsWith(' ') ? key.startsWith(one) : key === one))
    const keys = rows.map(([key]) => String(key))
    expect(keys.length).toBeGreaterThan(3)
    expect(keys.filter((key) => !isKnown(key))).toEqual([])
  })
})
