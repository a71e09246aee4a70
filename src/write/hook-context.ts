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
import { mayRead, whoAsks } from './judge.ts'
import { newRow } from './new-row.ts'
import type { OpenWrite } from './write-request.ts'

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

/** What each hook of a request may do, bound to one transaction and one account. `derivedKey` is null for a request without a key. */
export const hookContexts =
  (write: OpenWrite, derivedKey: string | null) =>
  (hook: HookName): HookContext =>
    hookContext(write, derivedKey, hook) as HookContext

function hookContext(write: OpenWrite, derivedKey: string | null, hook: HookName): LooseContext {
  const { writer, changes, call } = write
  const { account, consumer, subject, claims } = call.caller
  const scopes = Object.freeze([...call.caller.scopes])
  const names = hookNames(writer.model, call.target.view.resource, hook)
  const tracked =
    <Args extends unknown[], T>(run: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      changes.track(run(...args))
  return {
    account,
    now: new Date(writer.now()).toISOString(),
    caller: { consumer: consumer.name, scopes, subject, claims, idempotencyKey: derivedKey },
    find: tracked(async (name, id, options = {}) => {
      const resource = names.resource('find', name)
      return options.lock
        ? lockRow(write, resource, id, options)
        : ((await findRows(write, resource, { id }, options))[0] ?? null)
    }),
    list: tracked(async (name, where, options = {}) => {
      const resource = names.resource('list', name)
      names.fields('list', resource, where)
      return findRows(write, resource, where, options)
    }),
    sum: tracked(async (name, field, where, options = {}) => {
      const resource = names.resource('sum', name)
      names.summand(resource, field)
      names.fields('sum', resource, where)
      const { fields, values } = conditionsOf(resource, where)
      const sum = writer.planner.sum(resource, field, fields, sightOf(call, options))
      const row = await changes.tx.first(sum.text, bindSlots(sum.slots, { ...whoAsks(write), values }))
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
}

/** The scopes that decide which rows a hook's read sees; null for all rows of the account. */
const sightOf = ({ caller }: Call, { asCaller }: Seeing) => (asCaller ? caller.scopes : null)

/** The fields that a hook's `where` names, set and null apart because their SQL differs, and the values to bind. */
function conditionsOf(resource: Resource, where: StoredRow) {
  const all = Object.keys(where).sort()
  const set = all.filter((name) => where[name] !== null && where[name] !== undefined)
  return {
    fields: { set, unset: all.filter((name) => !set.includes(name)) },
    values: set.map((name) => bound(knownField(resource, name), where[name])),
  }
}

async function findRows(
  write: OpenWrite,
  resource: Resource,
  where: StoredRow,
  seeing: Seeing,
): Promise<readonly AnyRow[]> {
  const { writer, changes, call } = write
  const { fields, values } = conditionsOf(resource, where)
  const { text, slots } = writer.planner.find(resource, fields, sightOf(call, seeing))
  const rows = await changes.tx.all(text, bindSlots(slots, { ...whoAsks(write), values }))
  return rows.map((row) => JSON.parse(String(row[0])) as AnyRow)
}

async function lockRow(
  write: OpenWrite,
  resource: Resource,
  id: string,
  { asCaller }: Seeing,
): Promise<AnyRow | null> {
  const locked = await write.changes.lock(resource, id, 'to-delete')
  const isSeen = !asCaller || (await mayRead(write, resource, id))
  return locked && isSeen ? copyForHook(locked.row) : null
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
