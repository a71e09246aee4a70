import type { Model } from '../../compile/model.ts'
import { counted } from '../../compile/names/plural.ts'
import { statement } from '../../plan/bound-statement.ts'
import { ident } from '../../plan/dialect.ts'
import { eventName } from '../../plan/event-form.ts'
import type { Value } from '../../store/store.ts'
import type { Planning } from '../plan/planning.ts'
import type { TableChange } from '../plan/table-change.ts'
import type { TableStatement } from '../plan/table-sql.ts'
import type { Reading } from './scan.ts'

/** Event types of webhook endpoints (`tasks.created`) and scopes of API keys (`tasks:read`) have names of resources. */

const endpoints = 'webhook_endpoints'
const keys = 'nounkit_api_keys'
type Texts = readonly string[]

/** The statements by which renames of resources reach the endpoints and keys that name them. Names that are gone stay as they are. */
export async function* namedStatements(
  reading: Reading,
  model: Model,
  changes: readonly TableChange[],
): AsyncGenerator<TableStatement> {
  const names = new Map(
    changes.flatMap((step) =>
      step.kind === 'reshape' && step.from !== step.table.name
        ? [[eventName(step.from), eventName(step.table.name)] as const]
        : [],
    ),
  )
  if (names.size === 0) return
  const scopesNow = (all: Texts): Texts =>
    all.map((scope) => (isAskedFor(model, scope) ? scope : renamed(scope, ':', names)))
  yield* keyStatements(reading, scopesNow)
  if ([...model.stored.values()].some(({ table }) => table === endpoints))
    yield* endpointStatements(reading, (all) => all.map((type) => renamed(type, '.', names)), scopesNow)
}

function renamed(text: string, mark: '.' | ':', names: ReadonlyMap<string, string>): string {
  const at = text.lastIndexOf(mark)
  const now = at < 0 ? undefined : names.get(text.slice(0, at))
  return now === undefined ? text : now + text.slice(at)
}

/** A scope that the declaration names itself stays what it is, whatever resource it was named after. */
const isAskedFor = ({ scopes, head, resources }: Model, scope: string): boolean =>
  !resources.has(scope.replace(/:.*$/, '')) &&
  (scopes.has(scope) ||
    [...head.views.values()].some((view) => Object.values(view.scopes).some((rule) => rule === scope)))

async function* keyStatements(
  reading: Reading,
  scopesNow: (all: Texts) => Texts,
): AsyncGenerator<TableStatement> {
  const { dialect } = reading
  for (const [[hash = null], scopes] of await listsOf(reading, keys, 'scopes', ['hash'])) {
    const now = scopesNow(scopes)
    if (now.join() === scopes.join()) continue
    const { text, values } = statement(
      dialect,
      (bind) =>
        `UPDATE ${ident(keys)} SET "scopes" = ${bind('json', JSON.stringify(now))} WHERE "hash" = ${bind('string', hash)}`,
    )
    yield { sql: text, params: values }
  }
}

/** The caller whose rights decide what an endpoint is told has scopes, too. */
async function* endpointStatements(
  reading: Reading,
  typesNow: (all: Texts) => Texts,
  scopesNow: (all: Texts) => Texts,
): AsyncGenerator<TableStatement> {
  const { dialect } = reading
  const key = ['account_id', 'id', 'told_to']
  for (const [[account = null, id = null, toldTo], types] of await listsOf(
    reading,
    endpoints,
    'event_types',
    key,
  )) {
    const now = JSON.stringify(typesNow(types))
    const caller = typeof toldTo === 'string' ? toldTo : null
    const callerNow = caller === null ? null : callerWith(caller, scopesNow)
    if (now === JSON.stringify(types) && callerNow === caller) continue
    const { text, values } = statement(
      dialect,
      (bind) =>
        `UPDATE ${ident(endpoints)} SET "event_types" = ${bind('json', now)}, "told_to" = ${bind('string', callerNow)}, "version" = "version" + 1 WHERE "account_id" = ${bind('id', account)} AND "id" = ${bind('id', id)}`,
    )
    yield { sql: text, params: values }
  }
}

function callerWith(text: string, scopesNow: (all: Texts) => Texts): string {
  const caller: { readonly scopes?: Texts } = JSON.parse(text)
  return JSON.stringify({ ...caller, scopes: scopesNow(caller.scopes ?? []) })
}

/** The lists of a column, each with other columns of its row. */
async function listsOf(
  { session, dialect }: Reading,
  table: string,
  column: string,
  others: readonly string[],
): Promise<readonly (readonly [readonly Value[], Texts])[]> {
  const list = dialect.json(ident(column), 'json', false)
  const rows = await session.all(
    `SELECT ${[...others.map(ident), list].join(', ')} FROM ${ident(table)} WHERE ${ident(column)} IS NOT NULL`,
  )
  return rows.map((row) => [row.slice(0, -1), JSON.parse(String(row.at(-1)))])
}

/** Says which endpoints and keys name resources that are no longer declared. */
export async function noteNamed(planning: Planning, gone: readonly string[]): Promise<void> {
  if (planning.emptied) return
  const kinds = [
    { table: endpoints, column: 'event_types', mark: '.', holder: 'webhook endpoint', what: 'event types' },
    { table: keys, column: 'scopes', mark: ':', holder: 'API key', what: 'scopes' },
  ] as const
  for (const { table, column, mark, holder, what } of kinds) {
    if (gone.length === 0 || !planning.present.has(table) || gone.includes(table)) continue
    const lists = (await listsOf(planning, table, column, ['account_id'])).map(([, list]) => list)
    for (const name of gone.map(eventName)) {
      const isNamed = (text: string) =>
        text.startsWith(name + mark) && !(mark === ':' && isAskedFor(planning.model, text))
      const count = lists.filter((list) => list.some(isNamed)).length
      const have = count === 1 ? 'has' : 'have'
      if (count > 0) planning.notes.push(`${counted(count, holder)} still ${have} ${what} of ${name}`)
    }
  }
}
