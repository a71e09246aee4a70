import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { compileApi } from '../src/compile/compile.ts'
import { contractOf } from '../src/contract/contract.ts'
import { api, mapValues, renameField, renameResource, resource, version } from '../src/index.ts'
import { type TestApi, testApi } from '../src/testing.ts'

/** What v2 costs on a store that v1 has made, whose table, columns and values keep their older names, over v2 on a store of its own. */
const rows = 2_000
const callsInTurn = 200
const turns = 30

const published = '2025-01-01'
const older = api('kept', {
  resources: [
    resource('clients', {
      fields: { full_name: z.string(), grade: z.enum(['low', 'high']), city: z.string() },
      filter: ['grade'],
      sort: ['full_name'],
    }),
  ],
  versions: [version('v1', { published })],
})
const newer = api('kept', {
  resources: [
    resource('customers', {
      fields: { name: z.string(), grade: z.enum(['basic', 'top']), town: z.string() },
      filter: ['grade'],
      sort: ['name'],
    }),
  ],
  versions: [
    version('v2'),
    version('v1', {
      published,
      changes: [
        renameResource('clients', 'customers'),
        renameField('customers', 'full_name', 'name'),
        renameField('customers', 'city', 'town'),
        mapValues('customers', 'grade', { low: 'basic', high: 'top' }),
      ],
    }),
  ],
})

const model = compileApi(older)
const contracts = new Map([['v1', contractOf(model, model.head)]])
const folder = mkdtempSync(join(tmpdir(), 'nounkit-kept-names-'))

/** Serves v2, on a store that the older declaration has made or on a new one. */
async function served(
  name: string,
  first: boolean,
): Promise<{ readonly api: TestApi; readonly key: string }> {
  const databaseUrl = `sqlite:${join(folder, `${name}.db`)}`
  if (first) await (await testApi(older, { databaseUrl, contracts })).close()
  const opened = await testApi(newer, { databaseUrl, contracts })
  const key = await opened.key('acme', { name })
  for (let at = 0; at < rows; at++) {
    const body = { name: `n${(at * 7919) % rows}`, grade: at % 2 ? 'basic' : 'top', town: `t${at % 9}` }
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const made = await opened.fetch('/v2/customers', { method: 'POST', headers, body: JSON.stringify(body) })
    if (made.status !== 201) throw new Error(await made.text())
  }
  return { api: opened, key }
}

const kept = await served('kept', true)
const own = await served('own', false)
const tables = [kept, own].map(({ api }) => api.service.model.resources.get('customers')?.table)
if (tables.join() !== 'clients,customers') throw new Error(`The tables are ${tables.join()}`)
const paths = ['/v2/customers?limit=25', '/v2/customers?filter[grade]=basic&sort=name&limit=25']
console.log(
  '| list of 25 | a store of its own, µs | a store made by v1, µs | ratio (aim: 0.95) |\n|---|--:|--:|--:|',
)
for (const path of paths) {
  const times = new Map([kept, own].map((one) => [one, [] as number[]]))
  for (let turn = -3; turn < turns; turn++)
    for (const [one, all] of times) {
      const before = process.cpuUsage()
      for (let at = 0; at < callsInTurn; at++) {
        const answer = await one.api.fetch(path, { headers: { authorization: `Bearer ${one.key}` } })
        if (answer.status !== 200) throw new Error(await answer.text())
        await answer.text()
      }
      const { user, system } = process.cpuUsage(before)
      if (turn >= 0) all.push((user + system) / callsInTurn)
    }
  const [ofKept, ofOwn] = [kept, own].map(
    (one) => (times.get(one) ?? []).toSorted((a, b) => a - b)[turns >> 1],
  )
  const ratio = (ofOwn ?? 0) / (ofKept ?? 1)
  console.log(`| \`${path}\` | ${ofOwn?.toFixed(1)} | ${ofKept?.toFixed(1)} | ${ratio.toFixed(2)} |`)
}
await kept.api.close()
await own.api.close()
rmSync(folder, { recursive: true })
