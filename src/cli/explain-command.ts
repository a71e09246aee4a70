import type { Caller } from '../call/caller.ts'
import type { Target } from '../call/target.ts'
import type { Model, View } from '../compile/model.ts'
import { counted } from '../compile/names/plural.ts'
import { ruleWords } from '../compile/rules/words.ts'
import { seedAccounts } from '../compile/service/accounts.ts'
import { disclosedTo } from '../guard/disclosed.ts'
import { demandReadScopes } from '../guard/scopes.ts'
import type { Dialect } from '../plan/dialect.ts'
import { Planner } from '../plan/planner.ts'
import type { Slot, Statement } from '../plan/statement.ts'
import { Problem } from '../problems.ts'
import { readList, readOne } from '../read/read-rows.ts'
import { readTotals } from '../read/read-totals.ts'
import type { LackingIncluded, Reader } from '../read/reader.ts'
import { createCursorSeal } from '../request/cursor.ts'
import { refuseUnknownTo } from '../request/field-scopes.ts'
import { readListQuery, readOneQuery } from '../request/read-query.ts'
import { createRouter } from '../serve/route.ts'
import { ensureSecret } from '../store/secret.ts'
import type { Store, Value } from '../store/store.ts'
import { accountOf } from './account-flag.ts'
import { aligned } from './aligned.ts'
import { callerFlags, readCallerFlags } from './caller-flags.ts'
import { type Given, jsonOption } from './command.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { withStore } from './command-store.ts'
import { apiAnd } from './positionals.ts'

export const options = {
  account: {
    type: 'string',
    value: 'ACCOUNT',
    does: 'whose rows are read; the first account of the seed by default',
  },
  ...callerFlags,
  json: jsonOption,
} as const

/** `nounkit explain [API] "GET /v2/…" …`: runs a read as a caller would, and shows how it is answered. */
export async function explainCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [place, call] = apiAnd(words, 1)
  const asked = readAsked(call)
  return withStore(place, async ({ model, store }) => {
    const { scopes, ...who } = readCallerFlags(flags, model)
    const caller: Caller = {
      account: accountOf(model, flags.account) ?? seedAccounts(model.declaration)[0] ?? 'example',
      consumer: { id: 'explain', name: 'explain', kind: 'internal' },
      scopes: new Set(scopes),
      ...who,
    }
    const explained = await explain(model, store, caller, asked)
    console.log(flags.json ? JSON.stringify(explained, null, 2) : textOf(explained))
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
    throw new UsageMistake(
      `Which call? Write a method and a path in quotes, as in: nounkit explain "GET /v2/orders?include=customer"`,
    )
  if (method !== undefined && method !== 'GET')
    throw new UsageMistake(`${method} writes, and explain shows reads. Write "GET ${path}".`)
  return { path, query }
}

/** What a read did. */
interface Watched {
  /** The nouns whose code answers for included rows. */
  readonly code: string[]
  /** The views whose rows it reads: those of the path, then included ones, then those that filters lead to. */
  views: readonly View[]
  statement: Statement | null
  values: readonly Value[]
}

/** A read, as `--json` prints it. */
interface Explained {
  /** The answer in words. */
  readonly answer: string
  /** The rule of each view whose rows the request reads, in words, or null. */
  readonly rules: readonly { readonly view: string; readonly rule: string | null }[]
  readonly database: string
  readonly statement: string
  readonly bound: readonly { readonly parameter: string; readonly is: string; readonly value: Value }[]
  readonly plan: readonly string[]
}

async function explain(model: Model, store: Store, caller: Caller, asked: Asked): Promise<Explained> {
  const router = createRouter(model)
  const target = router.find(asked.path)
  if (!target) throw refused(router.missing(asked.path))
  const { serves } = target.view
  if (serves === 'events' || serves === 'audit')
    throw new CommandMistake(
      `${asked.path} are ${serves === 'events' ? 'events' : 'audit entries'}, and explain shows reads of resources.`,
    )
  if (target.view.resource.answered)
    throw new CommandMistake(
      `${asked.path} is answered by code, and by no statement: answers.${target.id === null ? 'list' : 'get'} of ${target.view.resource.name}.`,
    )
  const watched: Watched = { views: [], code: [], statement: null, values: [] }
  const reader = await watchingReader(store, watched)
  const rows = await read(model, reader, caller, target, asked, watched)
  const code = [...new Set(watched.code)]
  const answer = code.length === 0 ? rows : `${rows}; besides, code is asked: ${code.join(', ')}`
  const { statement, values } = watched
  if (!statement) throw new Error('a read was answered without a statement')
  const plan = await store.all(`${store.dialect.explain} ${statement.text}`, values)
  return {
    answer,
    rules: watched.views.map((view) => ({ view: view.name, rule: ruleWords(view, 'read') })),
    database: store.dialect.name,
    statement: statement.text,
    bound: statement.slots.map((slot, at) => ({
      parameter: placeholder(at + 1, store.dialect),
      is: slotName(slot),
      value: values[at] ?? null,
    })),
    plan: store.dialect.planLines(plan),
  }
}

const textOf = ({ answer, rules, database, statement, bound, plan }: Explained): string =>
  [
    `Answer: ${answer}`,
    '',
    'Rules:',
    ...rules.map(({ view, rule }) => `  ${view}: ${rule ?? 'none'}`),
    '',
    `Statement, for ${database}:`,
    statement,
    '',
    'Bound:',
    ...aligned(bound.map(({ parameter, is, value }) => ['', parameter, is, JSON.stringify(value)])),
    '',
    'Plan:',
    ...plan.map((line) => `  ${line}`),
  ].join('\n')

const namesOfCode = (lacking: readonly LackingIncluded[]): readonly string[] =>
  lacking.map(({ included: { relation } }) => `answers.list of ${relation.relation.target.name}`)

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
      dialect: planner.dialect,
    },
    seal: createCursorSeal(await ensureSecret(store)),
    // Code is not run: what it would answer is left out.
    answers: { fill: async (_, lacking) => void watched.code.push(...namesOfCode(lacking)) },
    now: Date.now,
    indexRows: () => {},
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
  const join = sub?.relation.join ? [sub.relation.join()] : []
  const allow = (related: Iterable<View>): void => {
    demandReadScopes(related, caller)
    const rows = view.totals?.of() ?? view
    watched.views = [...new Set([...(sub ? [sub.owner()] : []), rows, ...join, ...related])]
  }
  try {
    demandReadScopes([view, ...join], caller)
    if (target.id !== null) {
      const one = readOneQuery(query, view, limits.rowsPerRequest, disclosedTo(caller))
      allow(one.include.views)
      return answerText(await readOne(reader, { caller, target }, one))
    }
    const page = readListQuery(query, view, limits.rowsPerRequest, disclosedTo(caller))
    refuseUnknownTo(caller, page.list)
    allow([...page.list.include.views, ...page.list.filteredBy])
    const read = view.totals ? readTotals : readList
    return answerText(await read(reader, { caller, target }, page))
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return `404, ${error.message}`
    throw refused(error)
  }
}

function answerText({ status, body }: { readonly status: number; readonly body: string | null }): string {
  const { data } = JSON.parse(body ?? '{}')
  return Array.isArray(data) ? `${status}, ${counted(data.length, 'row')}` : `${status}, 1 row`
}

/** A call that the service would refuse before it asks the store. */
const refused = (error: unknown): unknown =>
  error instanceof Problem
    ? new CommandMistake(`The call would be refused with ${error.status} ${error.type}: ${error.message}`)
    : error

/** `?1` or `$1`, without the type that follows it in the statement. */
const placeholder = (n: number, dialect: Dialect): string => /^.\d+/.exec(dialect.param(n, 'id'))?.[0] ?? ''

const slotName = (slot: Slot): string => {
  if (typeof slot === 'number') return 'value of the query'
  if (typeof slot === 'string') return slotNames[slot]
  return slot.source === 'claim' ? `claim ${slot.name}` : slotSources[slot.source]
}

const slotSources = {
  subject: 'subject',
  consumer: "consumer's name",
  program: 'whether it has no subject',
  now: 'time of the request',
}

const slotNames = {
  account: 'account',
  id: 'id in the path',
  owner: "owner's id in the path",
  limit: 'rows to read',
}
