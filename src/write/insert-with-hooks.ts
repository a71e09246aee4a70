import type { StoredRow } from '../call/stored-row.ts'
import { missingReferences } from './conflicts.ts'
import type { EngineHooks } from './engine-hooks.ts'
import { afterHook, copyForHook, finishHook, hookContexts, hooksOf } from './hook-context.ts'
import { refuseUnlessMade } from './judge.ts'
import { refuseUnlessWhile } from './state-checks.ts'
import { lockTarget } from './update.ts'
import type { Attempt, OpenWrite } from './write-request.ts'

interface Inserted {
  readonly row: StoredRow
  readonly version: number
  /** Fields that the answer to this create alone shows. */
  readonly shownOnce: StoredRow | undefined
}

/** Refuses new rows before any of them is inserted, and before a hook runs that relies on what they name. */
export async function refuseBeforeInsert(write: OpenWrite, attempts: readonly Attempt[]): Promise<void> {
  await refuseUnlessWhile(
    write,
    attempts.map(({ asked }) => asked),
    attempts.map(({ place }) => place),
  )
  if (!hooksOf(write.call.target.view.resource).beforeCreate) return
  const missing = await missingReferences(write, attempts)
  if (missing) throw missing
}

/** Inserts a row, with the hooks around it. `derivedKey` is what hooks get of the Idempotency-Key; null without one. */
export async function insertWithHooks(
  write: OpenWrite,
  attempt: Attempt,
  own: EngineHooks,
  derivedKey: string | null,
): Promise<Inserted> {
  const { call, changes } = write
  const row = attempt.asked
  const { resource } = call.target.view
  const { beforeCreate, afterCreate } = hooksOf(resource)
  const contextOf = hookContexts(write, derivedKey)
  let whole = row
  if (beforeCreate) {
    const copy = copyForHook(row)
    const returned = await finishHook(changes, beforeCreate(copy, contextOf('beforeCreate')))
    whole = afterHook(write, 'beforeCreate', { before: null, asked: row, copy, returned: returned ?? {} })
  }
  whole = { ...whole, ...(await own.beforeCreate?.(row, changes)) }
  if (beforeCreate) await refuseUnlessWhile(write, [whole])
  attempt.written = whole
  const inserted = await changes.insert(resource, whole)
  const shownOnce = await own.afterCreate?.(inserted.row, changes)
  const id = String(inserted.row.id)
  await refuseUnlessMade(write, id, 'create')
  if (afterCreate) {
    await finishHook(changes, afterCreate(copyForHook(inserted.row), contextOf('afterCreate')))
    // The hook may have changed the row it was called for.
    await refuseUnlessMade(write, id, 'create')
  }
  const now = await lockTarget(changes, { ...call, target: { ...call.target, id } }, 'to-change')
  return { row: now.row, version: now.version, shownOnce }
}
