import cluster from 'node:cluster'
import type { ConsolePlace } from '../serve/open-console.ts'
import type { Given } from './command.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { mistypedSettings } from './setting-names.ts'

/** The options of `nounkit serve`. Other commands have some of them. */
export const serveOptions = {
  port: { type: 'string', value: 'N', does: 'the port; PORT, else 3000, by default, and 0 for any free one' },
  host: { type: 'string', value: 'ADDRESS', does: 'the address; HOST, else 127.0.0.1, by default' },
  workers: { type: 'string', value: 'N', does: 'how many processes share the port; 1 by default' },
  'ops-port': { type: 'string', value: 'N', does: 'serves probes and metrics on a port of their own' },
  console: { type: 'string', value: 'off', does: 'serves no console' },
  'console-port': { type: 'string', value: 'N', does: 'serves the console on a port of its own' },
  jobs: { type: 'string', value: 'off', does: 'leaves jobs to other processes' },
  demo: { type: 'boolean', does: 'prints new keys and calls to try' },
} as const

type ServeFlags = Given<typeof serveOptions>['flags']

export interface ServeSettings {
  readonly port: number
  readonly host: string
  readonly opsPort: number | undefined
  /** The port of the console, where it has one of its own. */
  readonly consolePort: number | undefined
  readonly console: ConsolePlace
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
  const consolePort = wholeNumber(
    given({
      '--console-port': flags['console-port'],
      NOUNKIT_CONSOLE_PORT: process.env.NOUNKIT_CONSOLE_PORT,
    }),
    0,
    65_535,
  )
  refuseSamePort(flags, { API: port, probes: opsPort, console: consolePort })
  return {
    port,
    // Node would listen on all addresses for an empty host.
    host: given({ '--host': flags.host, HOST: process.env.HOST })?.text ?? '127.0.0.1',
    opsPort,
    consolePort,
    console: readConsole(
      given({ '--console': flags.console, NOUNKIT_CONSOLE: process.env.NOUNKIT_CONSOLE }),
      consolePort,
    ),
    workers: wholeNumber(given({ '--workers': flags.workers }), 1, 256) ?? 1,
    jobs: isOn(given({ '--jobs': flags.jobs, NOUNKIT_JOBS: process.env.NOUNKIT_JOBS })),
    demo: flags.demo ?? false,
    redisUrl: readRedisUrl(process.env.NOUNKIT_REDIS_URL),
  }
}

const portFlags = { API: '--port', probes: '--ops-port', console: '--console-port' } as const

function refuseSamePort(
  flags: ServeFlags,
  ports: { readonly [name in keyof typeof portFlags]: number | undefined },
): void {
  const set = (['API', 'probes', 'console'] as const).filter((name) => ports[name])
  for (const [at, name] of set.entries()) {
    const first = set.slice(0, at).find((one) => ports[one] === ports[name])
    if (first === undefined) continue
    const port = Number(ports[name])
    const isInFlags = [first, name].some((one) => flags[portFlags[one].slice(2) as 'port'] !== undefined)
    const theirs = name === 'probes' ? 'its probes' : `the ${name}`
    throw mistakeIn(
      isInFlags,
      `The ${first} and ${theirs} cannot both have port ${port}. Choose another for the ${name}: ${portFlags[name]} ${beside(port)}`,
    )
  }
}

function readConsole(setting: GivenText | undefined, port: number | undefined): ConsolePlace {
  const place = port === undefined ? 'beside the API' : 'own port'
  return isOn(setting) ? place : 'nowhere'
}

/** Another valid port, for messages that suggest one. */
export const beside = (port: number): number => (port < 65_535 ? port + 1 : port - 1)

interface GivenText {
  readonly text: string
  /** The flag or variable, for messages. */
  readonly name: string
}

/** An empty variable counts as not set; an empty flag is a mistake. */
function given(places: { readonly [name: string]: string | undefined }): GivenText | undefined {
  for (const [name, text] of Object.entries(places)) {
    if (text) return { text, name }
    if (text === '' && name.startsWith('--'))
      throw new UsageMistake(`${name} is empty. Write a value after it, or leave it out.`)
  }
  return undefined
}

function isOn(setting: GivenText | undefined): boolean {
  if (!setting || setting.text === 'on') return true
  if (setting.text === 'off') return false
  const { name, text } = setting
  throw mistakeIn(name.startsWith('--'), `${name} is "${text}". Write off, or leave it out.`)
}

function wholeNumber(setting: GivenText | undefined, from: number, to: number): number | undefined {
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
