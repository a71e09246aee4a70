import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startPostgres } from '../test/support/own-postgres.ts'
import { checkAnswers, deepCursor } from './answers.ts'
import { type Contender, startContender, usageOf } from './contender.ts'
import { postgresData, sampleCustomer, sampleIds, sqliteData, standard } from './data.ts'
import { growth, growthTable } from './growth.ts'
import { load, type Sample } from './load.ts'
import {
  chartOf,
  type Line,
  summarise,
  type Turn,
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
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
    'fastify-keeps-tokens': { type: 'boolean', default: false },
  },
})

/** Fastify without a look-up of the token for every request: what a cache without an end would give it. */
const more = (name: string): string => (name === 'fastify' && flags['fastify-keeps-tokens'] ? 'keep' : '')

const say = (line: string): void => void process.stderr.write(`${line}\n`)

interface Result {
  readonly lines: readonly Line[]
  readonly within: readonly Within[]
}

/**
 * Rounds are interleaved: each contender has a turn at each workload in every round, and every other round goes through them
 * backwards, so that a noisy machine hits all alike, one that slows down or recovers too.
 */
async function measure(contenders: readonly Contender[], sample: Sample): Promise<Result> {
  const chosen = workloads.filter(({ name }) => !flags.only || name.includes(flags.only))
  const turns: Turn[] = []
  for (let round = 1; round <= Number(flags.rounds); round++) {
    const inTurn = <T>(all: readonly T[]): readonly T[] => (round % 2 === 1 ? all : all.toReversed())
    for (const workload of inTurn(chosen)) {
      const able = contenders.filter(({ name }) => !workload.only || workload.only.includes(name))
      for (const contender of inTurn(able)) {
        const before = usageOf(contender.process.pid)
        const result = await load(contender, workload, sample, Number(flags.seconds))
        const after = usageOf(contender.process.pid)
        const cpuMicros = ((after.cpuMs - before.cpuMs) * 1000) / Math.max(1, result.requests)
        turns.push({
          ...result,
          workload: workload.name,
          contender: contender.name,
          cpuMicros,
          memoryMb: after.memoryMb,
        })
      }
    }
    say(`round ${round} of ${flags.rounds}`)
  }
  return { lines: summarise(turns), within: within(turns) }
}

async function bench(store: string, scripts: readonly [string, string, string, string][]): Promise<Result> {
  const contenders: Contender[] = []
  try {
    for (const [name, script, database, key] of scripts)
      contenders.push(await startContender(name, script, database, key, more(name)))
    const ours = contenders.find(({ name }) => name === 'nounkit v2')
    if (!ours) throw new Error('nounkit did not start')
    const old: Contender = { ...ours, name: 'nounkit v1', prefix: '/v1' }
    const all = [...contenders, old]
    const cursors = { '/v2': await deepCursor(ours, 90_000), '/v1': await deepCursor(old, 90_000) }
    const sample: Sample = { ids: sampleIds(standard), customer: sampleCustomer(standard), cursors }
    await checkAnswers(all, workloads, sample)
    say(`${store}: all contenders give the same answers`)
    return await measure(all, sample)
  } finally {
    for (const { process: child } of contenders) child.kill('SIGTERM')
  }
}

async function onSqlite(): Promise<Result> {
  const scripts: [string, string, string, string][] = []
  for (const [name, script] of [
    ['floor', 'floor-sqlite.ts'],
    ['fastify', 'fastify-sqlite.ts'],
    ['nounkit v2', 'nounkit.ts'],
  ] as const) {
    const { url, key } = await sqliteData(standard, name.replace(' ', '-'))
    scripts.push([name, script, script === 'nounkit.ts' ? url : url.slice('sqlite:'.length), key])
  }
  return bench('SQLite', scripts)
}

async function onPostgres(): Promise<Result> {
  const server = await startPostgres()
  try {
    const { url, key } = await postgresData(standard, server.url)
    return await bench('PostgreSQL', [
      ['floor', 'floor-postgres.ts', url, key],
      ['fastify', 'fastify-postgres.ts', url, key],
      ['nounkit v2', 'nounkit.ts', url, key],
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
