import { toShown, toStored } from '../compile/codecs.ts'
import type { Field, Resource } from '../compile/model.ts'
import { inOrderOf } from '../compile/order.ts'
import { problem } from '../problems.ts'
import type { StoredRow } from '../request/body.ts'
import type { JsonObject } from '../request/json.ts'
import type { Transaction } from '../store/store.ts'
import { outOfRange } from './conflicts.ts'
import { bindSlots, type Call, type Runner } from './run.ts'

/**
 * A state moves along the moves of the caller's version, and never against those of the newest: an older version may lack a
 * move that was added since, and one of its states may stand for several. The refusal is in the caller's words.
 */
export function refuseMove(call: Call, body: JsonObject, before: StoredRow, after: StoredRow): void {
  for (const field of call.target.view.fields) {
    if (!field.field || !field.states) continue
    const stored = String(before[field.field.name])
    const wanted = String(after[field.field.name])
    if (stored === wanted) continue
    const from = String(toShown(field, stored))
    // Several words of an older version may be stored alike, so the one that was sent is taken as it is.
    const to = String(body[field.name] ?? toShown(field, wanted))
    const possible = field.field.states?.moves[stored] ?? []
    const allowed = (field.states.moves[from] ?? []).filter((word) =>
      possible.includes(String(toStored(field, word))),
    )
    if (allowed.includes(to)) continue
    const choice = allowed.length > 0 ? `It can move to ${allowed.join(', ')}.` : 'It is final.'
    throw problem('transition-not-allowed', {
      detail: `${field.name} cannot move from ${from} to ${to}. ${choice}`,
      members: { field: field.name, from, to, allowed },
      errors: [{ pointer: `#/${field.name}`, detail: 'is not an allowed move', code: 'transition' }],
    })
  }
}

/**
 * `onlyWhile`: the related row is locked, so that it cannot leave its state until this write has ended. A row that moves from
 * one to another must be allowed to leave and to arrive.
 */
export async function refuseUnlessWhile(
  runner: Runner,
  tx: Transaction,
  call: Call,
  rows: readonly StoredRow[],
): Promise<void> {
  for (const rule of call.target.view.resource.onlyWhile) {
    for (const id of idsIn(rows, rule.relation.field)) {
      const lock = runner.planner.lock(rule.relation.target, null, 'to-change')
      const found = await tx.first(lock.text, bindSlots(lock.slots, { account: call.caller.account, id }))
      if (!found) continue
      const related = JSON.parse(String(found[0])) as StoredRow
      refuseState(call, rule.relation.target, rule.field, String(related[rule.field]), rule.values, 'written')
    }
  }
}

/** In one order, so that two who move rows between the same two do not wait for each other. */
const idsIn = (rows: readonly StoredRow[], field: string): readonly string[] =>
  [...new Set(rows.map((row) => row[field]).filter((id) => typeof id === 'string'))].sort()

export function refuseDeleteUnlessWhile(call: Call, row: StoredRow): void {
  const { resource } = call.target.view
  for (const rule of resource.deleteOnlyWhile) {
    refuseState(call, resource, rule.field, String(row[rule.field]), rule.values, 'deleted')
  }
}

function refuseState(
  { target }: Call,
  on: Resource,
  field: string,
  value: string,
  values: readonly string[],
  verb: string,
): void {
  if (values.includes(value)) return
  const view = target.version.viewOf.get(on.name)
  const shown = view?.fields.find((one) => one.field?.name === field)
  // What a version does not show has no name there, and its values are nobody's.
  const say = (one: string) => (shown ? String(toShown(shown, one)) : null)
  const allowed = shown ? inOrderOf(values.map(say), shown.schema.enum ?? []) : []
  const now = shown ? ` is ${allowed.join(' or ')}; it is ${say(value)}.` : ' allows it.'
  const whose = on === target.view.resource ? 'their' : `the ${shown?.name ?? 'state'} of`
  const subject =
    on === target.view.resource
      ? ` ${shown?.name ?? 'state'}`
      : ` their row in ${view?.name ?? 'another resource'}`
  throw problem('state-conflict', {
    detail: `${target.view.name} can be ${verb} only while ${whose}${subject}${now}`,
    members: { field: shown?.name ?? null, value: say(value), allowed },
  })
}

/**
 * Makes the sums anew that rows of this resource feed: for the owner before and after a change. `judged` says that
 * `refuseUnlessWhile` has been asked about these rows, and has locked what it looked at.
 */
export async function refreshSums(
  runner: Runner,
  tx: Transaction,
  account: string,
  resource: Resource,
  rows: readonly StoredRow[],
  judged: boolean,
): Promise<void> {
  const now = new Date(runner.now()).toISOString()
  for (const feed of resource.feeds) {
    const locked = judged && resource.onlyWhile.some((rule) => rule.relation === feed.by)
    const refresh = runner.planner.refreshSum(feed, resource)
    for (const id of idsIn(rows, feed.by.field)) {
      if (!locked) await holdOwner(runner, tx, account, feed.on, id)
      const row = await tx.first(refresh.text, bindSlots(refresh.slots, { account, id, values: [now] }))
      if (row && !Number.isSafeInteger(Number(row[0]))) throw outOfRange()
    }
  }
}

/**
 * A statement that waits for a row goes on with what it saw when it began, so a sum made by one that waited would lack the
 * other's row: waiting is done before.
 */
async function holdOwner(
  runner: Runner,
  tx: Transaction,
  account: string,
  owner: Resource,
  id: string,
): Promise<void> {
  if (tx.dialect.forOwnUpdate === '') return
  const hold = runner.planner.hold(owner)
  await tx.first(hold.text, bindSlots(hold.slots, { account, id }))
}

/** What the server itself sets in a new row. */
export function serverValue(field: Field, id: string, now: string): unknown {
  if (field.kind === 'id') return id
  if (field.name === 'created_at' || field.name === 'updated_at') return now
  if (field.sum) return 0
  if (field.states) return field.states.initial
  return field.default ?? null
}
