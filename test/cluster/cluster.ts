import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { openStore } from '../../src/store/open.ts'
import { nounkit } from '../support/child.ts'
import { whenOver } from '../support/clean-up.ts'
import { type OwnPostgres, startPostgres } from '../support/own-postgres.ts'
import { until } from '../support/until.ts'

/** A coordinator and its workers, each a PostgreSQL server of its own on loopback. */
export interface Cluster {
  readonly coordinator: OwnPostgres
  readonly workers: readonly OwnPostgres[]
  /** Connected to the coordinator. */
  readonly sql: postgres.Sql
}

const settings = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  // Moving and splitting a shard waits, without an error, until the node has a background worker for it.
  max_worker_processes: '32',
  max_logical_replication_workers: '16',
  max_prepared_transactions: '200',
  max_connections: '200',
  // Each shard is a table on a worker: fewer make the migration of a test faster.
  'citus.shard_count': '8',
  'citus.node_conninfo': 'sslmode=prefer',
  // Left-over transactions are resolved, and abandoned shards removed, soon enough to be seen.
  'citus.recover_2pc_interval': '2s',
  // For StatementLog, which has a node log what it does.
  logging_collector: 'on',
  log_destination: 'jsonlog',
  log_filename: 'server',
  log_rotation_age: '0',
  log_rotation_size: '0',
  // Nothing is sent to anybody.
  'citus.enable_statistics_collection': 'off',
}

/** Newer minor versions of PostgreSQL let only listed programs decode what a shard that is split writes meanwhile. */
const decoding = { output_plugin_libraries: 'pgoutput, citus' }

/** `scripts/citus-cluster` sets both. */
const installed = process.env.NOUNKIT_CITUS
const workerCount = Number(process.env.NOUNKIT_CITUS_WORKERS ?? 3)

/** A cluster with the tables of an API, the shop's unless said, distributed over the workers but the spare ones. It ends with the test file. */
export async function startCluster({ spare = 0, api = 'examples/shop' } = {}): Promise<Cluster> {
  const cluster = await startNodes(spare)
  const migrated = nounkit(['migrate', api, '--citus'], {
    env: { DATABASE_URL: cluster.coordinator.url },
  })
  const { code } = await migrated.ended
  if (code !== 0) throw new Error(`nounkit migrate --citus ended with ${code}:\n${migrated.output}`)
  return cluster
}

/** The spare workers run, and are not part of the cluster yet. */
async function startNodes(spare: number): Promise<Cluster> {
  if (!installed)
    throw new Error(
      'These tests need Citus. Run scripts/citus-cluster with the folder of a PostgreSQL that has it.',
    )
  const known = execFileSync(join(installed, 'bin', 'postgres'), ['--describe-config'], { encoding: 'utf8' })
  const all = { ...settings, ...(/^output_plugin_libraries\t/m.test(known) && decoding) }
  const nodes = await Promise.all(
    Array.from({ length: workerCount + 1 }, async () => {
      const node = await startPostgres(all, { installed })
      whenOver(() => {
        // A node that a failed test left silent does not end.
        wake(node)
        return node.stop()
      })
      return node
    }),
  )
  const [coordinator, ...workers] = nodes as [OwnPostgres, ...OwnPostgres[]]
  for (const { url } of nodes) await administer(url, 'CREATE EXTENSION citus')
  const sql = postgres(coordinator.url, { max: 2, onnotice: () => {} })
  whenOver(() => sql.end({ timeout: 1 }))
  await sql`SELECT citus_set_coordinator_host('127.0.0.1', ${portOf(coordinator)})`
  for (const worker of workers.slice(0, workers.length - spare)) await addWorker(sql, worker)
  return { coordinator, workers, sql }
}

export async function addWorker(sql: postgres.Sql, worker: OwnPostgres): Promise<void> {
  await sql`SELECT citus_add_node('127.0.0.1', ${portOf(worker)})`
}

export const portOf = ({ url }: OwnPostgres): number => Number(new URL(url).port)

export async function administer(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await sql.unsafe(statement)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** The index of the worker that has the rows of an account. */
export async function workerOf({ sql, workers }: Cluster, account: string): Promise<number> {
  const [row] = await sql`
    SELECT nodeport FROM citus_shards
    WHERE shardid = get_shard_id_for_distribution_column('orders', ${account}::text)`
  return workers.findIndex((worker) => portOf(worker) === row?.nodeport)
}

/** An account on each worker, in their order. */
export async function accountPerWorker(
  cluster: Cluster,
  workers = cluster.workers.length,
): Promise<readonly string[]> {
  const found: string[] = []
  for (let at = 0; Object.keys(found).length < workers; at++) {
    if (at === 1_000) throw new Error('Some worker has no shards.')
    const account = `account-${at}`
    const worker = await workerOf(cluster, account)
    if (worker >= 0) found[worker] ??= account
  }
  return found
}

/** A key of the account for everything. */
export async function keyOf(databaseUrl: string, account: string): Promise<string> {
  const store = await openStore(databaseUrl)
  try {
    const scopes = ['*', 'products:write']
    return (await new KeyRing(store).create({ account, name: `test ${account}`, scopes })).secret
  } finally {
    await store.close()
  }
}

/** Stops every process of a node without ending any: its connections stay open, and nothing answers. */
export function silence({ pid }: OwnPostgres): void {
  signalAll(pid, 'SIGSTOP')
}

export function wake({ pid }: OwnPostgres): void {
  signalAll(pid, 'SIGCONT')
}

/** Ends every process of a node as a loss of power would. */
export async function kill(node: OwnPostgres): Promise<void> {
  const { pid } = node
  signalAll(pid, 'SIGKILL')
  await until(() => processesOf(pid).length === 0, { what: 'the end of a node' })
  await node.halt('immediate')
}

/** The server first, so that it starts no more processes meanwhile. */
function signalAll(server: number, signal: NodeJS.Signals): void {
  const [first = server, ...others] = processesOf(server)
  for (const pid of [first, ...others]) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended by itself.
    }
  }
}

/** The server and the processes that it has started, which are its sessions and its background workers. */
function processesOf(server: number): readonly number[] {
  const all = globSync('/proc/[0-9]*/stat').flatMap((path) => {
    try {
      // pid (name) state parent …: the name may have spaces.
      const [, pid, state, parent] = /^(\d+) \(.*\) (\w) (\d+)/s.exec(readFileSync(path, 'utf8')) ?? []
      return state === 'Z' ? [] : [[Number(pid), Number(parent)] as const]
    } catch {
      return []
    }
  })
  return [server, ...all.filter(([, parent]) => parent === server).map(([pid]) => pid)].filter((pid) =>
    all.some(([one]) => one === pid),
  )
}

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
