import { parseArgs } from 'node:util'
import { type Clock, readDuration } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { didYouMean } from '../compile/nearest.ts'
import { isActive, KeyRing, type MadeKey } from '../guard/key-ring.ts'
import { sharedWriteScopes } from '../guard/scopes.ts'
import type { Consumer } from '../request/caller.ts'
import { dayMs } from '../times.ts'
import { callerFlags, readCallerFlags } from './caller-flags.ts'
import { jsonOption } from './command.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { withStore } from './command-store.ts'
import { keyTable, timeText } from './key-table.ts'
import { positionalsUpTo } from './positionals.ts'

export const options = {
  account: { type: 'string', value: 'ACCOUNT', does: 'whose key it is' },
  name: { type: 'string', value: 'NAME', does: 'the name of the key' },
  ...callerFlags,
  kind: { type: 'string', value: 'KIND', does: 'create: external (the default), internal or probe' },
  contact: { type: 'string', value: 'TEXT', does: 'create: whom to tell when a version ends' },
  expires: {
    type: 'string',
    value: 'TIME',
    does: 'create, rotate: how long it is valid, such as 90d; for ever by default',
  },
  overlap: { type: 'string', value: 'TIME', does: 'rotate: how long the old key still works; 1d by default' },
  json: jsonOption,
} as const

type Flags = { readonly [name in Exclude<keyof typeof options, 'json' | 'claim'>]?: string } & {
  readonly json?: boolean
  readonly claim?: readonly string[]
}

interface Task {
  readonly ring: KeyRing
  readonly model: Model
  readonly clock: Clock
  readonly flags: Flags
}

const actions: { readonly [name: string]: (task: Task) => Promise<number> } = { create, list, revoke, rotate }

/** `nounkit keys create|list|revoke|rotate [API] …`: running processes apply the change within seconds. */
export async function keysCommand(args: string[]): Promise<number> {
  const { values: flags, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [name = '', place] = positionalsUpTo(positionals, 2)
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) {
    const names = Object.keys(actions)
    throw new UsageMistake(
      name === ''
        ? `What to do with keys? Write one of ${names.join(', ')} after it, as in: nounkit keys list.`
        : `"keys ${name}" is not a command. ${didYouMean(name, names)}`,
    )
  }
  // Only `create` may run before the service has made its store. The probe reads the column that was added last.
  // It reads no row, for which a cluster would need all its nodes.
  const probe = 'SELECT "claims" FROM "nounkit_api_keys" WHERE 1 = 0'
  return withStore(place, { create: action === create, probe }, async ({ model, store, clock }) => {
    const ring = new KeyRing(store, clock)
    try {
      return await action({ ring, model, clock, flags })
    } finally {
      if (ring.away.length > 0) console.error(unread(ring.away))
    }
  })
}

const unread = (nodes: readonly string[]): string =>
  `${nodes.join(' and ')} did not answer: keys that are there were neither read nor changed. Run this again when it does.`

async function create({ ring, model, clock, flags }: Task): Promise<number> {
  const account = needed(flags, 'account', /^[\w.@-]{1,100}$/)
  const name = needed(flags, 'name', /^[^\p{Cc}]{1,100}$/u)
  const wanted = {
    account,
    name,
    ...readCallerFlags(flags, model),
    kind: readKind(flags.kind),
    contact: flags.contact ?? null,
    expiresAt: expiry(flags.expires, clock),
  }
  const isNew = (await ring.list(account)).length === 0
  const made = await ring.create(wanted)
  if (flags.json) return showJson(made)
  if (isNew) console.log(`${account} had no key so far: this is its first.`)
  if (flags.scopes === undefined) console.log(allScopesOpen(account, model))
  if (made.key.subject === null && Object.keys(made.key.claims).length > 0) {
    console.log(
      `Without --subject the key shares Idempotency-Keys with every caller of ${account} that has none.`,
    )
  }
  show(made, 'Made')
  return 0
}

async function list({ ring, clock, flags }: Task): Promise<number> {
  const keys = await ring.list(flags.account ?? null)
  if (flags.json) console.log(JSON.stringify(keys, null, 2))
  else if (keys.length === 0) console.log(await noKey(ring, flags.account))
  else console.log(keyTable(keys, clock.now()))
  return 0
}

async function noKey(ring: KeyRing, account: string | undefined): Promise<string> {
  const accounts = new Set((await ring.list(null)).map((key) => key.account))
  if (ring.away.length > 0) return 'There is no such key on the nodes that answer.'
  return account === undefined || accounts.size === 0
    ? 'There is no key yet. Make one: nounkit keys create --account … --name …'
    : `${account} has no key. ${didYouMean(account, accounts)}`
}

async function revoke({ ring, clock, flags }: Task): Promise<number> {
  const account = needed(flags, 'account')
  const name = needed(flags, 'name')
  const ended = await ring.revoke(account, name)
  if (ended === 0) {
    const keys = await ring.list(account)
    if (keys.some((key) => key.name === name))
      throw new CommandMistake(`The key "${name}" of ${account} has ended already.`)
    const active = keys.filter((key) => isActive(key, clock.now())).map((key) => key.name)
    throw new CommandMistake(
      `${account} has no active key named "${name}". ${didYouMean(name, new Set(active))}`,
    )
  }
  if (flags.json) {
    console.log(JSON.stringify({ account, name, ended }))
    return 0
  }
  console.log(`Ended "${name}" of ${account}. Running processes refuse it within a few seconds.`)
  return 0
}

async function rotate({ ring, clock, flags }: Task): Promise<number> {
  const overlapMs = flags.overlap === undefined ? dayMs : duration(flags.overlap, '--overlap', 0)
  const expiresAt = expiry(flags.expires, clock)
  const made = await ring.rotate(needed(flags, 'account'), needed(flags, 'name'), {
    overlapMs,
    ...(expiresAt === null ? {} : { expiresAt }),
  })
  if (flags.json) return showJson(made)
  console.log(`The old key works until ${new Date(clock.now() + overlapMs).toISOString()}.`)
  show(made, 'Rotated')
  return 0
}

function showJson({ key, secret }: MadeKey): number {
  console.log(JSON.stringify({ key, secret }, null, 2))
  return 0
}

function show({ key, secret }: MadeKey, verb: string): void {
  const until = key.expiresAt === null ? 'without expiry' : `until ${timeText(key.expiresAt)}`
  console.log(
    `${verb} "${key.name}" (${key.id}) for ${key.account}: ${key.kind}, ${key.scopes.join(' ')}, ${until}.`,
  )
  if (key.subject !== null) console.log(`Its subject: ${key.subject}`)
  if (Object.keys(key.claims).length > 0) console.log(`Its claims: ${JSON.stringify(key.claims)}`)
  console.log(`Only its hash is stored, so this is the one time it is shown: ${secret}`)
}

function needed(flags: Flags, name: 'account' | 'name', form = /./): string {
  const value = flags[name]
  if (value === undefined || value === '')
    throw new UsageMistake(`--${name} is missing. Write the account and the name of the key.`)
  if (form.test(value)) return value
  throw new UsageMistake(`--${name} is ${JSON.stringify(value)}. Write at most 100 plain characters.`)
}

/** What a key opens that was made without `--scopes`. */
function allScopesOpen(account: string, model: Model): string {
  const opens = `Without --scopes the key has "*": it reads and writes everything of ${account}`
  const isAnyShared = [...model.resources.values()].some((resource) => resource.shared)
  if (!isAnyShared) return `${opens}.`
  const byName = sharedWriteScopes(model)
  if (byName.length === 0) return `${opens}, and reads shared rows.`
  return `${opens}, and reads shared rows. To write those as well: --scopes '${['*', ...byName].join(',')}'.`
}

function readKind(text = 'external'): Consumer['kind'] {
  if (text === 'external' || text === 'internal' || text === 'probe') return text
  throw new UsageMistake(`--kind is "${text}". Write external, internal or probe.`)
}

const expiry = (text: string | undefined, clock: Clock): number | null =>
  text === undefined ? null : clock.now() + duration(text, '--expires', 1)

/** A hundred years, far below JavaScript's last date. */
const maxDays = 36_500

function duration(text: string, flag: string, least: number): number {
  const milliseconds = readDuration(text)
  if (milliseconds !== null && milliseconds >= least && milliseconds <= maxDays * dayMs) return milliseconds
  const from = least > 0 ? ', longer than none' : ''
  throw new UsageMistake(
    `${flag} is "${text}". Write a time such as 90d, 12h, 30m or 10s${from} and at most ${maxDays}d.`,
  )
}
