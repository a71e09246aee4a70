import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { api } from '../src/declare/api.ts'
import { resource } from '../src/declare/resource.ts'
import { KeyRing } from '../src/guard/key-ring.ts'
import { openService } from '../src/server-door.ts'
import { openStore } from '../src/store/open.ts'

/**
 * What the audit costs a create: rows in the same process, many at once, with and without `audit`, in turns that alternate.
 * `node bench/audit.ts [--without URL --with URL]`: two empty databases of PostgreSQL, one for each side. SQLite otherwise.
 */
const { values: flags } = parseArgs({
  options: {
    turns: { type: 'string', default: '12' },
    without: { type: 'string' },
    with: { type: 'string' },
  },
})
const createsInTurn = 4_000
const atOnce = 64
const aim = 0.85

const orders = resource('orders', {
  fields: {
    number: z.string(),
    email: z.email(),
    status: z.enum(['draft', 'placed', 'paid']).default('draft'),
    total: z.int(),
    note: z.string().optional(),
  },
  filter: ['status', 'email'],
  unique: ['number'],
})
const events = { keepDays: 30 }
const declarations = {
  'without audit': api('orders', { events, resources: [orders] }),
  'with audit': api('orders', { events, audit: true, resources: [orders] }),
}
type Side = keyof typeof declarations

const folder = mkdtempSync(join(tmpdir(), 'nounkit-audit-'))
const given: { readonly [S in Side]: string | undefined } = {
  'without audit': flags.without,
  'with audit': flags.with,
}

async function open(side: Side) {
  const database = given[side] ?? `sqlite:${join(folder, `${side}.db`)}`
  const service = await openService(declarations[side], { database, rate: 'off' })
  const store = await openStore(database)
  const { secret } = await new KeyRing(store).create({ account: 'acme', name: `bench ${Date.now()}` })
  await store.close()
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  let made = Date.now()
  return {
    service,
    async create(): Promise<void> {
      const body = JSON.stringify({ number: `n-${++made}`, email: 'ada@example.com', total: made % 1_000 })
      const keyed = { ...headers, 'idempotency-key': `k-${made}` }
      const request = new Request('http://localhost/v1/orders', { method: 'POST', headers: keyed, body })
      const response = await service.fetch(request)
      if (response.status !== 201) throw new Error(await response.text())
      await response.text()
    },
  }
}

const sides = { 'without audit': await open('without audit'), 'with audit': await open('with audit') }
const turns: { readonly [S in Side]: { cpu: number; wall: number }[] } = {
  'without audit': [],
  'with audit': [],
}

async function turn(side: Side): Promise<{ cpu: number; wall: number }> {
  const before = process.cpuUsage()
  const startedAt = performance.now()
  let left = createsInTurn
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await sides[side].create()
    }),
  )
  const { user, system } = process.cpuUsage(before)
  return {
    cpu: (user + system) / createsInTurn,
    wall: ((performance.now() - startedAt) * 1_000) / createsInTurn,
  }
}

for (let at = -2; at < Number(flags.turns); at++)
  for (const side of Object.keys(sides) as Side[]) {
    const took = await turn(side)
    // The first turns warm up.
    if (at >= 0) turns[side].push(took)
  }

const median = (side: Side, of: 'cpu' | 'wall'): number => {
  const sorted = turns[side].map((one) => one[of]).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
console.log('| keyed creates with an event | processor time, µs | time, µs |\n|---|--:|--:|')
for (const side of Object.keys(sides) as Side[])
  console.log(`| ${side} | ${Math.round(median(side, 'cpu'))} | ${Math.round(median(side, 'wall'))} |`)
const ratio = (of: 'cpu' | 'wall') => (median('without audit', of) / median('with audit', of)).toFixed(2)
console.log(
  `\nWith audit as a share of without: ${ratio('cpu')} by processor time, ${ratio('wall')} by time (aim ${aim})`,
)
for (const { service } of Object.values(sides)) await service.close()
rmSync(folder, { recursive: true })
