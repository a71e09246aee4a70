import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { api, resource } from '../src/index.ts'
import { bindSlots } from '../src/plan/bind-slots.ts'
import { wordsOf } from '../src/plan/search-index.ts'
import { insertRows } from '../src/plan/write-statements.ts'
import { type TestApi, testApi } from '../src/testing.ts'
import { uuidV7 } from '../src/write/ids.ts'
import { startPostgres } from '../test/support/own-postgres.ts'

/**
 * What a search costs, over a list that is filtered to the same rows: `node --conditions=nounkit-source bench/search.ts [rows] [turns] [url…]`.
 * Pages of 25, in one process without a socket, in turns. Processor time counts, that of the database's processes too (Linux), so that other
 * programs hardly matter. The words are of so many rows each, without any order. Stores that are named are filled where they are empty, and kept.
 */
const [rows = 1_000_000, turns = 7] = process.argv.slice(2, 4).map(Number)
const given = process.argv.slice(4)
const found = [1, 10, 100, 300, 1_000, 3_000, 10_000, 100_000]
const callsOfTurn = 20
const aim = 3

/** Each number of rows has a field that a list is filtered by. Their names are made here, so their types do not know them. */
const groups: object = Object.fromEntries(found.map((size) => [`g${size}`, z.int()]))

const people = resource('people', {
  fields: {
    name: z.string(),
    email: z.email(),
    ...groups,
    size: z.int(),
    half: z.boolean(),
  },
  filter: ['half', ...(Object.keys(groups) as 'half'[])],
  sort: ['size', 'name'],
  search: ['name', 'email'],
})

/** A number that looks random, of a row: the last steps of MurmurHash3. */
function mixed(row: number, which: number): number {
  const seed = Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(which, 0x85ebca6b)
  const once = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return (twice ^ (twice >>> 16)) >>> 0
}

const groupsOf = (size: number): number => Math.max(1, Math.floor(rows / size))

function person(row: number) {
  const groups = found.map((size, at) => mixed(row, at + 1) % groupsOf(size))
  const time = '2026-10-01T00:00:00.000Z'
  return {
    id: uuidV7(
      1_790_000_000_000 + Math.floor(row / 20),
      row % 20,
      `8000-${row.toString(16).padStart(12, '0')}`,
    ),
    name: groups.map((group, at) => `w${found[at]}x${group}x`).join(' '),
    email: `person-${row}@example.com`,
    ...Object.fromEntries(groups.map((group, at) => [`g${found[at]}`, group])),
    size: mixed(row, 101),
    half: mixed(row, 102) % 2 === 0,
    created_at: time,
    updated_at: time,
  }
}

/** Past the writers, which would take many times as long. */
async function fill({ service: { model, store } }: TestApi): Promise<void> {
  const stored = model.stored.get('people')
  if (!stored) throw new Error('there are no people')
  if (await store.first(`SELECT 1 FROM "people" LIMIT 1`, [])) return
  const { text, slots } = insertRows(stored, false, store.dialect)
  const perStatement = 1_000
  for (let at = 0; at < rows; at += perStatement) {
    const values = Array.from({ length: perStatement }, (_, n) => {
      const row: { readonly [name: string]: unknown } = person(at + n)
      // Booleans are bound as numbers.
      const bound = (value: unknown) => (typeof value === 'boolean' ? Number(value) : (value ?? null))
      return [...stored.fields.map(({ name }) => bound(row[name])), ...wordsOf(stored, 'acme', row), 1]
    })
    await store.session((session) =>
      session.all(text, bindSlots(slots, { account: 'acme', values: [JSON.stringify(values)] })),
    )
  }
  await store.session((session) => session.script('ANALYZE'))
}

/** Milliseconds of this process and of those of PostgreSQL that work for it. */
async function processorTime({ service: { store } }: TestApi): Promise<() => number> {
  const own = (): number => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  }
  if (store.dialect.name === 'sqlite') return own
  const of = 'SELECT pid FROM pg_stat_activity WHERE datname = current_database()'
  const processes = (await store.all(of, [])).map(([pid]) => String(pid))
  const millisecondsOfTick = 10
  const theirs = (pid: string): number => {
    if (!existsSync(`/proc/${pid}/stat`)) return 0
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .slice(11, 13)
    return (Number(user) + Number(system)) * millisecondsOfTick
  }
  return () => processes.reduce((sum, pid) => sum + theirs(pid), own())
}

/** Lists that are searched, and how the others are filtered to as many rows. */
const lists = [
  ['in the order of ids', ''],
  ['sorted', '&sort=-size'],
  ['filtered besides', '&filter[half]=true'],
] as const

async function measure(store: string, databaseUrl: string): Promise<void> {
  const served = await testApi(api('people', { resources: [people] }), { databaseUrl })
  try {
    await fill(served)
    const key = await served.key('acme', { name: `bench ${Date.now()}` })
    const headers = { authorization: `Bearer ${key}` }
    const spent = await processorTime(served)
    const time = async (query: (call: number) => string): Promise<number> => {
      const before = spent()
      for (let call = 0; call < callsOfTurn; call++) {
        const answer = await served.fetch(`/v1/people?${query(call)}`, { headers })
        const text = await answer.text()
        if (answer.status !== 200) throw new Error(text.slice(0, 300))
      }
      return (spent() - before) / callsOfTurn
    }
    for (const [name, more] of lists)
      for (const size of found) {
        const group = (call: number) => (call * 7) % groupsOf(size)
        const sides = {
          filter: (call: number) => `filter[g${size}]=${group(call)}${more}`,
          search: (call: number) => `search=w${size}x${group(call)}x${more}`,
        }
        const sums = { filter: 0, search: 0 }
        for (let turn = -1; turn < turns; turn++)
          for (const side of ['filter', 'search'] as const) {
            const milliseconds = await time(sides[side])
            if (turn >= 0) sums[side] += milliseconds / turns
          }
        const { filter, search } = sums
        console.log(
          `${store}, ${rows} rows, ${size} found, ${name}: filter ${filter.toFixed(2)} ms, search ${search.toFixed(2)} ms: ${(search / filter).toFixed(1)} times (aim: under ${aim})`,
        )
      }
  } finally {
    await served.close()
  }
}

if (given.length > 0)
  for (const url of given) await measure(url.startsWith('sqlite') ? 'SQLite' : 'PostgreSQL', url)
else {
  const folder = mkdtempSync(join(tmpdir(), 'nounkit-search-'))
  // About what an operator gives a server for a table of this size.
  const postgres = await startPostgres({ shared_buffers: '1GB' })
  try {
    await measure('SQLite', `sqlite:${join(folder, 'people.db')}`)
    await measure('PostgreSQL', postgres.url)
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true })
  }
}
