import { type Consumer, consumerKinds } from '../call/caller.ts'
import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { didYouMean } from '../compile/names/nearest.ts'
import { counted } from '../compile/names/plural.ts'
import { isActive, KeyRing, keyNameForm, type MadeKey, mostKeyDays } from '../guard/key-ring.ts'
import { sharedWriteScopes } from '../guard/scopes.ts'
import type { Store } from '../store/store.ts'
import { dayMs, readDuration } from '../times.ts'
import { endEndpoints, endThoseOfIssuer } from '../webhooks/end-endpoints.ts'
import { recordAct } from '../write/recorded-acts.ts'
import { accountOf, ofAccount } from './account-flag.ts'
import { callerFlags, readCallerFlags } from './caller-flags.ts'
import { type Given, jsonOption } from './command.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { type CommandStore, withStore } from './command-store.ts'
import { keyLines, keyTime } from './key-table.ts'
import { namedAction } from './named-action.ts'
import { operatorOfCommand } from './operator-of-command.ts'
import { apiAnd, positionalsUpTo } from './positionals.ts'

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

type Flags = Given<typeof options>['flags']

interface Task {
  readonly ring: KeyRing
  readonly store: Store
  readonly model: Model
  readonly clock: Clock
  readonly flags: Flags
  /** The account and the subject of `end-subject`, or the subject alone where the API has one account; the issuer of `end-issuer`. */
  readonly named: readonly string[]
}

const actions: { readonly [name: string]: (task: Task) => Promise<number> } = {
  create,
  list,
  revoke,
  rotate,
  'end-subject': endSubject,
  'end-issuer': endIssuer,
}

/** `nounkit keys create|list|revoke|rotate|end-subject|end-issuer [API] …`: running processes apply the change within seconds. */
export async function keysCommand({ flags, words: given }: Given<typeof options>): Promise<number> {
  const [name = '', ...words] = given
  const [place, ...named] = placeAnd(name, words)
  const action = namedAction(actions, 'keys', name, 'list')
  const work = async ({ model, store, clock }: CommandStore): Promise<number> => {
    const ring = new KeyRing(store, clock, operatorOfCommand())
    try {
      return await action({
        ring,
        store,
        model,
        clock,
        flags,
        named: named.filter((word) => word !== undefined),
      })
    } finally {
      if (ring.away.length > 0) console.error(unread(ring.away))
    }
  }
  // Only `create` may run before the service has made its store.
  return withStore(place, work, { create: action === create })
}

/** The API, and what follows it: an issuer is a URL, which could be taken for the path of an API. */
function placeAnd(action: string, words: readonly string[]): readonly (string | undefined)[] {
  if (action === 'end-subject') return apiAnd(words, 2)
  if (action !== 'end-issuer') return positionalsUpTo(words, 1)
  return words.length > 1 ? positionalsUpTo(words, 2) : [undefined, ...words]
}

const unread = (nodes: readonly string[]): string =>
  `${nodes.join(' and ')} did not answer: keys that are there were neither read nor changed. Run this again when it does.`

async function create({ ring, model, clock, flags }: Task): Promise<number> {
  const account = neededAccount(model, flags, /^[\w.@-]{1,100}$/)
  const name = needed(flags, 'name', keyNameForm)
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
  if (isNew && model.soleAccount === null) console.log(`${account} had no key so far: this is its first.`)
  if (flags.scopes === undefined) console.log(allScopesOpen(account, model))
  if (made.key.subject === null && Object.keys(made.key.claims).length > 0) {
    console.log(
      `Without --subject the key shares Idempotency-Keys with every caller${ofAccount(model, account)} that has none.`,
    )
  }
  show(model, made, 'Made')
  return 0
}

async function list({ ring, model, clock, flags }: Task): Promise<number> {
  const account = accountOf(model, flags.account)
  const keys = await ring.list(account ?? null)
  if (flags.json) console.log(JSON.stringify(keys, null, 2))
  else if (keys.length === 0) console.log(await noKey(ring, model, account))
  else console.log(keyLines(keys, clock.now(), model.soleAccount === null))
  return 0
}

async function noKey(ring: KeyRing, model: Model, account: string | undefined): Promise<string> {
  const accounts = new Set((await ring.list(null)).map((key) => key.account))
  if (ring.away.length > 0) return 'There is no such key on the nodes that answer.'
  if (model.soleAccount !== null) return 'There is no key yet. Make one: nounkit keys create --name …'
  return account === undefined || accounts.size === 0
    ? 'There is no key yet. Make one: nounkit keys create --account … --name …'
    : `${account} has no key. ${didYouMean(account, accounts)}`
}

async function revoke({ ring, model, clock, flags }: Task): Promise<number> {
  const account = neededAccount(model, flags)
  const name = needed(flags, 'name')
  let endpoints = 0
  const ended = await ring.revoke(account, name, async (tx, keys) => {
    endpoints = model.events ? await endEndpoints(tx, account, { keys }, clock.now()) : 0
  })
  if (ended === 0) {
    const keys = await ring.list(account)
    if (keys.some((key) => key.name === name))
      throw new CommandMistake(`The key "${name}"${ofAccount(model, account)} has ended already.`)
    const active = keys.filter((key) => isActive(key, clock.now())).map((key) => key.name)
    const who = model.soleAccount === null ? `${account} has` : 'There is'
    throw new CommandMistake(`${who} no active key named "${name}". ${didYouMean(name, new Set(active))}`)
  }
  if (flags.json) {
    console.log(JSON.stringify({ account, name, ended, endpoints }))
    return 0
  }
  console.log(
    `Ended "${name}"${ofAccount(model, account)}. Running processes refuse it within a few seconds.`,
  )
  if (endpoints > 0) console.log(`${endpointsEnded(endpoints)} along with it.`)
  return 0
}

const endpointsEnded = (count: number): string =>
  `${counted(count, 'webhook endpoint')} that rested on it ${count === 1 ? 'has' : 'have'} ended`

/** All keys of a subject, and all its endpoints, also those that rest on tokens. */
async function endSubject({ ring, model, clock, flags, named }: Task): Promise<number> {
  const [account = '', subject = ''] =
    model.soleAccount !== null && named.length === 1 ? [model.soleAccount, ...named] : named
  if (subject === '' || (model.soleAccount ?? account) !== account)
    throw new UsageMistake(
      `Whose? Write ${model.soleAccount === null ? 'the account and the subject, as in: nounkit keys end-subject acme ada' : 'the subject alone, as in: nounkit keys end-subject ada'}.`,
    )
  let endpoints = 0
  const ended = await ring.endSubject(account, subject, async (tx) => {
    endpoints = model.events ? await endEndpoints(tx, account, { subject }, clock.now()) : 0
  })
  if (flags.json) {
    console.log(JSON.stringify({ account, subject, ended, endpoints }))
    return 0
  }
  console.log(
    `Ended ${counted(ended, 'key')} and ${counted(endpoints, 'webhook endpoint')} of the subject "${subject}"${ofAccount(model, account)}. Running processes notice it within a few seconds.`,
  )
  if (model.declaration.tokens)
    console.log(
      'Tokens are valid until they expire, and can set an endpoint active again until then: end the subject at the issuer first, and run this once more when the last token has expired.',
    )
  return 0
}

/** All webhook endpoints that rest on tokens of an issuer, in every account. The tokens themselves end with the setting that names the issuer. */
async function endIssuer({ store, model, clock, flags, named }: Task): Promise<number> {
  const [issuer = ''] = named
  if (issuer === '')
    throw new UsageMistake(
      'Which issuer? Write it as tokens have it in "iss", as in: nounkit keys end-issuer https://login.example.com/',
    )
  const endpoints = model.events ? await endThoseOfIssuer(store, issuer, clock.now()) : 0
  const operator = operatorOfCommand()
  await recordAct(store, clock.now(), { act: 'issuer-ended', operator, detail: { issuer, endpoints } })
  if (flags.json) console.log(JSON.stringify({ issuer, endpoints }))
  else
    console.log(
      `Ended ${counted(endpoints, 'webhook endpoint')} that rested on tokens of ${issuer}. Its tokens are refused once no process has the issuer among its settings.`,
    )
  return 0
}

async function rotate({ ring, model, clock, flags }: Task): Promise<number> {
  const overlapMs = flags.overlap === undefined ? dayMs : duration(flags.overlap, '--overlap', 0)
  const expiresAt = expiry(flags.expires, clock)
  const made = await ring.rotate(neededAccount(model, flags), needed(flags, 'name'), {
    overlapMs,
    ...(expiresAt === null ? {} : { expiresAt }),
  })
  if (flags.json) return showJson(made)
  console.log(`The old key works until ${new Date(clock.now() + overlapMs).toISOString()}.`)
  show(model, made, 'Rotated')
  return 0
}

function showJson({ key, secret }: MadeKey): number {
  console.log(JSON.stringify({ key, secret }, null, 2))
  return 0
}

function show({ soleAccount }: Model, { key, secret }: MadeKey, verb: string): void {
  const whose = soleAccount === null ? ` for ${key.account}` : ''
  const until = key.expiresAt === null ? 'without expiry' : `until ${keyTime(key.expiresAt)}`
  console.log(`${verb} "${key.name}" (${key.id})${whose}: ${key.kind}, ${key.scopes.join(' ')}, ${until}.`)
  if (key.subject !== null) console.log(`Its subject: ${key.subject}`)
  if (Object.keys(key.claims).length > 0) console.log(`Its claims: ${JSON.stringify(key.claims)}`)
  console.log(`Only its hash is stored, so this is the one time it is shown: ${secret}`)
}

const neededAccount = (model: Model, flags: Flags, form = /./): string =>
  model.soleAccount === null ? needed(flags, 'account', form) : (accountOf(model, flags.account) ?? '')

function needed(flags: Flags, name: 'account' | 'name', form = /./): string {
  const value = flags[name]
  if (value === undefined || value === '')
    throw new UsageMistake(
      `--${name} is missing. Write ${name === 'account' ? 'the account and ' : ''}the name of the key.`,
    )
  if (form.test(value)) return value
  throw new UsageMistake(`--${name} is ${JSON.stringify(value)}. Write at most 100 plain characters.`)
}

/** What a key opens that was made without `--scopes`. */
function allScopesOpen(account: string, model: Model): string {
  const opens = `Without --scopes the key has "*": it reads and writes everything${ofAccount(model, account)}`
  const isAnyShared = [...model.resources.values()].some((resource) => resource.shared)
  if (!isAnyShared) return `${opens}.`
  const byName = sharedWriteScopes(model)
  if (byName.length === 0) return `${opens}, and reads shared rows.`
  return `${opens}, and reads shared rows. To write those as well: --scopes '${['*', ...byName].join(',')}'.`
}

function readKind(text = 'external'): Consumer['kind'] {
  const kind = consumerKinds.find((one) => one === text)
  if (kind) return kind
  throw new UsageMistake(`--kind is "${text}". Write external, internal or probe.`)
}

const expiry = (text: string | undefined, clock: Clock): number | null =>
  text === undefined ? null : clock.now() + duration(text, '--expires', 1)

function duration(text: string, flag: string, least: number): number {
  const milliseconds = readDuration(text)
  if (milliseconds !== null && milliseconds >= least && milliseconds <= mostKeyDays * dayMs)
    return milliseconds
  const from = least > 0 ? ', longer than none' : ''
  throw new UsageMistake(
    `${flag} is "${text}". Write a time such as 90d, 12h, 30m or 10s${from} and at most ${mostKeyDays}d.`,
  )
}
