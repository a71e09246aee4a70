import { type Dialect, ident } from '../../plan/dialect.ts'
import { postgres, postgresOnCitus } from '../../plan/postgres.ts'
import { newCounters, type Row, type Store, StoreError, StoreRefused } from '../store.ts'
import { CitusNodes, placesSql } from './citus-nodes.ts'
import { firstRowOf, PostgresClient, rowsOf } from './client.ts'
import { loadDriver } from './driver.ts'
import { Hosts } from './hosts.ts'
import { NodeCounts } from './node-counts.ts'
import { Pool } from './pool.ts'
import { postgresSettings } from './postgres-settings.ts'
import { postgresStore, readFrom } from './postgres-store.ts'

const oldestServer = 140_000

/** A store on PostgreSQL, or on a database that speaks its protocol. */
export async function openPostgres(
  url: string,
  env: { readonly [name: string]: string | undefined },
): Promise<Store> {
  const settings = postgresSettings(url, env)
  const server = { driver: await loadDriver(), settings, hosts: new Hosts(settings.hosts, settings.target) }
  const counters = newCounters()
  try {
    const nodeCounts = new NodeCounts()
    const clients = Array.from(
      { length: settings.pool },
      () => new PostgresClient(server, counters, nodeCounts),
    )
    const pool = new Pool(clients, settings)
    try {
      const dialect = await dialectOf(pool, settings.address)
      const nodes = dialect === postgresOnCitus ? await followNodes(pool) : null
      nodeCounts.lanesAreNodes = nodes !== null
      return postgresStore({ server, clients, pool, counters, nodeCounts, nodes, dialect })
    } catch (error) {
      await pool.end()
      throw error
    }
  } catch (error) {
    throw error instanceof StoreRefused ? error : refusal(settings.address, error)
  }
}

async function followNodes(pool: Pool): Promise<CitusNodes> {
  const nodes = new CitusNodes(() => readFrom(pool, { sql: placesSql, values: [], take: rowsOf, lane: null }))
  await nodes.refresh()
  pool.lanes = nodes
  return nodes
}

const serverSql = `SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
  to_regclass('pg_dist_partition') IS NOT NULL, current_user::text, current_setting('search_path'), current_schema()::text,
  has_schema_privilege(current_schema(), 'CREATE') OR to_regclass(quote_ident(current_schema()) || '.nounkit_meta') IS NOT NULL`

/** The SQL dialect of the server. Throws when the server cannot be used. */
async function dialectOf(pool: Pool, address: string): Promise<Dialect> {
  const [version, encoding, hasCitus, ...schema] =
    (await readFrom(pool, { sql: serverSql, values: [], take: firstRowOf, lane: null })) ?? []
  if (Number(version) < oldestServer)
    throw new StoreRefused(
      `${address} is PostgreSQL ${Math.floor(Number(version) / 10_000)}. It must be 14 or newer.`,
    )
  if (encoding !== 'UTF8')
    throw new StoreRefused(`${address} stores text as ${encoding}. Create the database with ENCODING 'UTF8'.`)
  refuseSchema(address, schema)
  return hasCitus === 1 ? postgresOnCitus : postgres
}

/** A user without CREATE can still serve a schema that another user has migrated. */
function refuseSchema(address: string, [user, path, schema, fits]: Row): void {
  const role = ident(String(user))
  if (schema === null) {
    const [first = ''] = String(path).replace('"$user"', role).split(',')
    throw new StoreRefused(
      `The database at ${address} cannot be used: of the schemas in its search_path (${path}) none exists that ${role} may use. Run: CREATE SCHEMA ${first} AUTHORIZATION ${role};`,
    )
  }
  if (fits !== 1)
    throw new StoreRefused(
      `The database at ${address} cannot be used: ${role} may not create tables in the schema ${schema}. Run as its owner: GRANT CREATE ON SCHEMA ${ident(String(schema))} TO ${role};`,
    )
}

const hints: { readonly [code: string]: string } = {
  ERR_INVALID_URL:
    'Write postgres://user:password@host:5432/database, with / and @ in a password as %2F and %40.',
  ECONNREFUSED: 'Nothing listens there: start the server, or correct host and port in the URL.',
  ENOTFOUND: 'There is no host of that name: correct it in the URL.',
  EAI_AGAIN: 'The name of the host could not be looked up: check the network, or correct it in the URL.',
  CONNECT_TIMEOUT: 'The server does not answer: check the host, the port and the firewall between.',
  SASL_FAILED:
    'The server did not accept the password exchange: check that the URL has a password, and that it is the right one.',
  CONNECTION_LOGIN_UNKNOWN:
    'The server asks for a way to log in that is not supported here: set scram-sha-256 for this user in pg_hba.conf.',
  CONNECTION_WITHOUT_TLS: 'The server has no TLS: turn it on there, or write sslmode=disable in the URL.',
  CONNECTION_WRONG_SERVER:
    'No host is what target_session_attrs asks for: promote a standby, or name the host that is.',
  '28P01': 'The password is wrong: correct it in the URL.',
  '28000': 'The server refuses this user: check user and pg_hba.conf, or add sslmode=require to the URL.',
  '3D000': 'That database does not exist: create it with createdb, or correct its name in the URL.',
  '57P03': 'The server is starting or stopping: try again in a moment.',
  '53300': 'The server has no connection left: lower NOUNKIT_POOL, or raise max_connections.',
  '08P01': 'The server refused a setting of the connection: behind PgBouncer add pgbouncer=true to the URL.',
}

function refusal(address: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const cause = error instanceof StoreError ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (code === '' && !(error instanceof StoreError)) return error
  const hint = hints[code] ?? 'Check DATABASE_URL and that the server runs.'
  return new StoreRefused(`The database at ${address} cannot be used: ${error.message}. ${hint}`, error)
}
