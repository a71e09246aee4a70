import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startPostgres } from '../test/support/own-postgres.ts'
import { checkAnswers, deepCursor } from './answers.ts'
import { type Contender, type Entry, startContender } from './contender.ts'
import { customerIds, postgresData, type Size, sampleIds, sqliteData, standard } from './data.ts'
import { growth, growthTable } from './growth.ts'
import { runHeat, type Turn } from './heat.ts'
import { type Lane, type Latency, measureLatency, type Sample } from './load.ts'
import { processors } from './processors.ts'
import {
  chartOf,
  type Line,
  laneName,
  summarise,
  tableOf,
  type Within,
  within,
  withinTable,
} from './report.ts'
import { workloads } from './workloads.ts'

const { values: flags } = parseArgs({
  options: {
    store: { type: 'string', default: 'all' },
    only: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1' },
    orders: { type: 'string', default: String(standard.orders) },
    json: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
    'fastify-keeps-tokens': { type: 'boolean', default: false },
  },
})

/** Fastify without a look-up of the token for every request: what a cache without an end would give it. */
const more = (name: string): string => (name === 'fastify' && flags['fastify-keeps-tokens'] ? 'keep' : '')

const latencySeconds = 1
const size: Size = { ...standard, orders: Number(flags.orders) }
// Fewer have no page behind the one that is deep.
if (!(size.orders >= 1_000)) throw new Error(`--orders is ${flags.orders}. Write a number of 1000 or more.`)
const deepRow = size.orders * 0.9

const say = (line: string): void => void process.stderr.write(`${line}\n`)

interface Result {
  readonly lines: readonly Line[]
  readonly within: readonly Within[]
}

/** Those that are compared with each other run in one heat. */
function heatsOf(contenders: readonly Contender[], sample: Sample): readonly (readonly Lane[])[] {
  const chosen = workloads.filter(({ name }) => !flags.only || name.includes(flags.only))
  const lanes = chosen.flatMap((workload) =>
    contenders
      .filter(({ name }) => !workload.only || workload.only.includes(name))
      .map((contender) => ({ contender, workload, sample })),
  )
  const heats = Map.groupBy(lanes, ({ workload }) => workload.beside ?? workload.name)
  return [...heats.values()]
}

async function measure(contenders: readonly Contender[], sample: Sample): Promise<Result> {
  const heats = heatsOf(contenders, sample)
  const turns: Turn[] = []
  for (let round = 0; round <= Number(flags.rounds); round++) {
    for (const heat of heats) {
      const taken = await runHeat(heat, Number(flags.seconds))
      // The first round warms up.
      if (round > 0) turns.push(...taken)
    }
    say(round === 0 ? 'warm' : `round ${round} of ${flags.rounds}`)
  }
  const latencies = new Map<string, Latency>()
  for (const lane of heats.flat())
    latencies.set(
      laneName(lane.workload.name, lane.contender.name),
      await measureLatency(lane, latencySeconds),
    )
  return { lines: summarise(turns, latencies), within: within(turns) }
}

async function bench(store: string, entries: readonly Entry[]): Promise<Result> {
  const contenders: Contender[] = []
  try {
    for (const entry of entries) contenders.push(await startContender({ ...entry, more: more(entry.name) }))
    const ours = contenders.find(({ name }) => name === 'nounkit v2')
    if (!ours) throw new Error('nounkit did not start')
    const old: Contender = { ...ours, name: 'nounkit v1', prefix: '/v1' }
    const all = [...contenders, old]
    const cursors = { '/v2': await deepCursor(ours, deepRow), '/v1': await deepCursor(old, deepRow) }
    const sample: Sample = { ids: sampleIds(size), customers: customerIds(size), cursors }
    await checkAnswers(all, workloads, sample)
    say(`${store}: all contenders give the same answers`)
    return await measure(all, sample)
  } finally {
    for (const { process: child } of contenders) child.kill('SIGTERM')
  }
}

async function onSqlite(): Promise<Result> {
  const entries: Entry[] = []
  const processor = processors.server
  for (const [name, script] of [
    ['floor', 'floor-sqlite.ts'],
    ['fastify', 'fastify-sqlite.ts'],
    ['nounkit v2', 'nounkit.ts'],
  ] as const) {
    const { url, key } = await sqliteData(size, name.replace(' ', '-'))
    const database = script === 'nounkit.ts' ? url : url.slice('sqlite:'.length)
    entries.push({ name, script, database, key, processor })
  }
  return bench('SQLite', entries)
}

/** The database and the servers share the processors, as they are: it takes more than one. */
async function onPostgres(): Promise<Result> {
  const server = await startPostgres()
  try {
    const { url, key } = await postgresData(size, server.url)
    const all = { database: url, key, processor: null }
    return await bench('PostgreSQL', [
      { name: 'floor', script: 'floor-postgres.ts', ...all },
      { name: 'fastify', script: 'fastify-postgres.ts', ...all },
      { name: 'nounkit v2', script: 'nounkit.ts', ...all },
    ])
  } finally {
    await server.stop()
  }
}

const results: { [store: string]: Result } = {}
if (flags.store !== 'postgres' && flags.store !== 'none') results.SQLite = await onSqlite()
if (flags.store !== 'sqlite' && flags.store !== 'none') results.PostgreSQL = await onPostgres()
mkdirSync(new URL('results/', import.meta.url), { recursive: true })
for (const [store, { lines, within: own }] of Object.entries(results)) {
  writeFileSync(
    new URL(`results/${store.toLowerCase()}.svg`, import.meta.url),
    chartOf(lines, `Nounkit on ${store}`),
  )
  if (!flags.json) console.log(`\n## ${store}\n\n${tableOf(lines)}\n\n${withinTable(own)}`)
}
const grown = flags.growth ? await growth(Number(flags.rounds), Number(flags.seconds)) : null
if (grown && !flags.json) console.log(`\n## Growth\n\n${growthTable(grown)}`)
if (flags.json) console.log(JSON.stringify({ ...results, ...(grown ? { growth: grown } : {}) }, null, 2))
