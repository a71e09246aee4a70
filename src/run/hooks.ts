import type { Resource } from '../compile/model.ts'
import type { AnyRow, HookContext, Hooks, Rejection } from '../declare/hooks.ts'
import { bound } from '../plan/bind.ts'
import { Problem, type ProblemKind } from '../problems.ts'
import type { StoredRow } from '../request/body.ts'
import type { Transaction } from '../store/store.ts'
import { hookNames } from './hook-names.ts'
import { newId } from './ids.ts'
import { refreshSums, serverValue } from './rules.ts'
import { bindSlots, type Call, type Runner } from './run.ts'

/** Hooks are typed per resource where they are declared; here they are called with rows as they come. */
type LooseHooks = Hooks<StoredRow>
export const hooksOf = (resource: Resource): LooseHooks => resource.hooks as unknown as LooseHooks

type HookName = keyof LooseHooks

/** What each hook of a request may do, bound to one transaction and one account. */
export function hookContexts(
  runner: Runner,
  tx: Transaction,
  call: Call,
  derivedKey: string | null,
): (hook: HookName) => HookContext {
  return (hook) => hookContext(runner, tx, call, derivedKey, hook)
}

function hookContext(
  runner: Runner,
  tx: Transaction,
  call: Call,
  derivedKey: string | null,
  hook: HookName,
): HookContext {
  const { account, consumer } = call.caller
  const names = hookNames(runner.model, call.target.view.resource, hook)
  const rowsWhere = (resource: Resource, where: StoredRow) => {
    const all = Object.keys(where).sort()
    const set = all.filter((name) => where[name] !== null && where[name] !== undefined)
    return {
      fields: { set, unset: all.filter((name) => !set.includes(name)) },
      values: set.map((name) => bound(resource.field.get(name)?.kind ?? 'string', where[name])),
    }
  }
  return {
    account,
    now: new Date(runner.now()).toISOString(),
    caller: { consumer: consumer.name, idempotencyKey: derivedKey },
    find: heard(async (name, id, options = {}) =>
      lockedRow(runner, tx, account, names.resource('find', name), id, options.lock ?? false),
    ),
    list: heard(async (name, where) => {
      const resource = names.resource('list', name)
      names.fields('list', resource, where)
      const { fields, values } = rowsWhere(resource, where)
      const statement = runner.planner.find(resource, fields)
      const rows = await tx.all(statement.text, bindSlots(statement.slots, { account, values }))
      return rows.map((row) => JSON.parse(String(row[0])) as AnyRow)
    }),
    sum: heard(async (name, field, where) => {
      const resource = names.resource('sum', name)
      names.summand(resource, field)
      names.fields('sum', resource, where)
      const { fields, values } = rowsWhere(resource, where)
      const statement = runner.planner.sum(resource, field, fields)
      const row = await tx.first(statement.text, bindSlots(statement.slots, { account, values }))
      return Number(row?.[0] ?? 0)
    }),
    create: heard(async (name, values) => {
      const resource = names.resource('create', name)
      names.fields('create', resource, values)
      return createRow(runner, tx, account, resource, values)
    }),
    update: heard(async (name, id, values) => {
      const resource = names.resource('update', name)
      names.fields('update', resource, values)
      return updateStored(runner, tx, account, resource, id, values)
    }),
    remove: heard(async (name, id) => removeRow(runner, tx, account, names.resource('remove', name), id)),
    reject: (rejection) => {
      throw rejected(rejection, names.problem(rejection), call)
    },
  }
}

/**
 * Node ends the process over a rejection that nobody hears of, and a hook may forget to await. Those who do await are told as
 * ever, and a statement that failed has ended its transaction, whoever knows of it.
 */
const heard =
  <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
  (...args: Args): Promise<T> => {
    const outcome = call(...args)
    outcome.catch(() => {})
    return outcome
  }

async function lockedRow(
  runner: Runner,
  tx: Transaction,
  account: string,
  resource: Resource,
  id: string,
  lock: boolean,
): Promise<AnyRow | null> {
  const statement = runner.planner.lock(resource, null, lock ? 'to-delete' : 'none')
  const row = await tx.first(statement.text, bindSlots(statement.slots, { account, id }))
  return row ? (JSON.parse(String(row[0])) as AnyRow) : null
}

async function createRow(
  runner: Runner,
  tx: Transaction,
  account: string,
  resource: Resource,
  values: StoredRow,
): Promise<AnyRow> {
  const now = runner.now()
  const id = resource.idPrefix + newId(now)
  const row: StoredRow = Object.fromEntries(
    resource.fields.map((field) => [
      field.name,
      values[field.name] ?? serverValue(field, id, new Date(now).toISOString()),
    ]),
  )
  const insert = runner.planner.insert(resource)
  const bindings = resource.fields.map((field) => bound(field.kind, row[field.name]))
  await tx.first(insert.text, bindSlots(insert.slots, { account, values: bindings }))
  await refreshSums(runner, tx, account, resource, [row], false)
  return { ...row, id }
}

async function updateStored(
  runner: Runner,
  tx: Transaction,
  account: string,
  resource: Resource,
  id: string,
  values: StoredRow,
): Promise<AnyRow | null> {
  const before = await lockedRow(runner, tx, account, resource, id, true)
  if (!before) return null
  const names = Object.keys(values).sort()
  const update = runner.planner.update(resource, names)
  const bindings = names.map((name) => bound(resource.field.get(name)?.kind ?? 'string', values[name]))
  const now = new Date(runner.now()).toISOString()
  await tx.first(update.text, bindSlots(update.slots, { account, id, values: [...bindings, now] }))
  const after = { ...before, ...values, updated_at: now }
  await refreshSums(runner, tx, account, resource, [before, after], false)
  return after
}

async function removeRow(
  runner: Runner,
  tx: Transaction,
  account: string,
  resource: Resource,
  id: string,
): Promise<boolean> {
  const before = await lockedRow(runner, tx, account, resource, id, true)
  if (!before) return false
  const statement = runner.planner.delete(resource)
  await tx.first(statement.text, bindSlots(statement.slots, { account, id }))
  await refreshSums(runner, tx, account, resource, [before], false)
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
