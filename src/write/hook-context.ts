import type { Resource } from '../compile/model.ts'
import type { HookContext, Hooks, Rejection, Seeing } from '../declare/hooks.ts'
import type { AnyRow } from '../declare/reach.ts'
import type { DeclaredResource } from '../declare/relation.ts'
import { bound } from '../plan/bind.ts'
import { knownField } from '../plan/row-statements.ts'
import { Problem, type ProblemKind } from '../problems.ts'
import { bindSlots, type Call } from '../read/call.ts'
import type { StoredRow } from '../request/body.ts'
import type { ChangeSet } from './change-set.ts'
import { hookNames } from './hook-names.ts'
import { mayRead } from './judge.ts'
import { newRow } from './new-row.ts'
import type { Writer } from './writer.ts'

/** Hooks are typed by their resource where they are declared. The engine calls them with rows of any resource. */
type LooseHooks = Hooks<StoredRow>
export const hooksOf = (resource: Resource): LooseHooks => resource.hooks as unknown as LooseHooks

type HookName = keyof LooseHooks

/** `HookContext` for resources of which nothing is known. */
interface LooseContext extends Pick<HookContext, 'account' | 'now' | 'caller' | 'reject'> {
  find(name: Named, id: string, options?: Seeing & { readonly lock?: boolean }): Promise<AnyRow | null>
  list(name: Named, where: StoredRow, options?: Seeing): Promise<readonly AnyRow[]>
  sum(name: Named, field: string, where: StoredRow, options?: Seeing): Promise<number | string>
  create(name: Named, values: StoredRow): Promise<AnyRow>
  update(name: Named, id: string, values: StoredRow): Promise<AnyRow | null>
  remove(name: Named, id: string): Promise<boolean>
}
type Named = string | DeclaredResource

/** The change set goes on using its rows, so hooks get copies that they may change. */
export const copyForHook = (row: StoredRow): AnyRow => structuredClone(row) as AnyRow

/** What each hook of a request may do, bound to one transaction and one account. */
export function hookContexts(
  writer: Writer,
  changes: ChangeSet,
  call: Call,
  derivedKey: string | null,
): (hook: HookName) => HookContext {
  return (hook) => hookContext(writer, changes, call, derivedKey, hook)
}

function hookContext(
  writer: Writer,
  changes: ChangeSet,
  call: Call,
  derivedKey: string | null,
  hook: HookName,
): HookContext {
  const { account, consumer, subject, claims } = call.caller
  const scopes = Object.freeze([...call.caller.scopes])
  const names = hookNames(writer.model, call.target.view.resource, hook)
  const rowsWhere = (resource: Resource, where: StoredRow) => {
    const all = Object.keys(where).sort()
    const set = all.filter((name) => where[name] !== null && where[name] !== undefined)
    return {
      fields: { set, unset: all.filter((name) => !set.includes(name)) },
      values: set.map((name) => bound(knownField(resource, name), where[name])),
    }
  }
  const who = { account, asked: { by: call.caller, at: writer.now() } }
  const sightOf = ({ asCaller }: Seeing) => (asCaller ? call.caller.scopes : null)
  const rowsOf = async (
    resource: Resource,
    where: StoredRow,
    options: Seeing,
  ): Promise<readonly AnyRow[]> => {
    const { fields, values } = rowsWhere(resource, where)
    const statement = writer.planner.find(resource, fields, sightOf(options))
    const rows = await changes.tx.all(statement.text, bindSlots(statement.slots, { ...who, values }))
    return rows.map((row) => JSON.parse(String(row[0])) as AnyRow)
  }
  const tracked =
    <Args extends unknown[], T>(run: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      changes.track(run(...args))
  const context: LooseContext = {
    account,
    now: new Date(writer.now()).toISOString(),
    caller: { consumer: consumer.name, scopes, subject, claims, idempotencyKey: derivedKey },
    find: tracked(async (name, id, options = {}) => {
      const resource = names.resource('find', name)
      if (!options.lock) return (await rowsOf(resource, { id }, options))[0] ?? null
      const locked = await changes.lock(resource, id, 'to-delete')
      const isSeen = !options.asCaller || (await mayRead(writer, changes.tx, call, resource, id))
      return locked && isSeen ? copyForHook(locked.row) : null
    }),
    list: tracked(async (name, where, options = {}) => {
      const resource = names.resource('list', name)
      names.fields('list', resource, where)
      return rowsOf(resource, where, options)
    }),
    sum: tracked(async (name, field, where, options = {}) => {
      const resource = names.resource('sum', name)
      names.summand(resource, field)
      names.fields('sum', resource, where)
      const { fields, values } = rowsWhere(resource, where)
      const statement = writer.planner.sum(resource, field, fields, sightOf(options))
      const row = await changes.tx.first(statement.text, bindSlots(statement.slots, { ...who, values }))
      return JSON.parse(String(row?.[0]))
    }),
    create: tracked(async (name, values) => {
      const resource = names.resource('create', name)
      names.fields('create', resource, values)
      return copyForHook((await changes.insert(resource, newRow(resource, values, writer.now()))).row)
    }),
    update: tracked(async (name, id, values) => {
      const resource = names.resource('update', name)
      names.fields('update', resource, values)
      return updateRow(changes, resource, id, values)
    }),
    remove: tracked(async (name, id) => removeRow(changes, names.resource('remove', name), id)),
    reject: (rejection) => {
      throw rejected(rejection, names.problem(rejection), call)
    },
  }
  return context as HookContext
}

/** Waits for a hook, and for all calls that it has started and not awaited: they belong to the same transaction. */
export async function finishHook<T>(changes: ChangeSet, outcome: T | Promise<T>): Promise<T> {
  try {
    return await outcome
  } finally {
    await changes.settled()
  }
}

async function updateRow(
  changes: ChangeSet,
  resource: Resource,
  id: string,
  values: StoredRow,
): Promise<AnyRow | null> {
  if (!(await changes.lock(resource, id, 'to-delete'))) return null
  return copyForHook((await changes.update(resource, id, values)).row)
}

async function removeRow(changes: ChangeSet, resource: Resource, id: string): Promise<boolean> {
  if (!(await changes.lock(resource, id, 'to-delete'))) return false
  await changes.remove(resource, id)
  return true
}

/** A hook's refusal is the problem that the resource declares; its field is shown as the called version names it. */
function rejected({ code, detail, field: name }: Rejection, kind: ProblemKind, { target }: Call): Problem {
  const field = target.view.fields.find((one) => one.field?.name === name)
  return new Problem(code, kind, {
    detail,
    ...(field ? { errors: [{ pointer: `#/${field.name}`, detail, code }] } : {}),
  })
}
