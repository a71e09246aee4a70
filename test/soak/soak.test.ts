import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { expect, test } from 'vitest'
import { emptyDatabase, type StoreKind, storeKinds } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { heapOf, inspected } from '../support/heap-of.ts'
import { newKey, type ServerProcess, startServer } from '../support/server-process.ts'
import { type Balanced, Clients } from './clients.ts'

/** An hour in the nightly form. Fewer minutes show errors; sizes are compared only when there are enough restarts. */
const minutes = Number(process.env.NOUNKIT_SOAK_MINUTES ?? 60)
/** Expired rows are swept once a minute, so a process has to live longer than that. */
const periodMs = Math.min(300_000, Math.max(75_000, (minutes * 60_000) / 12))
const periods = Math.max(1, Math.round((minutes * 60_000) / periodMs))
const processes = 2

const folder = declarationFolder(`
import { api, belongsTo, hasMany, resource } from 'nounkit'
import { z } from 'zod'
const threads = resource('threads', {
  fields: { title: z.string() },
  relations: { notes: hasMany('notes') },
  include: ['notes'],
})
const notes = resource('notes', {
  fields: { text: z.string(), edits: z.int().default(0) },
  relations: { thread: belongsTo('threads') },
  sort: ['text', 'created_at'],
  include: ['thread'],
})
export default api('soak', {
  events: { keepDays: 1 },
  limits: { idempotencyHours: 24 },
  resources: [threads, notes],
})
`)

interface Sample {
  /** Of one process when its period ends, after a garbage collection. */
  readonly heapMb: number
  readonly storeMb: number
}

/** Twelve hours pass with each restart, so that keys and events of a day expire and are swept within a few periods. */
const start = (databaseUrl: string, period: number): Promise<ServerProcess> =>
  startServer(databaseUrl, { api: folder, env: { NOUNKIT_CLOCK: `+${period * 12}h`, ...inspected } })

async function soak(kind: StoreKind): Promise<readonly Sample[]> {
  const databaseUrl = await emptyDatabase(kind)
  const first = await start(databaseUrl, 0)
  const balanced: Balanced = { servers: [first, await start(databaseUrl, 0)], key: await newKey(databaseUrl) }
  const clients = new Clients(balanced)
  const samples: Sample[] = []
  for (let period = 1; period <= periods; period++) {
    await sleep(periodMs)
    const [oldest] = balanced.servers
    samples.push({ heapMb: oldest ? await heapOf(oldest.child) : 0, storeMb: await sizeOf(databaseUrl) })
    console.log(kind, period, samples.at(-1), clients.summary())
    if (period < periods) await restart(balanced, databaseUrl, period)
  }
  await clients.stop()
  expect(clients.failures, `${kind}: ${clients.summary()}`).toEqual([])
  expect(clients.created).toBeGreaterThan(periods)
  return samples
}

/** One process after the other: the next is ready before the last ends, which finishes what it has begun. */
async function restart(balanced: Balanced, databaseUrl: string, period: number): Promise<void> {
  for (let at = 0; at < processes; at++) {
    const next = await start(databaseUrl, period)
    const [old, ...others] = balanced.servers
    balanced.servers = [...others, next]
    expect(await old?.child.kill('SIGTERM')).toEqual({ code: 0, signal: null })
  }
}

async function sizeOf(databaseUrl: string): Promise<number> {
  if (databaseUrl.startsWith('sqlite:')) {
    const file = databaseUrl.slice('sqlite:'.length)
    return (statSync(file).size + statSync(`${file}-wal`).size) / 1_048_576
  }
  const sql = postgres(databaseUrl, { max: 1 })
  const [row] = await sql`SELECT pg_database_size(current_database())::float8 AS "bytes"`
  await sql.end()
  return (row?.bytes ?? 0) / 1_048_576
}

test(`${minutes} minutes of reads, writes, replays and streams on both stores, with a rolling restart every ${periodMs / 1_000} s: clients see nothing that a retry does not cure, and memory and files stay flat`, {
  timeout: minutes * 60_000 + 300_000,
}, async () => {
  const all = await Promise.all(storeKinds.map(soak))
  for (const [at, samples] of all.entries()) {
    const quarter = Math.ceil(samples.length / 4)
    const most = (part: readonly Sample[], of: keyof Sample) => Math.max(...part.map((sample) => sample[of]))
    const [early, late] = [samples.slice(0, quarter), samples.slice(quarter)]
    // With fewer restarts nothing has expired after the first quarter.
    if (samples.length < 12) continue
    expect(most(late, 'heapMb'), storeKinds[at]).toBeLessThan(most(early, 'heapMb') * 1.3 + 5)
    expect(most(late, 'storeMb'), storeKinds[at]).toBeLessThan(most(early, 'storeMb') * 1.6 + 5)
  }
})
