import cluster from 'node:cluster'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { mistypedSettings } from './setting-names.ts'

export interface ServeFlags {
  readonly port?: string
  readonly host?: string
  readonly workers?: string
  readonly 'ops-port'?: string
  readonly jobs?: string
  readonly demo?: boolean
}

export interface ServeSettings {
  readonly port: number
  readonly host: string
  readonly opsPort: number | undefined
  readonly workers: number
  /** Whether the process runs jobs. */
  readonly jobs: boolean
  readonly demo: boolean
  readonly redisUrl: string | undefined
}

/** Flags take precedence over environment variables. */
export function readServeSettings(flags: ServeFlags): ServeSettings {
  if (cluster.isPrimary) for (const mistyped of mistypedSettings(process.env)) console.error(mistyped)
  const port = wholeNumber(given({ '--port': flags.port, PORT: process.env.PORT }), 0, 65_535) ?? 3000
  const opsPort = wholeNumber(
    given({ '--ops-port': flags['ops-port'], NOUNKIT_OPS_PORT: process.env.NOUNKIT_OPS_PORT }),
    0,
    65_535,
  )
  if (port !== 0 && port === opsPort) {
    const isInFlags = flags.port !== undefined || flags['ops-port'] !== undefined
    throw mistakeIn(
      isInFlags,
      `The API and its probes cannot both have port ${port}. Choose another for the probes: --ops-port ${beside(port)}`,
    )
  }
  return {
    port,
    // Node would listen on all addresses for an empty host.
    host: given({ '--host': flags.host, HOST: process.env.HOST })?.text ?? '127.0.0.1',
    opsPort,
    workers: wholeNumber(given({ '--workers': flags.workers }), 1, 256) ?? 1,
    jobs: readJobs(given({ '--jobs': flags.jobs, NOUNKIT_JOBS: process.env.NOUNKIT_JOBS })),
    demo: flags.demo ?? false,
    redisUrl: readRedisUrl(process.env.NOUNKIT_REDIS_URL),
  }
}

/** Another valid port, for messages that suggest one. */
export const beside = (port: number): number => (port < 65_535 ? port + 1 : port - 1)

interface Given {
  readonly text: string
  /** The flag or variable, for messages. */
  readonly name: string
}

/** An empty variable counts as not set; an empty flag is a mistake. */
function given(places: { readonly [name: string]: string | undefined }): Given | undefined {
  for (const [name, text] of Object.entries(places)) {
    if (text) return { text, name }
    if (text === '' && name.startsWith('--'))
      throw new UsageMistake(`${name} is empty. Write a value after it, or leave it out.`)
  }
  return undefined
}

function readJobs(setting: Given | undefined): boolean {
  if (!setting || setting.text === 'on') return true
  if (setting.text === 'off') return false
  const { name, text } = setting
  throw mistakeIn(name.startsWith('--'), `${name} is "${text}". Write off, or leave it out.`)
}

function wholeNumber(setting: Given | undefined, from: number, to: number): number | undefined {
  if (!setting) return undefined
  const { text, name } = setting
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  if (number >= from && number <= to) return number
  const isFlag = name.startsWith('--')
  throw mistakeIn(isFlag, `${name} is "${text}". It must be a whole number from ${from} to ${to}.`)
}

/** A wrong flag is a wrong command line; a wrong environment variable is not. */
const mistakeIn = (isFlag: boolean, message: string): CommandMistake =>
  isFlag ? new UsageMistake(message) : new CommandMistake(message)

/** The Redis client accepts any text as a host name, and would try to connect to it for ever. */
function readRedisUrl(url: string | undefined): string | undefined {
  if (!url || (/^rediss?:/.test(url) && URL.canParse(url))) return url
  throw new CommandMistake(
    `NOUNKIT_REDIS_URL is "${url.replace(/\/\/.*@/, '//***@')}". Write redis://host:6379, or rediss://host:6379 for TLS.`,
  )
}
