import type { Call } from '../call/call.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { Resource } from '../compile/model.ts'
import type { HookContext, Hooks, Rejection, Seeing } from '../declare/hooks.ts'
import type { JobDeclaration, LaterOptions } from '../declare/job.ts'
import type { AnyRow } from '../declare/reach.ts'
import { Problem, type ProblemKind } from '../problems.ts'
import type { ChangeSet } from './change-set.ts'
import { checkHooked, hookNames } from './hook-names.ts'
import { type HookReads, hookReads, type NamedResource } from './hook-reads.ts'
import { type Hooked, type HookWrite, rowAfterHook, valuesOfChange, valuesOfNew } from './hook-values.ts'
import { mayRead } from './judge.ts'
import { newJob } from './new-job.ts'
import { newRow } from './new-row.ts'
import type { OpenWrite } from './write-request.ts'

/** Hooks are typed by their resource where they are declared. The engine calls them with rows of any resource. */
type LooseHooks = Hooks<StoredRow>
export const hooksOf = (resource: Resource): LooseHooks => resource.hooks as unknown as LooseHooks

type HookName = keyof LooseHooks

/** `HookContext` for resources of which nothing is known. */
interface LooseContext
  extends Pick<HookContext, 'account' | 'now' | 'caller' | 'reject'>,
    Omit<HookReads, 'find'> {
  find(
    name: NamedResource,
    id: string,
    options?: Seeing & { readonly lock?: boolean },
  ): Promise<AnyRow | null>
  create(name: NamedResource, values: StoredRow): Promise<AnyRow>
  update(name: NamedResource, id: string, values: StoredRow): Promise<AnyRow | null>
  remove(name: NamedResource, id: string): Promise<boolean>
  later(job: string | JobDeclaration, payload: unknown, options?: LaterOptions): Promise<void>
}

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
  const names = hookNames(writer.model, call.target.view.resource, `hook ${hook}`)
  const reads = hookReads({ writer, call, tx: changes.tx }, names)
  const setting = (asked: 'create' | 'update', name: NamedResource, values: StoredRow): HookWrite => {
    const resource = names.resource(asked, name)
    names.fields(asked, resource, values)
    const mistake = (what: string) => names.mistake(asked, resource, what)
    return { resource, levels: writer.model.limits.jsonDepth, mistake }
  }
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
      return options.lock ? lockRow(write, resource, id, options) : reads.find(resource, id, options)
    }),
    list: tracked(reads.list),
    count: tracked(reads.count),
    exists: tracked(reads.exists),
    sum: tracked(reads.sum),
    create: tracked(async (name, values) => {
      const set = setting('create', name, values)
      const fitting = await changes.judged(() => valuesOfNew(set, values))
      return copyForHook(
        (await changes.insert(set.resource, newRow(set.resource, fitting, writer.now()))).row,
      )
    }),
    update: tracked(async (name, id, values) => {
      const set = setting('update', name, values)
      const fitting = await changes.judged(() => valuesOfChange(set, id, values))
      return updateRow(changes, set.resource, id, fitting)
    }),
    later: tracked(async (job, payload, options) => {
      const made = await newJob(writer, job, payload, options).catch((error: Error) => error)
      await changes.judged(() => {
        if (made instanceof Error) throw names.about(made)
        changes.jobs.push(made)
      })
    }),
    remove: tracked(async (name, id) => removeRow(changes, names.resource('remove', name), id)),
    reject: (rejection) => {
      throw rejected(rejection, names.problem(rejection), call)
    },
  }
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

/** The row that a `before` hook leaves, judged. */
export function afterHook(
  { writer, call }: OpenWrite,
  hook: 'beforeCreate' | 'beforeUpdate',
  hooked: Hooked,
): StoredRow {
  const { resource } = call.target.view
  checkHooked(hooked.copy, resource, hook)
  checkHooked(hooked.returned, resource, hook)
  const mistake = (what: string) => new Error(`hook ${hook} of ${resource.name}: ${what}`)
  return rowAfterHook({ resource, levels: writer.model.limits.jsonDepth, mistake }, hooked)
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
export function rejected(
  { code, detail, field: name }: Rejection,
  kind: ProblemKind,
  { target }: Call,
): Problem {
  const field = target.view.fields.find((one) => one.field?.name === name)
  return new Problem(code, kind, {
    detail,
    ...(field ? { errors: [{ pointer: `#/${field.name}`, detail, code }] } : {}),
  })
}
