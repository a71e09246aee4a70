import type { BelongsToModel, Resource } from '../compile/model.ts'
import { inOrderOf } from '../compile/schemas/order.ts'
import { Problem, problem } from '../problems.ts'
import type { Call } from '../read/call.ts'
import { notThere } from '../read/read-rows.ts'
import { sentFor } from '../request/customs.ts'
import { mayKnow } from '../request/field-scopes.ts'
import { pointerStep } from '../request/validate.ts'
import { StoreError } from '../store/store.ts'
import { type Blocker, blockersOf } from './blockers.ts'
import { mayRead, refuseUnlessMayMake } from './judge.ts'
import { outOfRange } from './out-of-range.ts'
import type { Attempt, WriteRequest } from './write-request.ts'

/** The problem for a write that the store refused. A reference to a missing row is reported before any conflict. */
export async function writeRefused(error: unknown, write: WriteRequest, attempt: Attempt): Promise<unknown> {
  const missing = isConflict(error) ? await missingReferences(write, attempt) : null
  if (missing) return missing
  if (!(error instanceof StoreError)) return error
  if (error.kind === 'unique' && error.columns.length > 0) {
    const { before, written } = attempt
    if (written) await refuseUnlessMayMake(write, written, before ? 'update' : 'create')
    return taken(write.call, error.columns)
  }
  if (error.kind === 'out-of-range') return outOfRange()
  return error
}

const isConflict = (error: unknown): boolean =>
  error instanceof StoreError
    ? error.kind === 'foreign-key' || error.kind === 'unique'
    : error instanceof Problem && error.status === 409

/**
 * The problem with references to rows that do not exist, or that the caller may not read, or null. Checked after a refusal, and before
 * a hook that relies on them. A reference that was there before stays accepted: what a caller was shown can be sent back.
 */
export async function missingReferences(write: WriteRequest, attempt: Attempt): Promise<Error | null> {
  const { target } = write.call
  const errors = []
  const shown = target.view.fields.flatMap(({ field }) => field?.relation ?? [])
  for (const relation of inOrderOf(target.view.resource.belongsTo, shown)) {
    if (await isThere(write, relation, attempt)) continue
    if (target.sub?.by === relation) return notThere(target)
    const field = target.view.fields.find((one) => one.field?.name === relation.field)
    errors.push({
      pointer: `#/${pointerStep(field?.name ?? '')}`,
      detail: `names a row of ${field?.target?.().name ?? 'another resource'} that does not exist`,
      code: 'reference',
    })
  }
  if (errors.length === 0) return null
  return problem('validation-failed', {
    detail: `${errors[0]?.pointer.slice(2)} ${errors[0]?.detail}.`,
    errors,
  })
}

async function isThere(
  write: WriteRequest,
  { field, target }: BelongsToModel,
  { before, asked }: Attempt,
): Promise<boolean> {
  const id = asked[field]
  return typeof id !== 'string' || id === before?.[field] || mayRead(write, target, id)
}

/** Refuses new references to rows that the caller may not read. The store itself refuses those to rows that do not exist. */
export async function refuseUnreadable(write: WriteRequest, attempt: Attempt): Promise<void> {
  const { target } = write.call
  for (const relation of target.view.resource.belongsTo) {
    if (!relation.target.rules.read || (await isThere(write, relation, attempt))) continue
    throw (await missingReferences(write, attempt)) ?? notThere(target)
  }
}

function taken({ target, caller }: Call, columns: readonly string[]): Error {
  const { view } = target
  const fields = new Set(columns.flatMap((column) => sentFor(view, (field) => field.column === column)))
  const shown = view.fields
    .filter((field) => fields.has(field) && mayKnow(field, caller.scopes))
    .map((field) => field.name)
  const what = shown.length > 1 ? 'These values together are' : 'This value is'
  return problem('unique-conflict', {
    detail: `${shown.join(', ') || 'A value'} must be unique in ${view.name}. ${what} taken.`,
    errors: shown.map((name) => ({ pointer: `#/${pointerStep(name)}`, detail: 'is taken', code: 'unique' })),
  })
}

/** The problem for a delete that the store refused: rows still reference the row, or a row that would be deleted along with it. */
export async function deleteRefused(error: unknown, { writer, call }: WriteRequest): Promise<unknown> {
  if (error instanceof StoreError && error.kind === 'out-of-range') return outOfRange()
  if (!(error instanceof StoreError) || error.kind !== 'foreign-key') return error
  const { target, caller } = call
  const blockers = await blockersOf(writer, caller.account, target.view.resource, target.id ?? '')
  const namesOf = (some: readonly Blocker[]) =>
    inOrderOf(
      some.flatMap(({ resource }) => shownName(call, resource) ?? []),
      target.version.views.keys(),
    )
  const direct = namesOf(blockers.filter(({ names }) => names === 'the row'))
  const along = namesOf(blockers.filter(({ names }) => names === 'a row deleted along'))
  const sentences = [
    ...(direct.length > 0 ? [`Rows of ${direct.join(' and ')} still point to it.`] : []),
    ...(along.length > 0
      ? [`Rows of ${along.join(' and ')} still point to rows that would be deleted along with it.`]
      : []),
  ]
  return problem('still-referenced', {
    detail: sentences.join(' ') || 'Other rows still point to it.',
    members: { referenced_by: namesOf(blockers) },
  })
}

/** A resource as the called version names it; nothing where it does not show the resource, of which a process of an older declaration knows nothing either. */
const shownName = ({ target }: Call, resource: Resource): string | undefined =>
  target.version.viewOf.get(resource.name)?.name
