import type { Clock } from '../clock.ts'
import {
  type ListedOperator,
  linkLifeMs,
  OperatorMistake,
  OperatorRing,
} from '../console/operators/operator-ring.ts'
import { hourMs, readDuration } from '../times.ts'
import { type Given, jsonOption } from './command.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { type CommandStore, withStore } from './command-store.ts'
import { keyTime } from './key-table.ts'
import { namedAction } from './named-action.ts'
import { apiAnd, positionalsUpTo } from './positionals.ts'

export const options = {
  url: {
    type: 'string',
    value: 'URL',
    does: 'create, link: where the service is; http://localhost:3000 by default',
  },
  expires: {
    type: 'string',
    value: 'TIME',
    does: 'create, link: how long the link may be used; 1d by default',
  },
  json: jsonOption,
} as const

type Flags = Given<typeof options>['flags']

interface Task {
  readonly ring: OperatorRing
  readonly clock: Clock
  readonly flags: Flags
  readonly name: string
}

const actions: { readonly [name: string]: (task: Task) => Promise<void> } = { create, link, list, revoke }

/** `nounkit operators create|link|revoke [API] NAME`, `nounkit operators list [API]`: who may use the console. */
export async function operatorsCommand({ flags, words: given }: Given<typeof options>): Promise<number> {
  const [action = '', ...words] = given
  positionalsUpTo(words, action === 'list' ? 1 : 2)
  const run = namedAction(actions, 'operators', action, 'create ada')
  const [place, name] = run === list ? [words[0], ''] : placeAndName(words)
  const work = async ({ store, clock }: CommandStore): Promise<number> => {
    try {
      await run({ ring: new OperatorRing(store, clock), clock, flags, name })
      return 0
    } catch (error) {
      throw error instanceof OperatorMistake ? new CommandMistake(error.message) : error
    }
  }
  return withStore(place, work, { create: run === create })
}

/** Small letters, so that nobody has to remember how the name was written. */
const form = /^[a-z0-9][a-z0-9_.@+-]{0,99}$/

function placeAndName(words: readonly string[]): readonly [string | undefined, string] {
  const [place, name = ''] = apiAnd(words, 1)
  if (form.test(name)) return [place, name]
  if (name === '')
    throw new UsageMistake('Who? Write the name of the operator last, as in: nounkit operators create ada')
  throw new UsageMistake(
    `The name of the operator is ${JSON.stringify(name)}. Write small letters, digits and any of _.@+- as in: nounkit operators create ada`,
  )
}

async function create(task: Task): Promise<void> {
  showLink(
    task,
    await task.ring.create(task.name, lifeOf(task.flags)),
    'may use the console once a password is set',
  )
}

async function link(task: Task): Promise<void> {
  showLink(
    task,
    await task.ring.link(task.name, lifeOf(task.flags)),
    'can set a new password, which ends all sessions',
  )
}

function showLink({ name, flags, clock }: Task, code: string, can: string): void {
  const base = baseOf(flags.url)
  const url = `${base}/console/welcome?code=${code}`
  const expiresAt = clock.now() + lifeOf(flags)
  if (flags.json) {
    console.log(JSON.stringify({ name, url, expiresAt: new Date(expiresAt).toISOString() }))
    return
  }
  console.log(`${name} ${can}, by this link, once, until ${keyTime(expiresAt)}:`)
  console.log(`  ${url}`)
  if (flags.url === undefined)
    console.log('Where the service is at another address, name it: --url https://api.example.com')
}

async function list({ ring, flags, clock }: Task): Promise<void> {
  const operators = await ring.list()
  if (flags.json) console.log(JSON.stringify(operators, null, 2))
  else if (operators.length === 0)
    console.log(
      'There is no operator, so nobody can open the console. Make one: nounkit operators create NAME',
    )
  else
    for (const operator of operators)
      console.log(`${operator.name}  ${stateOf(operator, clock.now())}  since ${keyTime(operator.createdAt)}`)
}

const stateOf = ({ revokedAt, hasPassword, linkExpiresAt }: ListedOperator, now: number): string => {
  if (revokedAt !== null) return `revoked ${keyTime(revokedAt)}`
  const open = linkExpiresAt !== null && linkExpiresAt > now ? `link until ${keyTime(linkExpiresAt)}` : null
  if (hasPassword) return open === null ? 'active' : `active, ${open}`
  return open ?? 'link expired'
}

async function revoke({ ring, name, flags }: Task): Promise<void> {
  await ring.revoke(name)
  if (flags.json) console.log(JSON.stringify({ name, revoked: true }))
  else console.log(`Revoked "${name}". All sessions have ended.`)
}

const lifeOf = ({ expires }: Flags): number => {
  if (expires === undefined) return linkLifeMs
  const life = readDuration(expires)
  if (life !== null && life > 0 && life <= 30 * 24 * hourMs) return life
  throw new UsageMistake(`--expires is "${expires}". Write a time such as 1h, 30m or 2d, at most 30d.`)
}

const baseOf = (url = `http://localhost:${process.env.PORT || 3000}`): string => {
  if (/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) return url.replace(/\/+$/, '')
  throw new UsageMistake(`--url is "${url}". Write where the service is, as in https://api.example.com`)
}
