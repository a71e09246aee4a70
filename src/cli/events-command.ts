import { type Caller, noClaims } from '../call/caller.ts'
import { showsEvents } from '../compile/versions/events-view.ts'
import { EventLog } from '../events/event-log.ts'
import { EventScan, type ShownAt } from '../events/event-scan.ts'
import { EventSignal } from '../events/event-signal.ts'
import type { Audience } from '../events/show-event.ts'
import { disclosedTo } from '../guard/disclosed.ts'
import { Planner } from '../plan/planner.ts'
import { Problem } from '../problems.ts'
import { createCursorSeal } from '../request/cursor.ts'
import { readListQuery } from '../request/read-query.ts'
import { createRouter } from '../serve/route.ts'
import { ensureSecret } from '../store/secret.ts'
import type { Store } from '../store/store.ts'
import { accountOf } from './account-flag.ts'
import { accountKeys, noteEmptyAccount } from './account-keys.ts'
import type { Given } from './command.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { type CommandStore, withStore } from './command-store.ts'
import { namedVersion } from './named-version.ts'
import { positionalsUpTo } from './positionals.ts'

export const options = {
  account: {
    type: 'string',
    value: 'ACCOUNT',
    does: "whose events; needed unless the API has accounts: 'one'",
  },
  type: {
    type: 'string',
    multiple: true,
    value: 'TYPE',
    does: 'only events such as orders.created; repeatable',
  },
  version: { type: 'string', value: 'VERSION', does: 'in the words of this version; the newest by default' },
  follow: { type: 'boolean', does: 'goes on with what happens' },
  json: { type: 'boolean', does: 'prints each event as JSON, on one line' },
} as const

type Flags = Given<typeof options>['flags']

const eventsPerRead = 500

/** `nounkit events [API] --account ACCOUNT …`: prints what happened to the rows of an account, oldest first. */
export async function eventsCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [place] = positionalsUpTo(words, 1)
  return withStore(place, async (opened) => {
    const account = accountOf(opened.model, flags.account)
    if (!account) throw new UsageMistake('Whose events? Name the account: --account acme')
    const log = new EventLog(opened.store)
    const scan = await scanOf(opened, log, account, flags)
    if (opened.model.soleAccount === null) await noteUnknown(opened.store, log, account)
    const signal = new EventSignal(log)
    try {
      for await (const event of eventsOf(scan, signal, flags.follow ?? false))
        console.log(flags.json ? event.text : lineOf(event))
    } finally {
      await signal.stop()
    }
    return 0
  })
}

/** Nothing would be printed for an account with a mistyped name, and with `--follow` for ever. */
async function noteUnknown(store: Store, log: EventLog, account: string): Promise<void> {
  if ((await log.last(account)) > 0) return
  const keys = await accountKeys(store, account)
  if (!keys.hasKey) noteEmptyAccount(account, 'no events', keys)
}

/** The operator of a service sees every row. */
const everyone: Audience = { caller: null, grants: new Set(['*']), mayRead: () => true }

async function scanOf(
  { model, store }: CommandStore,
  log: EventLog,
  account: string,
  { version: name, type = [] }: Flags,
): Promise<EventScan> {
  const version = name === undefined ? model.head : namedVersion(model, name)
  const target = createRouter(model).find(`/${version.name}/events`)
  if (!showsEvents(version) || !target)
    throw new CommandMistake(
      `${version.name} of this API has no events. Declare them: events: { keepDays: 30 }`,
    )
  const types = type.flatMap((names) => names.split(',')).map(encodeURIComponent)
  const query = types.length > 0 ? `filter[type][in]=${types.join(',')}` : ''
  const seal = createCursorSeal(await ensureSecret(store))
  const call = { caller: operatorOf(account), target }
  const disclosure = disclosedTo(call.caller)
  const { list } = queried(() => readListQuery(query, target.view, model.limits.rowsPerRequest, disclosure))
  const planner = new Planner(store.dialect)
  return new EventScan({ model, store, planner, log, seal, now: Date.now }, call, list, everyone)
}

/** A wrong query is a mistake of the command line. */
function queried<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const [fault] = error.details.errors ?? []
    throw new CommandMistake(`--type ${fault?.detail ?? error.details.detail}`)
  }
}

const operatorOf = (account: string): Caller => ({
  account,
  consumer: { id: 'events', name: 'events', kind: 'internal' },
  scopes: new Set(['*']),
  subject: null,
  claims: noClaims,
})

async function* eventsOf(scan: EventScan, signal: EventSignal, follow: boolean): AsyncGenerator<ShownAt> {
  let wake = Promise.withResolvers<void>()
  const leave = follow ? signal.follow(scan.account, () => wake.resolve()) : () => {}
  // The timer of the signal does not keep a process running.
  const running = setInterval(() => {}, 60_000)
  try {
    for (let position: number | null = null; ; ) {
      const page = await scan.page(position, eventsPerRead)
      yield* page.events
      position = page.next
      if (page.hasMore) continue
      if (!follow) return
      await wake.promise
      wake = Promise.withResolvers<void>()
    }
  } finally {
    clearInterval(running)
    leave()
  }
}

function lineOf({ text, type }: ShownAt): string {
  const { created_at, resource_id, changed } = JSON.parse(text)
  return [created_at, type.padEnd(24), resource_id, ...(changed ? [changed.join(', ')] : [])].join('  ')
}
