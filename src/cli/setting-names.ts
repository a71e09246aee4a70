import { nearest } from '../compile/names/nearest.ts'

const prefix = 'NOUNKIT_'

/** The environment variables with our prefix that are read, without it. */
export const settingNames = [
  'CLOCK',
  'CONNECT_TIMEOUT',
  'CONSOLE',
  'CONSOLE_PORT',
  'CORS_ORIGINS',
  'IDLE_TIMEOUT',
  'JOBS',
  'LOCK_TIMEOUT',
  'LOG',
  'OPS_PORT',
  'PGBOUNCER',
  'POOL',
  'PROXIES',
  'RATE',
  'READ_LAG',
  'READ_URL',
  'REDIS_URL',
  'STATEMENT_TIMEOUT',
  'TOKEN_AUDIENCE',
  'TOKEN_ISSUER',
  'WEBHOOK_ALLOW',
  'WEBHOOK_DELAYS',
] as const

/** A sentence for each variable that is none of ours and was probably meant to be one. Others may belong to another program. */
export const mistypedSettings = (environment: { readonly [name: string]: string | undefined }) =>
  Object.keys(environment)
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .filter((name) => !settingNames.some((known) => known === name))
    .flatMap((name) => {
      const near = nearest(name, settingNames)
      return near === null ? [] : [`${prefix}${name} is not a setting. Did you mean ${prefix}${near}?`]
    })
