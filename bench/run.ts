import { writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { millionKeys, twoProcesses, v1, v2, v2Ruled, v2Unruled } from './aims.ts'
import { call, checkAnswers, deepCursor } from './answers.ts'
import type { Contender } from './contender.ts'
import { customerIds, ownIds, type Size, sampleIds, standard } from './data.ts'
import type { Sample } from './draw.ts'
import { measureEvents, measureStreams } from './events/measure.ts'
import { type Load, startLoad } from './load.ts'
import { aimTable, eventTable, judge, type Line, linesOf, lineTable, middle } from './report.ts'
import { type Field, type Store, startField } from './stores.ts'
import { afterQuiet, firstSecond, type Lane, type Result, takeTurns } from './turns.ts'
import { type Workload, workloads } from './workloads.ts'

const { values: flags } = parseArgs({
  options: {
    store: { type: 'string' },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '0.3' },
    runs: { type: 'string', default: '1' },
    orders: { type: 'string', default: String(standard.orders) },
    full: { type: 'boolean', default: false },
    bun: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})

const atLeast = (name: 'rounds' | 'seconds' | 'runs' | 'orders', least: number): number => {
  const value = Number(flags[name])
  if (!(value >= least)) throw new Error(`--${name} is ${flags[name]}. Write a number of ${least} or more.`)
  return value
}
const rounds = atLeast('rounds', 1)
const turnMs = atLeast('seconds', 0.05) * 1_000
const runs = atLeast('runs', 1)
// With fewer orders, no page follows the deep one.
const size: Size = { ...standard, orders: atLeast('orders', 1_000) }
const names: { readonly [word: string]: Store } = { sqlite: 'SQLite', postgres: 'PostgreSQL' }
const stores = flags.store ? [names[flags.store]] : Object.values(names)

const say = (line: string): void => void process.stderr.write(`${line}\n`)
const wanted = (name: string): boolean => name.includes(flags.only)
/** Idle seconds take long, so there are fewer of these turns. */
const quietRounds = Math.min(rounds, 5)
const quietMs = 10_000

/** Workloads that are compared with each other, with their contenders. */
function groupsOf(contenders: readonly Contender[]): readonly (readonly Lane[])[] {
  const takesPart = ({ onlyNounkit, alsoRuled, kind }: Workload, { name }: Contender) => {
    if (name === v2Ruled || name === v2Unruled) return alsoRuled
    if (alsoRuled && onlyNounkit) return false
    if (name === v2) return true
    return name === v1 ? kind !== 'mix' && kind !== 'keyed' : !onlyNounkit
  }
  const lanes = workloads.flatMap((workload) =>
    contenders
      .filter((contender) => takesPart(workload, contender))
      .map((contender) => ({ contender, workload })),
  )
  const groups = Map.groupBy(lanes, ({ workload }) => workload.beside ?? workload.name)
  return [...groups.values()].filter((group) => group.some(({ workload }) => wanted(workload.name)))
}

async function measure(field: Field, contenders: readonly Contender[], load: Load): Promise<Result[]> {
  const results: Result[] = []
  for (const group of groupsOf(contenders)) {
    results.push(...(await takeTurns(load, group, rounds, turnMs)))
    say(`  ${group[0]?.workload.name}`)
  }
  const [one] = workloads
  if (one && wanted(firstSecond)) {
    results.push(...(await afterQuiet(load, field.contenders, one, quietRounds, quietMs)))
    say(`  ${firstSecond}`)
  }
  if (one && wanted(twoProcesses)) results.push(...(await withWorkers(field, one, load)))
  if (flags.full && wanted(`keyed create${millionKeys}`)) {
    results.push(...(await withManyKeys(field, contenders, load)))
  }
  return results
}

async function withWorkers(field: Field, one: Workload, load: Load): Promise<Result[]> {
  const lanes = (await field.startWorkers()).map((contender) => ({ contender, workload: one }))
  const results = await takeTurns(load, lanes, rounds, turnMs)
  say(`  ${twoProcesses}`)
  return results.map((result) => ({ ...result, workload: twoProcesses }))
}

async function withManyKeys(field: Field, contenders: readonly Contender[], load: Load): Promise<Result[]> {
  await field.fillKeys(1_000_000)
  say('  a million keys are kept')
  const lanes = workloads.flatMap((workload) =>
    workload.kind === 'create' || workload.kind === 'keyed'
      ? contenders.filter(({ name }) => name === v2).map((contender) => ({ contender, workload }))
      : [],
  )
  const results = await takeTurns(load, lanes, rounds, turnMs)
  return results.map((result) => ({ ...result, workload: `${result.workload}${millionKeys}` }))
}

async function sampleOf(ours: Contender, old: Contender): Promise<Sample> {
  const ids = sampleIds(size)
  const of = async (contender: Contender) => ({
    cursor: await deepCursor(contender, size.orders * 0.9),
    etag: (await call(contender, { method: 'GET', path: `/orders/${ids[0]}` })).etag,
  })
  return {
    ids,
    ownIds: ownIds(size),
    customers: customerIds(size),
    of: { '/v2': await of(ours), '/v1': await of(old) },
  }
}

async function runOn(store: Store): Promise<readonly Result[]> {
  const field = await startField[store](size, flags.bun)
  try {
    const ours = field.contenders.find(({ name }) => name === v2)
    if (!ours) throw new Error('nounkit did not start')
    const old: Contender = { ...ours, name: v1, prefix: '/v1' }
    const sample = await sampleOf(ours, old)
    await checkAnswers(field.contenders, sample)
    say(`${store}: all contenders give the same answers`)
    const load = startLoad(sample)
    try {
      return await measure(field, [...field.contenders, old, ...field.rulePair], load)
    } finally {
      await load.stop()
    }
  } finally {
    await field.close()
  }
}

const machine = (): string =>
  `Node ${process.version}, ${availableParallelism()} processors, load average ${loadavg()[0]?.toFixed(1)}`

const report: { [store: string]: unknown } = {}
for (const store of stores) {
  if (!store) throw new Error(`--store is ${flags.store}. Write sqlite or postgres.`)
  const before = machine()
  const events = [
    ...('events'.includes(flags.only)
      ? await measureEvents(store, { rounds, turnMs, events: size.orders, say })
      : []),
    ...('streams'.includes(flags.only) ? await measureStreams(store, say) : []),
  ]
  const all: (readonly Result[])[] = []
  if (!['events', 'streams'].includes(flags.only))
    for (let run = 0; run < runs; run++) all.push(await runOn(store))
  const lines = middle<Line>(all.map(linesOf), (line) => line.toFloor?.median ?? line.perSecond)
  const judged = middle(
    all.map((results) => judge(store, results)),
    ({ ratio }) => ratio.median,
  )
  report[store] = { before, lines, aims: judged, events, runs: all }
  console.log(
    `\n## ${store}\n\nBefore: ${before}. Afterwards: ${machine()}.
\`nounkit serve\` with default settings but NOUNKIT_RATE=off. ${rounds} turns of ${turnMs} ms each, the middle of ${runs} run(s).\n
${[lines.length > 0 && lineTable(lines), judged.length > 0 && aimTable(judged), events.length > 0 && eventTable(events)].filter(Boolean).join('\n\n')}`,
  )
}
if (flags.json) writeFileSync(flags.json, JSON.stringify(report, null, 2))
