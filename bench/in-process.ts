import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import shop from '../examples/shop/api.ts'
import { client } from '../src/client/nounkit-client.ts'
import { openService } from '../src/server-door.ts'
import { account, sampleIds, sqliteData, standard } from './data.ts'

/** How long one order takes in the same process, by `fetch` and `as()`, and through a port, one call after the other. */
const { values: flags } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } })
const callsInTurn = 500

const folder = mkdtempSync(join(tmpdir(), 'nounkit-in-process-'))
const { url: database, key } = await sqliteData(standard, folder, 'in-process')
const service = await openService(shop, { database, rate: 'off' })
const { url } = await service.listen({ port: 0 })
const ids = sampleIds(standard)
const headers = { authorization: `Bearer ${key}` }
const ours = service.as({ account })
const overPort = client<typeof shop>({ url, key, version: 'v2' })

const read = async (response: Response): Promise<void> => {
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  await response.text()
}
const ways: { readonly [name: string]: (id: string) => Promise<unknown> } = {
  'service.fetch': async (id) =>
    read(await service.fetch(new Request(`http://localhost/v2/orders/${id}`, { headers }))),
  'fetch through a port': async (id) => read(await fetch(`${url}/v2/orders/${id}`, { headers })),
  'service.as().orders.get': (id) => ours.orders.get(id),
  'client through a port': (id) => overPort.orders.get(id),
}

const turns = new Map(Object.keys(ways).map((name) => [name, [] as number[]]))
for (let round = -2; round < Number(flags.rounds); round++)
  for (const [name, call] of Object.entries(ways)) {
    const startedAt = performance.now()
    for (let at = 0; at < callsInTurn; at++) await call(ids[at % ids.length] ?? '')
    const micros = ((performance.now() - startedAt) * 1_000) / callsInTurn
    // The first rounds warm up.
    if (round >= 0) turns.get(name)?.push(micros)
  }

console.log('| one order | µs, median of turns | least |\n|---|--:|--:|')
for (const [name, micros] of turns) {
  const sorted = micros.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  console.log(`| ${name} | ${Math.round(median)} | ${Math.round(sorted[0] ?? 0)} |`)
}
await service.close()
rmSync(folder, { recursive: true })
