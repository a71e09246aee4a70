import type { Call } from '../call/call.ts'
import { notThere } from '../call/target.ts'
import type { BelongsToModel, Resource } from '../compile/model.ts'
import { inOrderOf } from '../compile/schemas/order.ts'
import { pointerStep } from '../compile/schemas/validate.ts'
import { Problem, problem } from '../problems.ts'
import { FieldErrors } from '../request/field-errors.ts'
import { StoreError } from '../store/store.ts'
import { type Blocker, blockersOf } from './blockers.ts'
import { TooManyAlong } from './deleted-along.ts'
import { permitted, refuseUnlessMayMake } from './judge.ts'
import { outOfRange } from './out-of-range.ts'
import { takenAmong } from './taken-values.ts'
import { ofRow } from './within-row.ts'
import type { Attempt, WriteRequest } from './write-request.ts'

/** The problem for a write that the store refused. A reference to a missing row is reported before any conflict. */
export async function writeRefused(
  error: unknown,
  write: WriteRequest,
  attempts: readonly Attempt[],
): Promise<unknown> {
  const missing = isConflict(error) ? await missingReferences(write, attempts) : null
  if (missing) return missing
  if (!(error instanceof StoreError)) return error
  if (error.kind === 'unique' && error.columns.length > 0) {
    await refuseUnlessMayMake(write, attempts, attempts[0]?.before ? 'update' : 'create')
    return takenAmong(write, attempts, error.columns)
  }
  if (error.kind !== 'out-of-range') return error
  return ofRow(attempts.find(({ isOutOfRange }) => isOutOfRange)?.place ?? '', outOfRange())
}

const isConflict = (error: unknown): boolean =>
  error instanceof StoreError
    ? error.kind === 'foreign-key' || error.kind === 'unique'
    : error instanceof Problem && error.status === 409

/**
 * The problem with references to rows that do not exist, or that the caller may not read, or null. Checked after a refusal, and before
 * a hook that relies on them. A reference that was there before stays accepted: what a caller was shown can be sent back.
 */
export async function missingReferences(
  write: WriteRequest,
  attempts: readonly Attempt[],
): Promise<Error | null> {
  const { target } = write.call
  const errors = new FieldErrors()
  const shown = target.view.fields.flatMap(({ field }) => field?.relation ?? [])
  const relations = inOrderOf(target.view.resource.belongsTo, shown)
  const naming = new Map<BelongsToModel, ReadonlySet<Attempt>>()
  for (const relation of relations) naming.set(relation, await namingNone(write, relation, attempts))
  for (const attempt of attempts)
    for (const relation of relations) {
      if (!naming.get(relation)?.has(attempt)) continue
      if (target.sub?.by === relation) return notThere(target)
      const field = target.view.fields.find((one) => one.field?.name === relation.field)
      errors.add(() => ({
        pointer: `#${attempt.place}/${pointerStep(field?.name ?? '')}`,
        detail: `names a row of ${field?.target?.().name ?? 'another resource'} that does not exist`,
        code: 'reference',
      }))
    }
  const [first] = errors.shown
  if (!first) return null
  return problem('validation-failed', {
    detail: `${first.pointer?.slice(2)} ${first.detail}.`,
    ...errors.details,
  })
}

/** The rows that newly name, through a relation, a row which does not exist, or which the caller may not read. */
async function namingNone(
  write: WriteRequest,
  { field, target }: BelongsToModel,
  attempts: readonly Attempt[],
): Promise<ReadonlySet<Attempt>> {
  const naming = attempts.filter(
    ({ before, asked }) => typeof asked[field] === 'string' && asked[field] !== before?.[field],
  )
  const idOf = ({ asked }: Attempt) => String(asked[field])
  const there = await permitted(write, target, 'read', [...new Set(naming.map(idOf))])
  return new Set(naming.filter((attempt) => !there.has(idOf(attempt))))
}

/** Refuses new references to rows that the caller may not read. The store itself refuses those to rows that do not exist. */
export async function refuseUnreadable(write: WriteRequest, attempts: readonly Attempt[]): Promise<void> {
  const { target } = write.call
  for (const relation of target.view.resource.belongsTo)
    if (relation.target.rules.read && (await namingNone(write, relation, attempts)).size > 0)
      throw (await missingReferences(write, attempts)) ?? notThere(target)
}

/** The problem for a delete that the store refused: rows still reference the row, or a row that would be deleted along with it. */
export async function deleteRefused(error: unknown, { writer, call }: WriteRequest): Promise<unknown> {
  if (error instanceof StoreError && error.kind === 'out-of-range') return outOfRange()
  const { target, caller } = call
  if (error instanceof TooManyAlong) {
    const name = shownName(call, error.resource)
    return problem('still-referenced', {
      detail: `More rows${name === undefined ? '' : ` of ${name}`} would be deleted along with it than one request may delete (${error.most}, and fewer where they are long). Delete some of them first.`,
      members: { referenced_by: name === undefined ? [] : [name] },
    })
  }
  if (!(error instanceof StoreError) || error.kind !== 'foreign-key') return error
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
