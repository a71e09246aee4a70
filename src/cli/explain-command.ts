import { parseArgs } from 'node:util'
import type { Model, View } from '../compile/model.ts'
import { ruleWords } from '../compile/rules/words.ts'
import { demandIncludeScopes, demandScope } from '../guard/scopes.ts'
import type { Dialect } from '../plan/dialect.ts'
import { Planner } from '../plan/planner.ts'
import type { Slot, Statement } from '../plan/statement.ts'
import { Problem } from '../problems.ts'
import type { Reader } from '../read/call.ts'
import { readList, readOne } from '../read/read-rows.ts'
import type { Caller } from '../request/caller.ts'
import { createCursorSeal } from '../request/cursor.ts'
import { refuseUnknownTo } from '../request/field-scopes.ts'
import { readListQuery, readOneQuery } from '../request/query.ts'
import { createRouter, type Target } from '../request/route.ts'
import { ensureSecret } from '../store/schema/secret.ts'
import type { Store, Value } from '../store/store.ts'
import { callerFlags, readCallerFlags } from './caller-flags.ts'
import { CommandMistake } from './command-mistake.ts'
import { withStore } from './command-store.ts'
import { positionalsUpTo } from './positionals.ts'

const options = { account: { type: 'string' }, ...callerFlags } as const

/** `nounkit explain API "GET /v2/…" …`: runs a read as a caller would, and shows how it is answered. */
export async function explainCommand(args: string[]): Promise<number> {
  const { values: flags, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [place, call] = positionalsUpTo(positionals, 2)
  const asked = readAsked(call)
  return withStore(place, { probe: 'SELECT 1 FROM "nounkit_meta" LIMIT 1' }, async ({ model, store }) => {
    const { scopes, ...who } = readCallerFlags(flags, model)
    const caller: Caller = {
      account: flags.account ?? model.declaration.seed?.accounts[0] ?? 'example',
      consumer: { id: 'explain', name: 'explain', kind: 'internal' },
      scopes: new Set(scopes),
      ...who,
    }
    const lines = await explain(model, store, caller, asked)
    console.log(lines.join('\n'))
    return 0
  })
}

interface Asked {
  readonly path: string
  readonly query: string
}

function readAsked(call: string | undefined): Asked {
  const [, method, path = '', query = ''] = /^(?:([A-Z]+) )?(\/[^\s?]*)(?:\?(\S*))?$/.exec(call ?? '') ?? []
  if (path === '')
    throw new CommandMistake(
      `Which call? Write a method and a path in quotes, as in: nounkit explain examples/shop "GET /v2/orders?include=customer"`,
    )
  if (method !== undefined && method !== 'GET')
    throw new CommandMistake(`${method} writes, and explain shows reads. Write "GET ${path}".`)
  return { path, query }
}

/** What a read did. */
interface Watched {
  /** The views whose rows it may show: those of the path, then included ones. */
  views: readonly View[]
  statement: Statement | null
  values: readonly Value[]
}

async function explain(model: Model, store: Store, caller: Caller, asked: Asked): Promise<readonly string[]> {
  const router = createRouter(model)
  const target = router.find(asked.path)
  if (!target) throw refused(router.missing(asked.path))
  if (target.view.serves === 'events')
    throw new CommandMistake(`${asked.path} are events, and explain shows reads of resources.`)
  const watched: Watched = { views: [], statement: null, values: [] }
  const reader = await watchingReader(store, watched)
  const answer = await read(model, reader, caller, target, asked, watched)
  const { statement, values } = watched
  if (!statement) throw new Error('a read was answered without a statement')
  const plan = await store.all(`${store.dialect.explain} ${statement.text}`, values)
  return [
    `Answer: ${answer}`,
    '',
    'Rules:',
    ...watched.views.map((view) => `  ${view.name}: ${ruleWords(view, 'read') ?? 'none'}`),
    '',
    `Statement, for ${store.dialect.name}:`,
    statement.text,
    '',
    'Bound:',
    ...boundLines(statement.slots, values, store),
    '',
    'Plan:',
    ...store.dialect.planLines(plan).map((line) => `  ${line}`),
  ]
}

/** A reader that notes the statement it runs. */
async function watchingReader(store: Store, watched: Watched): Promise<Reader> {
  const planner = new Planner(store.dialect)
  const note = (statement: Statement): Statement => {
    watched.statement = statement
    return statement
  }
  return {
    store: {
      first(text, values) {
        watched.values = values
        return store.first(text, values)
      },
    },
    planner: {
      one: (...shape) => note(planner.one(...shape)),
      list: (...shape) => note(planner.list(...shape)),
    },
    seal: createCursorSeal(await ensureSecret(store)),
    now: Date.now,
  }
}

/** The answer in words. A row that is not there was looked for all the same. */
async function read(
  { limits }: Model,
  reader: Reader,
  caller: Caller,
  target: Target,
  { query }: Asked,
  watched: Watched,
): Promise<string> {
  const { view, sub } = target
  const allow = (included: Iterable<View>): void => {
    demandIncludeScopes(included, caller)
    watched.views = [...new Set([...(sub ? [sub.owner()] : []), view, ...included])]
  }
  try {
    demandScope(view, 'GET', caller)
    if (target.id !== null) {
      const one = readOneQuery(query, view, limits.rowsPerRequest)
      allow(one.include.views)
      return answerText(await readOne(reader, { caller, target }, one))
    }
    const page = readListQuery(query, view, limits.rowsPerRequest)
    refuseUnknownTo(caller, page.list)
    allow(page.list.include.views)
    return answerText(await readList(reader, { caller, target }, page))
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return `404, ${error.message}`
    throw refused(error)
  }
}

function answerText({ status, body }: { readonly status: number; readonly body: string | null }): string {
  const { data } = JSON.parse(body ?? '{}')
  return Array.isArray(data)
    ? `${status}, ${data.length} row${data.length === 1 ? '' : 's'}`
    : `${status}, one row`
}

/** A call that the service would refuse before it asks the store. */
const refused = (error: unknown): unknown =>
  error instanceof Problem
    ? new CommandMistake(`The call would be refused with ${error.status} ${error.type}: ${error.message}`)
    : error

const boundLines = (
  slots: readonly Slot[],
  values: readonly Value[],
  { dialect }: Store,
): readonly string[] => {
  const cells = slots.map((slot, at) => [placeholder(at + 1, dialect), slotName(slot)])
  const width = (column: number) => Math.max(0, ...cells.map((row) => row[column]?.length ?? 0))
  const widths = [width(0), width(1)]
  return cells.map(
    ([parameter = '', name = ''], at) =>
      `  ${parameter.padEnd(widths[0] ?? 0)}  ${name.padEnd(widths[1] ?? 0)}  ${JSON.stringify(values[at] ?? null)}`,
  )
}

/** `?1` or `$1`, without the type that follows it in the statement. */
const placeholder = (n: number, dialect: Dialect): string => /^.\d+/.exec(dialect.param(n, 'id'))?.[0] ?? ''

const slotName = (slot: Slot): string => {
  if (typeof slot === 'number') return 'value of the query'
  if (typeof slot === 'string') return slotNames[slot]
  return slot.source === 'claim' ? `claim ${slot.name}` : slotSources[slot.source]
}

const slotSources = { subject: 'subject', consumer: "consumer's name", now: 'time of the request' }

const slotNames = {
  account: 'account',
  id: 'id in the path',
  owner: "owner's id in the path",
  limit: 'rows to read',
}
