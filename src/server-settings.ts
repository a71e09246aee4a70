import { didYouMean } from './compile/names/nearest.ts'
import type { AddressSettings } from './declare/deployment.ts'
import { SettingMistake } from './setting-mistake.ts'

/** The settings of `nounkit serve`, and where a service is mounted. The environment is not read. */
export interface ServiceSettings {
  /** `sqlite:path/to/file.db` or `postgres://user:password@host:5432/database`. */
  readonly database: string
  /** The folder of the frozen contracts, or the contracts by version, as parsed JSON. Without it nothing is hidden or gated. */
  readonly contracts?: URL | string | { readonly [version: string]: unknown } | undefined
  /** Where the service is mounted in another server: `/api`. */
  readonly prefix?: string | undefined
  /** What paths in the declaration are relative to; the working directory unless said. */
  readonly folder?: URL | string | undefined
  /** The service's time, in Unix milliseconds. For tests. */
  readonly clock?: { now(): number } | undefined
  /** What is logged on standard output; `warn` unless said. `info` has a line for each request. */
  readonly log?: 'silent' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | undefined
  /** Requests a second and account, or `off`. */
  readonly rate?: number | 'off' | undefined
  readonly redisUrl?: string | undefined
  readonly tokenIssuer?: string | undefined
  readonly tokenAudience?: string | undefined
  readonly corsOrigins?: string | undefined
  readonly proxies?: string | undefined
  readonly webhookAllow?: string | undefined
  readonly webhookDelays?: string | undefined
  readonly readUrl?: string | undefined
  readonly readLag?: number | undefined
  readonly pool?: number | undefined
  readonly statementTimeout?: number | undefined
  readonly lockTimeout?: number | undefined
  readonly idleTimeout?: number | undefined
  readonly connectTimeout?: number | undefined
  readonly pgbouncer?: boolean | undefined
  /** `off` where this process runs no jobs. */
  readonly jobs?: 'on' | 'off' | undefined
  /** `off` where the service has no console. */
  readonly console?: 'on' | 'off' | undefined
}

/** The environment variable that each stands for. The others have none. */
const variables = {
  rate: 'NOUNKIT_RATE',
  redisUrl: 'NOUNKIT_REDIS_URL',
  tokenIssuer: 'NOUNKIT_TOKEN_ISSUER',
  tokenAudience: 'NOUNKIT_TOKEN_AUDIENCE',
  corsOrigins: 'NOUNKIT_CORS_ORIGINS',
  proxies: 'NOUNKIT_PROXIES',
  webhookAllow: 'NOUNKIT_WEBHOOK_ALLOW',
  webhookDelays: 'NOUNKIT_WEBHOOK_DELAYS',
  log: 'NOUNKIT_LOG',
  clock: 'NOUNKIT_CLOCK',
  database: 'DATABASE_URL',
  readUrl: 'NOUNKIT_READ_URL',
  readLag: 'NOUNKIT_READ_LAG',
  pool: 'NOUNKIT_POOL',
  statementTimeout: 'NOUNKIT_STATEMENT_TIMEOUT',
  lockTimeout: 'NOUNKIT_LOCK_TIMEOUT',
  idleTimeout: 'NOUNKIT_IDLE_TIMEOUT',
  connectTimeout: 'NOUNKIT_CONNECT_TIMEOUT',
  pgbouncer: 'NOUNKIT_PGBOUNCER',
  jobs: 'NOUNKIT_JOBS',
  console: 'NOUNKIT_CONSOLE',
} as const satisfies { readonly [name in keyof ServiceSettings]: string }

const names: readonly string[] = [...Object.keys(variables), 'contracts', 'prefix', 'folder']

export const settingVariables: { readonly [name: string]: string } = variables

/** The settings as an environment, which the readers of settings take. */
export function environmentOf(settings: ServiceSettings): { readonly [variable: string]: string } {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  for (const [name] of given)
    if (!names.includes(name))
      throw new SettingMistake(`"${name}" is not a setting. ${didYouMean(name, names)}`)
  if (typeof settings.database !== 'string' || settings.database === '')
    throw new SettingMistake("database is missing. Write it like this: database: 'sqlite:shop.db'.")
  for (const name of ['jobs', 'console'] as const) {
    const value = settings[name]
    if (value !== undefined && value !== 'on' && value !== 'off')
      throw new SettingMistake(`${name} is "${value}". Write 'off', or leave it out.`)
  }
  return Object.fromEntries(
    given.flatMap(([name, value]) => {
      const variable = settingVariables[name]
      return variable === undefined || typeof value === 'object' ? [] : [[variable, String(value)]]
    }),
  )
}

/** Messages about settings name variables; here each has another name. */
export const inOwnWords = (message: string): string =>
  Object.entries(variables).reduce((text, [name, variable]) => text.replaceAll(variable, name), message)

export const addressesIn = (settings: ServiceSettings): AddressSettings => ({
  tokenIssuer: settings.tokenIssuer,
  tokenAudience: settings.tokenAudience,
  corsOrigins: settings.corsOrigins,
  proxies: settings.proxies,
})
