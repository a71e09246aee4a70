import type { Call } from '../call/call.ts'
import { mayKnow } from '../call/grants.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { Resource } from '../compile/model.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { inOrderOf } from '../compile/schemas/order.ts'
import { toShown, toStored } from '../compile/versions/codecs.ts'
import { problem } from '../problems.ts'
import { mayRead } from './judge.ts'
import { ownersOf } from './row-change.ts'
import { ofRow } from './within-row.ts'
import type { OpenWrite } from './write-request.ts'

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
    // Several words of an older version may be stored as one value, so the word that was sent is used.
    const to = String(body[field.name])
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
 * one to another must be allowed to leave and to arrive. `places` are those of the rows in a list: the refusal is about the first of them.
 */
export async function refuseUnlessWhile(
  write: OpenWrite,
  rows: readonly StoredRow[],
  places: readonly string[] = [],
): Promise<void> {
  const { call, changes } = write
  for (const { relation, field, values } of call.target.view.resource.onlyWhile) {
    const ids = ownersOf(rows, relation)
    await changes.lockAll(relation.target, ids)
    const refusing = new Map<unknown, string>()
    for (const id of ids) {
      const related = await changes.lock(relation.target, id, 'to-change')
      const value = String(related?.row[field])
      if (related && !values.includes(value)) refusing.set(id, value)
    }
    const refused = rows.findIndex((row) => refusing.has(row[relation.field]))
    if (refused < 0) continue
    const id = String(rows[refused]?.[relation.field])
    const value = (await mayRead(write, relation.target, id)) ? (refusing.get(id) ?? null) : null
    const conflict = stateConflict(call, 'written', { on: relation.target, field, values }, value)
    throw ofRow(places[refused] ?? '', conflict)
  }
}

export function refuseDeleteUnlessWhile(call: Call, row: StoredRow): void {
  const { resource } = call.target.view
  for (const rule of resource.deleteOnlyWhile) {
    const value = String(row[rule.field])
    if (!rule.values.includes(value)) throw stateConflict(call, 'deleted', { on: resource, ...rule }, value)
  }
}

/** Which values a field of a row must have, for a write to be allowed. */
interface AllowedValues {
  readonly on: Resource
  readonly field: string
  readonly values: readonly string[]
}

/** `value` is null where the caller may not read the row. */
function stateConflict(
  { target, caller }: Call,
  verb: 'written' | 'deleted',
  { on, field, values }: AllowedValues,
  value: string | null,
): Error {
  const view = target.version.viewOf.get(on.name)
  const shown = view?.fields.find(
    (one) => value !== null && one.field?.name === field && mayKnow(one, caller.scopes),
  )
  // A field that the version does not show, or not to this caller, has no name there, and its values must not leak.
  const say = (one: string | null) => (shown ? String(toShown(shown, one)) : null)
  const allowed = shown ? inOrderOf(values.map(say), shown.schema.enum ?? []) : []
  const now = shown ? ` is ${allowed.join(' or ')}; it is ${say(value)}.` : ' allows it.'
  const whose = on === target.view.resource ? 'their' : `the ${shown?.name ?? 'state'} of`
  const subject =
    on === target.view.resource
      ? ` ${shown?.name ?? 'state'}`
      : ` their row in ${view?.name ?? 'another resource'}`
  return problem('state-conflict', {
    detail: `${target.view.name} can be ${verb} only while ${whose}${subject}${now}`,
    members: { field: shown?.name ?? null, value: say(value), allowed },
  })
}
