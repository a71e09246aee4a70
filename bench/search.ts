import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { api, resource } from '../src/index.ts'
import { testApi } from '../src/testing.ts'
import { startPostgres } from '../test/support/own-postgres.ts'

/**
 * What a search costs, over a list that is filtered to the same rows: `node --conditions=nounkit-source bench/search.ts [rows]`. Pages of 25, in one
 * process without a socket, in turns. The word is one that so many rows have.
 */
const rows = Number(process.argv[2] ?? 1_000_000)
const found = [25, 250, 2_500]
const turns = 7
const callsOfTurn = 40
const aim = 3

const people = resource('people', {
  fields: { name: z.string(), email: z.email(), few: z.int(), some: z.int(), many: z.int() },
  filter: ['few', 'some', 'many'],
  search: ['name', 'email'],
  bulk: true,
})
const names = ['few', 'some', 'many'] as const

const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0

/** The group of a row among groups of so many rows each. */
const groupOf = (row: number, size: number): number => row % Math.max(1, Math.floor(rows / size))

const person = (row: number) => {
  const [few = 0, some = 0, many = 0] = found.map((size) => groupOf(row, size))
  return { name: `Few${few}x Some${some}x Many${many}x`, email: `person-${row}@example.com`, few, some, many }
}

async function measure(store: string, databaseUrl: string): Promise<void> {
  const served = await testApi(api('people', { resources: [people] }), { databaseUrl })
  try {
    const headers = {
      authorization: `Bearer ${await served.key('acme')}`,
      'content-type': 'application/json',
    }
    for (let row = 0; row < rows; row += 100) {
      const data = Array.from({ length: Math.min(100, rows - row) }, (_, at) => person(row + at))
      const made = await served.fetch('/v1/people', {
        method: 'POST',
        headers,
        body: JSON.stringify({ data }),
      })
      if (made.status !== 201) throw new Error(await made.text())
      await made.text()
    }
    await served.service.store.session((session) => session.script('ANALYZE'))
    const time = async (query: (call: number) => string): Promise<number> => {
      const begin = performance.now()
      for (let call = 0; call < callsOfTurn; call++) {
        const answer = await served.fetch(`/v1/people?${query(call)}`, { headers })
        const page = JSON.parse(await answer.text())
        if (page.data.length !== 25) throw new Error(JSON.stringify(page).slice(0, 300))
      }
      return (performance.now() - begin) / callsOfTurn
    }
    for (const [at, name] of names.entries()) {
      const group = (call: number) => groupOf(call * 7, found[at] ?? 1)
      const sides = {
        filter: (call: number) => `filter[${name}]=${group(call)}`,
        search: (call: number) => `search=${name}${group(call)}x`,
      }
      const figures = { filter: [] as number[], search: [] as number[] }
      for (let turn = 0; turn < turns; turn++)
        for (const side of ['filter', 'search'] as const) figures[side].push(await time(sides[side]))
      const [filter, search] = [median(figures.filter), median(figures.search)]
      console.log(
        `${store}, ${rows} rows, ${found[at]} found: filter ${filter.toFixed(2)} ms, search ${search.toFixed(2)} ms: ${(search / filter).toFixed(1)} times (aim: under ${aim})`,
      )
    }
  } finally {
    await served.close()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'nounkit-search-'))
const postgres = await startPostgres()
try {
  await measure('SQLite', `sqlite:${join(folder, 'people.db')}`)
  await measure('PostgreSQL', postgres.url)
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true })
}
