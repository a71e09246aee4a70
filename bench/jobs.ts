import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { api } from '../src/declare/api.ts'
import { job } from '../src/declare/job.ts'
import { resource } from '../src/declare/resource.ts'
import { testApi } from '../src/testing.ts'
import { startPostgres } from '../test/support/own-postgres.ts'

/**
 * Empty jobs a second that one process works off, of those that are due at once: `node bench/jobs.ts [jobs]`. Times of handing over are not
 * counted.
 */
const jobs = Number(process.argv[2] ?? 5_000)
const turns = 5
const aims = { SQLite: 1_000, PostgreSQL: 2_000 }

const rowsOfList = 100
const notes = resource('notes', {
  fields: { text: z.string().max(9) },
  bulk: true,
  hooks: { afterCreate: (_, { later }) => later('nothing', {}) },
})
const declaration = api('jobs', { resources: [notes], jobs: { nothing: job(z.object({}), () => {}) } })

const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0

/** Jobs are handed over in a service that runs none; then another one on the same store begins. */
async function turn(databaseUrl: string, name: string): Promise<number> {
  const web = await testApi(declaration, { databaseUrl })
  const acme = await web.client('acme', { name })
  const rows = Array.from({ length: rowsOfList }, () => ({ text: 'x' }))
  for (let made = 0; made < jobs; made += rowsOfList) await acme.notes.createMany(rows)
  await web.close()
  const begin = performance.now()
  const worker = await testApi(declaration, { databaseUrl, jobs: 'on' })
  const { counts } = worker.service.jobs
  while (counts.done < jobs) await new Promise((resolve) => setTimeout(resolve, 5))
  const took = performance.now() - begin
  await worker.close()
  return (jobs * 1_000) / took
}

async function measure(store: keyof typeof aims, url: string): Promise<void> {
  const figures: number[] = []
  for (let at = 0; at < turns; at++) figures.push(await turn(url, `turn-${at}`))
  const shown = figures.map((figure) => Math.round(figure)).join(', ')
  console.log(`${store}: ${Math.round(median(figures))} jobs a second (${shown}); aim ${aims[store]}`)
}

const folder = mkdtempSync(join(tmpdir(), 'nounkit-bench-jobs-'))
await measure('SQLite', `sqlite:${join(folder, 'jobs.db')}`)
rmSync(folder, { recursive: true, force: true })
const postgres = await startPostgres()
await measure('PostgreSQL', postgres.url)
await postgres.stop()
