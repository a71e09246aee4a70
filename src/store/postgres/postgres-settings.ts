import { readFileSync } from 'node:fs'
import { StoreRefused } from '../store.ts'
import { type Host, hostsOf, type SessionTarget, targetOf } from './hosts.ts'

type Env = { readonly [name: string]: string | undefined }

export interface PostgresSettings {
  /** Each has the URL with only those parameters that the driver reads. */
  readonly hosts: readonly Host[]
  /** Which of them connections may lead to. */
  readonly target: SessionTarget
  /** Parameters that are passed on to the server: `search_path`, `application_name`. */
  readonly parameters: { readonly [name: string]: string }
  /** Host and database, for messages; never the password. */
  readonly address: string
  readonly pool: number
  readonly statementMs: number
  readonly lockMs: number
  readonly idleMs: number
  readonly connectMs: number
  readonly ssl: Ssl
  /** PgBouncer shares sessions between clients, so that no prepared statement or setting may stay in one. */
  readonly pgbouncer: boolean
}

type Ssl = false | 'prefer' | 'require' | { readonly ca?: string; readonly rejectUnauthorized: true }

const ours = new Set([
  'pool',
  'pgbouncer',
  'statement_timeout',
  'lock_timeout',
  'idle_timeout',
  'connect_timeout',
  'sslmode',
  'sslrootcert',
  'target_session_attrs',
])

const drivers = new Set(['host', 'port', 'user', 'password'])

/** Parameters of other clients. The server would refuse them without saying why. */
const others =
  /^(hostaddr|dbname|database|passfile|service|require_auth|channel_binding|client_encoding|ssl|ssl[a-z]+|ssl_m(in|ax)_protocol_version|gss\w+|krbsrvname|load_balance_hosts|keepalives(_\w+)?|tcp_user_timeout|requirepeer)$/

/** Times in milliseconds as PostgreSQL counts them, except `idle_timeout` and `connect_timeout`, in seconds as libpq does. */
export function postgresSettings(url: string, env: Env): PostgresSettings {
  const [base = '', query = ''] = url.split('?', 2)
  const all = new URLSearchParams(query)
  const rest = new URLSearchParams([...all].filter(([name]) => drivers.has(name)))
  const server = [...all].filter(([name]) => !ours.has(name) && !drivers.has(name))
  const foreign = server.find(([name]) => others.test(name))?.[0]
  if (foreign)
    throw new StoreRefused(
      `The database URL has ${JSON.stringify(foreign)}, which is not supported here. Leave it out; TLS is chosen with sslmode and sslrootcert.`,
    )
  const listed = all.get('host') ?? env.PGHOST ?? ''
  if (listed.includes(','))
    throw new StoreRefused(
      `The host is ${JSON.stringify(listed)}. Write several hosts before the database: postgres://user:password@host-1:5432,host-2:5432/database.`,
    )
  const whole = (parameter: string, variable: string, fallback: number): number =>
    wholeNumber(all.get(parameter) ?? env[variable], fallback, `${parameter} (or ${variable})`)
  return {
    hosts: hostsOf(rest.size > 0 ? `${base}?${rest}` : base),
    target: targetOf(all.get('target_session_attrs') ?? env.PGTARGETSESSIONATTRS),
    parameters: Object.fromEntries(server),
    address: addressOf(url, all.get('host') || env.PGHOST || 'localhost'),
    pool: Math.max(1, whole('pool', 'NOUNKIT_POOL', 10)),
    statementMs: whole('statement_timeout', 'NOUNKIT_STATEMENT_TIMEOUT', 10_000),
    lockMs: whole('lock_timeout', 'NOUNKIT_LOCK_TIMEOUT', 5_000),
    idleMs: 1_000 * whole('idle_timeout', 'NOUNKIT_IDLE_TIMEOUT', 300),
    connectMs: 1_000 * Math.max(1, whole('connect_timeout', 'NOUNKIT_CONNECT_TIMEOUT', 5)),
    ssl: ssl(all.get('sslmode') ?? env.PGSSLMODE, all.get('sslrootcert') ?? env.PGSSLROOTCERT),
    pgbouncer: /^(1|true|on|yes)$/.test(all.get('pgbouncer') ?? env.NOUNKIT_PGBOUNCER ?? ''),
  }
}

/** A URL without a host means the default host, as in libpq. */
function addressOf(url: string, otherwise: string): string {
  const [address = ''] = url.replace(/^[a-z]+:\/\/(.*@)?/, '').split('?', 1)
  return address === '' || address.startsWith('/') ? otherwise + address : address
}

function wholeNumber(text: string | undefined, fallback: number, name: string): number {
  if (text === undefined || text === '') return fallback
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new StoreRefused(`${name} is ${JSON.stringify(text)}. Write a whole number, for example ${fallback}.`)
}

/** As in libpq: `require` encrypts without checking the server's certificate, `verify-full` checks it. */
function ssl(mode: string | undefined, rootCertificate: string | undefined): Ssl {
  switch (mode) {
    case undefined:
    case '':
    case 'disable':
      return false
    case 'allow':
    case 'prefer':
      return 'prefer'
    case 'require':
      return rootCertificate ? verified(rootCertificate) : 'require'
    case 'verify-ca':
    case 'verify-full':
      return verified(rootCertificate)
    default:
      throw new StoreRefused(
        `sslmode is ${JSON.stringify(mode)}. Write disable, prefer, require, verify-ca or verify-full.`,
      )
  }
}

function verified(rootCertificate: string | undefined): Ssl {
  if (!rootCertificate || rootCertificate === 'system') return { rejectUnauthorized: true }
  try {
    return { rejectUnauthorized: true, ca: readFileSync(rootCertificate, 'utf8') }
  } catch (error) {
    throw new StoreRefused(
      `sslrootcert: ${rootCertificate} cannot be read. Name a file with the certificate of the server's authority.`,
      error,
    )
  }
}
